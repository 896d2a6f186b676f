// What the subcommands share: their options, how they talk, and what they return. Subcommands live one a
// file; each registers itself with an `add_*` function, and main runs the one that was named.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "calibrate/cli/console.h"
#include "forward/base/json_file.h"

namespace furrow::cli {

enum ExitStatus { kDone = 0, kNotConverged = 1, kBadInput = 2, kInternalError = 3 };

/// Options of every subcommand.
struct CommonOptions {
  std::filesystem::path output;
  std::filesystem::path log;
  std::filesystem::path data;
  bool quiet = false;
  bool json = false;
  bool allow_outside = false;
  int threads = 0;  ///< 0: all
  unsigned seed = 1;

  PathRules rules() const { return {data, allow_outside}; }
};

/// What a command says at its end: the exit status, and the object that `--json` prints as the last line.
struct Outcome {
  ExitStatus status = kDone;
  nlohmann::ordered_json summary = nlohmann::ordered_json::object();
};

struct Command {
  CLI::App* app = nullptr;
  std::shared_ptr<CommonOptions> common;
  std::function<Outcome(Console&)> run;
};

/// A subcommand with the common options, `run` still to be set. `output` says what `-o` names; empty: the
/// command writes nothing.
Command make_command(CLI::App& app, const std::string& name, const std::string& description,
                     const std::string& output);

Command add_check(CLI::App& app);
Command add_mesh(CLI::App& app);
Command add_simulate(CLI::App& app);
Command add_fit(CLI::App& app);
Command add_export(CLI::App& app);
Command add_report(CLI::App& app);
Command add_gradient(CLI::App& app);
Command add_validate(CLI::App& app);

}  // namespace furrow::cli
