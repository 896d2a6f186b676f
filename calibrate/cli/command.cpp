#include "calibrate/cli/command.h"

namespace furrow::cli {

Command make_command(CLI::App& app, const std::string& name, const std::string& description,
                     const std::string& output) {
  Command command{app.add_subcommand(name, description), std::make_shared<CommonOptions>(), {}};
  CommonOptions& common = *command.common;
  if (!output.empty()) command.app->add_option("-o,--output", common.output, output)->type_name("PATH");
  command.app->add_flag("--quiet", common.quiet, "print warnings and errors only");
  command.app->add_option("--log", common.log, "also write all messages, with times, to this file")
      ->type_name("FILE");
  command.app
      ->add_option("--threads", common.threads, "threads to use (default: all); results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command.app->add_option("--seed", common.seed, "seed of everything that is random")
      ->type_name("N")
      ->capture_default_str();
  command.app->add_flag("--json", common.json, "print a JSON object as the last line");
  command.app->add_option("--data", common.data, "resolve relative paths of input files against this folder")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command.app->add_flag("--allow-outside", common.allow_outside,
                        "let input files name files outside their folder");
  return command;
}

}  // namespace furrow::cli
