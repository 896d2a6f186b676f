// furrow check FILE...: reads anything we read and says what is in it.
#include "calibrate/cli/command.h"
#include "calibrate/cli/describe.h"
#include "calibrate/cli/describe_prisms.h"
#include "forward/base/error.h"

namespace furrow::cli {
namespace {

struct Options {
  std::vector<std::filesystem::path> files;
  std::string unit = "mm";
};

nlohmann::ordered_json to_json(const std::filesystem::path& file, const Description& description) {
  return {{"file", file.string()},
          {"kind", description.kind},
          {"lines", description.lines},
          {"warnings", description.warnings}};
}

Outcome check(const Options& options, const PathRules& rules, Console& console) {
  Outcome outcome;
  outcome.summary["files"] = nlohmann::ordered_json::array();
  for (const auto& file : options.files) {
    try {
      const Description description = is_prism_file(file) ? describe_prism_file(file, options.unit)
                                                          : describe_file(file, rules, options.unit);
      console.say("{}: {}", file.string(), description.kind);
      for (const std::string& line : description.lines) console.say("  {}", line);
      for (const std::string& warning : description.warnings) console.warn(warning);
      outcome.summary["files"].push_back(to_json(file, description));
    } catch (const InputError& e) {
      console.error(e.what());
      outcome.summary["files"].push_back({{"file", file.string()}, {"error", e.what()}});
      outcome.status = kBadInput;
    }
  }
  return outcome;
}

}  // namespace

Command add_check(CLI::App& app) {
  Command command = make_command(app, "check", "read and validate files, and print what is in them", "");
  auto options = std::make_shared<Options>();
  command.app
      ->add_option("files", options->files,
                   "surfaces, tetrahedra, prisms, scenes, projects, tables, masks, layouts")
      ->required()
      ->type_name("FILE");
  command.app->add_option("--unit", options->unit, "unit of the numbers in mesh files named directly")
      ->check(CLI::IsMember({"mm", "cm", "m"}))
      ->capture_default_str();
  command.run = [options, common = command.common](Console& console) {
    return check(*options, common->rules(), console);
  };
  return command;
}

}  // namespace furrow::cli
