// furrow report OUT: one self-contained page about a fit.
#include "calibrate/cli/command.h"
#include "calibrate/report/report.h"

namespace furrow::cli {

Command add_report(CLI::App& app) {
  Command command = make_command(app, "report", "write one self-contained HTML page about a fit",
                                 "folder to write (default: the fit's)");
  auto folder = std::make_shared<std::filesystem::path>();
  command.app->add_option("fit", *folder, "folder that `furrow fit` wrote")->required()->type_name("OUT");
  command.run = [folder, common = command.common](Console& console) -> Outcome {
    const auto file = write_report(*folder, common->output);
    console.say("wrote {}", file.string());
    return {kDone, {{"report", file.string()}}};
  };
  return command;
}

}  // namespace furrow::cli
