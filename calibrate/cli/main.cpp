// furrow <command> [files] [-o OUT]. Exit status: 0 done, 1 did not converge, 2 bad usage or bad input, 3
// internal error.
#include <tbb/global_control.h>

#include <iostream>
#include <optional>
#include <vector>

#include "calibrate/cli/command.h"
#include "calibrate/cli/interrupt.h"
#include "forward/base/error.h"

namespace furrow::cli {
namespace {

/// What went wrong, on the screen and in the machine-readable last line.
Outcome failure(Console& console, ExitStatus status, const std::string& message) {
  console.error(message);
  return {status, {{"status", static_cast<int>(status)}, {"error", message}}};
}

/// Runs a command; the only place where exceptions become exit statuses.
Outcome run_guarded(const Command& command, Console& console) {
  try {
    Outcome outcome = command.run(console);
    outcome.summary["status"] = static_cast<int>(outcome.status);
    return outcome;
  } catch (const InputError& e) {
    return failure(console, kBadInput, e.what());
  } catch (const std::bad_alloc&) {
    return failure(console, kInternalError, "not enough memory; use a coarser mesh or a larger machine");
  } catch (const nlohmann::json::exception& e) {
    return failure(console, kBadInput,
                   std::string("a JSON file of an earlier run has another shape than furrow wrote (") +
                       e.what() + "); run the fit again");
  } catch (const std::filesystem::filesystem_error& e) {
    return failure(
        console, kBadInput,
        std::string(e.what()) + "; name another place with -o, or make this one a writable folder");
  } catch (const std::exception& e) {
    return failure(console, kInternalError, std::string("internal error, please report it: ") + e.what());
  }
}

int run(const Command& command) {
  const CommonOptions& common = *command.common;
  std::optional<tbb::global_control> threads;
  if (common.threads > 0) threads.emplace(tbb::global_control::max_allowed_parallelism, common.threads);
  watch_for_interrupt();
  std::optional<Console> console;
  try {
    console.emplace(common.quiet, common.log);
  } catch (const InputError& e) {
    std::cerr << "error: " << e.what() << "\n";
    return kBadInput;
  }
  const Outcome outcome = run_guarded(command, *console);
  if (common.json)
    console->print_last(outcome.summary.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return outcome.status;
}

}  // namespace
}  // namespace furrow::cli

int main(int argc, char** argv) {
  using namespace furrow::cli;
  CLI::App app("furrow recovers the mechanical parameters of a face from scans under gravity.", "furrow");
  app.set_version_flag("--version", "furrow " FURROW_VERSION);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  const std::vector<Command> commands{add_check(app),  add_mesh(app),     add_simulate(app),
                                      add_fit(app),    add_validate(app), add_gradient(app),
                                      add_export(app), add_report(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kDone : kBadInput;
  }
  for (const Command& command : commands)
    if (command.app->parsed()) return run(command);
  return kBadInput;
}
