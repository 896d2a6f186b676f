// furrow validate OUT [project.json]: how well the calibrated head predicts what was held out.
#include "calibrate/cli/command.h"
#include "calibrate/cli/table.h"
#include "calibrate/report/report.h"
#include "calibrate/validate.h"

namespace furrow::cli {
namespace {

struct Options {
  std::filesystem::path folder, project;
};

std::string mean_of(const VectorXd& distances) {
  return distances.size() > 0 ? fmt::format("{:.4f}", distances.mean()) : "-";
}

std::vector<std::string> row(const std::string& name, const VertexErrors& fit, const VertexErrors& naive,
                             const VertexErrors& uniform) {
  const ErrorSummary s = summarise(fit.position);
  return {name,
          std::to_string(fit.position.size()),
          fmt::format("{:.4f}", s.mean),
          fmt::format("{:.4f}", s.rms),
          fmt::format("{:.4f}", s.p95),
          fmt::format("{:.4f}", s.max),
          mean_of(fit.motion),
          mean_of(uniform.motion),
          mean_of(naive.motion)};
}

void print_errors(Console& console, const Validation& validation) {
  console.print("errors of held-out observations [mm]; \"motion\" is measured from the neutral");
  Table table({"held out", "vertices", "mean", "rms", "p95", "max", "motion mean", "uniform", "naive"});
  for (const HeldOutPose& pose : validation.poses)
    table.add(row(pose.name, pose.fit.value_or(VertexErrors{}), pose.naive.value_or(VertexErrors{}),
                  pose.uniform.value_or(VertexErrors{})));
  table.add(row("all", validation.total(&HeldOutPose::fit), validation.total(&HeldOutPose::naive),
                validation.total(&HeldOutPose::uniform)));
  for (const std::string& line : table.lines()) console.print(line);
  if (validation.uniform_young > 0)
    console.say("uniform: {:.4g} kPa everywhere, with the rest shape that belongs to it",
                1000 * validation.uniform_young);
  if (validation.naive_young > 0)
    console.say("naive: {:.4g} kPa everywhere, the neutral scan as rest shape",
                1000 * validation.naive_young);
}

Outcome run_command(const Options& options, const CommonOptions& common, Console& console) {
  std::optional<RunRecord> record;
  if (!options.project.empty()) record = RunRecord{options.project, common.rules(), {}};
  console.progress(0, "reading and meshing");
  const FittedHead head = read_fitted_head(options.folder, record);
  for (const std::string& warning : head.warnings) console.warn(warning);
  double step = 0;
  const Validation validation = validate(head, [&](const std::string& next) {
    step += 0.25;
    console.progress(step, next);
  });
  console.end_progress();
  print_errors(console, validation);
  for (const std::string& note : validation.notes) console.warn(note);
  const auto folder = common.output.empty() ? options.folder : common.output;
  const auto file = write_validation(folder, head, validation);
  if (common.output.empty()) write_report(folder);
  console.say("wrote {} and error-coloured surfaces in {}", file.string(), (folder / "validation").string());
  const VertexErrors total = validation.total(&HeldOutPose::fit);
  Outcome outcome{validation.complete() ? kDone : kNotConverged, {{"validation", file.string()}}};
  if (validation.complete()) outcome.summary["mean_error_mm"] = total.position.mean();
  return outcome;
}

}  // namespace

Command add_validate(CLI::App& app) {
  Command command = make_command(app, "validate", "predict the held-out observations, beside two baselines",
                                 "folder to write (default: the fit's)");
  auto options = std::make_shared<Options>();
  command.app->add_option("fit", options->folder, "folder that `furrow fit` wrote")
      ->required()
      ->type_name("OUT");
  command.app
      ->add_option("project", options->project, "project.json, where it is not the one that was fitted")
      ->type_name("FILE");
  command.run = [options, common = command.common](Console& console) {
    return run_command(*options, *common, console);
  };
  return command;
}

}  // namespace furrow::cli
