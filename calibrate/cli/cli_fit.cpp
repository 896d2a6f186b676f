// furrow fit project.json -o OUT [--resume]: the parameters that the observations determine, with error bars.
#include "calibrate/cli/command.h"
#include "calibrate/cli/interrupt.h"
#include "calibrate/fit.h"

namespace furrow::cli {
namespace {

struct Options {
  std::filesystem::path project;
  bool resume = false;
};

const char* word(Termination termination) {
  switch (termination) {
    case Termination::converged:
      return "converged";
    case Termination::interrupted:
      return "interrupted";
    default:
      return "not_converged";
  }
}

void show(Console& console, const FitProgress& progress) {
  if (!progress.note.empty()) {
    console.progress(0, progress.note);
    return;
  }
  const double fraction =
      progress.seconds_left >= 0 ? progress.seconds / (progress.seconds + progress.seconds_left + 1e-9) : 0;
  console.progress(fraction,
                   fmt::format("stage {}, iteration {}, rms {:.4f} mm{}", progress.stage, progress.iteration,
                               progress.rms, progress.accepted ? "" : " (step rejected)"));
}

std::string remarks(const ParameterEstimate& e) {
  std::string text;
  if (e.held) return "  held";
  if (!e.determined) text += "  not determined";
  if (e.at_bound) text += "  at its bound";
  if (e.dead)
    text += "  no effect";
  else if (e.weak)
    text += "  weak (effect below the noise)";
  if (e.prior_share > 0.2) text += fmt::format("  {:.0f} % from the prior", 100 * e.prior_share);
  return text;
}

void print_result(Console& console, const FitResult& result) {
  for (const ParameterEstimate& e : result.parameters) {
    const auto interval = e.interval95();
    console.say("{:<32} {:>9.4g} {:<4} [{:.4g}, {:.4g}]  {:5.2f} % (noise {:.2f}, model {:.2f}){}", e.name,
                e.value, e.unit, interval[0], interval[1], 100 * e.log_std, 100 * e.noise_log_std,
                100 * e.model_log_std, remarks(e));
  }
  for (const WeakCombination& weak : result.undetermined) {
    std::vector<std::string> parts;
    for (const auto& [name, share] : weak.parts) parts.push_back(fmt::format("{:+.2f} {}", share, name));
    console.say("not determined: {} (log_std {:.2g})", fmt::join(parts, " "), weak.log_std);
  }
  for (const ObservationFit& o : result.observations)
    console.say("{} {}: {} vertices, rms {:.4f} mm, sigma {:.4f} mm", o.use, o.name, o.count, o.rms, o.sigma);
}

nlohmann::ordered_json to_json(const Options& options, const std::filesystem::path& output,
                               const FitResult& result) {
  nlohmann::ordered_json json{{"project", options.project.string()},
                              {"fit", (output / "fit.json").string()},
                              {"termination", word(result.termination)},
                              {"parameters", nlohmann::ordered_json::array()}};
  for (const ParameterEstimate& e : result.parameters)
    json["parameters"].push_back({{"name", e.name},
                                  {"value", e.value},
                                  {"unit", e.unit},
                                  {"log_std", e.log_std},
                                  {"determined", e.determined}});
  return json;
}

Outcome run_command(const Options& options, const CommonOptions& common, Console& console) {
  const Project project = read_project(options.project, common.rules());
  const FitRun run{common.output, options.resume, [&](const FitProgress& progress) {
                     show(console, progress);
                     return !interrupted();
                   }};
  const FitResult result = run_fit(project, run);
  console.end_progress();
  for (const std::string& note : result.notes) console.say("{}", note);
  for (const std::string& warning : result.warnings) console.warn(warning);
  print_result(console, result);
  const bool converged = result.termination == Termination::converged;
  if (!converged) console.error(fmt::format("{}: {}", word(result.termination), result.message));
  if (result.termination == Termination::interrupted)
    console.say("go on with: furrow fit {} -o {} --resume", options.project.string(), common.output.string());
  console.say("{}; {} evaluations, {} forward solves, {}; wrote {}", result.message, result.evaluations,
              result.forward_solves, format_duration(result.wall_s), (common.output / "fit.json").string());
  return {converged ? kDone : kNotConverged, to_json(options, common.output, result)};
}

}  // namespace

Command add_fit(CLI::App& app) {
  Command command =
      make_command(app, "fit", "fit a project's parameters to its observations", "folder to write");
  command.common->output = "out";
  auto options = std::make_shared<Options>();
  command.app->add_option("project", options->project, "project.json")->required()->type_name("FILE");
  command.app->add_flag("--resume", options->resume, "go on where a fit into the same folder stopped");
  command.run = [options, common = command.common](Console& console) {
    return run_command(*options, *common, console);
  };
  return command;
}

}  // namespace furrow::cli
