// furrow export OUT --to scene,vtu,gltf,obj,pc2,calculix: the calibrated scene for other programs.
#include "calibrate/cli/command.h"
#include "calibrate/cli/interrupt.h"
#include "calibrate/export/export.h"

namespace furrow::cli {
namespace {

struct Options {
  std::filesystem::path folder;
  std::string formats;
};

Outcome run_command(const Options& options, const CommonOptions& common, Console& console) {
  const std::set<std::string> formats = parse_formats(options.formats);
  const auto folder = common.output.empty() ? options.folder / "export" : common.output;
  const Export done =
      export_fit(options.folder, folder, formats, [&](double fraction, const std::string& next) {
        console.progress(fraction, next);
        return !interrupted();
      });
  console.end_progress();
  for (const auto& file : done.files) console.print(file.string());
  for (const std::string& note : done.notes) console.say("note: {}", note);
  if (!done.failure.empty()) console.error("did not converge: " + done.failure);
  console.say("wrote {} files in {}", done.files.size(), folder.string());
  return {done.failure.empty() ? kDone : kNotConverged,
          {{"folder", folder.string()}, {"files", done.files.size()}, {"failure", done.failure}}};
}

}  // namespace

Command add_export(CLI::App& app) {
  Command command = make_command(app, "export", "write the calibrated scene for other programs",
                                 "folder to write (default: export/ in the fit's)");
  auto options = std::make_shared<Options>();
  command.app->add_option("fit", options->folder, "folder that `furrow fit` wrote")
      ->required()
      ->type_name("OUT");
  command.app
      ->add_option("--to", options->formats,
                   fmt::format("formats, separated by commas: {}", fmt::join(export_formats(), ",")))
      ->required()
      ->type_name("FORMATS");
  command.run = [options, common = command.common](Console& console) {
    return run_command(*options, *common, console);
  };
  return command;
}

}  // namespace furrow::cli
