// furrow fit project.json -o OUT [--resume]: the parameters that the observations determine, with error bars.
#include <cmath>

#include "calibrate/cli/command.h"
#include "calibrate/cli/interrupt.h"
#include "calibrate/cli/table.h"
#include "calibrate/fit.h"
#include "calibrate/layouts.h"
#include "calibrate/report/report.h"
#include "calibrate/run_record.h"

namespace furrow::cli {
namespace {

struct Options {
  std::filesystem::path project;
  bool resume = false;
  std::vector<std::filesystem::path> layouts;  ///< compared when any are given
};

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
  if (e.held) return "held";
  std::vector<std::string> words;
  if (!e.determined) words.push_back("NOT DETERMINED");
  if (e.at_bound) words.push_back("at its bound");
  if (e.dead) words.push_back("no effect");
  if (e.weak && !e.dead) words.push_back("weak: effect below the noise");
  if (e.prior_share > 0.2) words.push_back(fmt::format("{:.0f} % from the prior", 100 * e.prior_share));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.2f} %", 100 * share) : "-";
}

void print_parameters(Console& console, const FitResult& result) {
  Table table({"parameter", "value", "95 % interval", "log std", "of noise", "of model", "effect", ""});
  for (const ParameterEstimate& e : result.parameters) {
    const std::string value = fmt::format("{:.4g}{}{}", e.value, e.unit.empty() ? "" : " ", e.unit);
    const auto interval = e.interval95();
    if (e.held)
      table.add({e.name, value, "", "", "", "", "", "held"});
    else
      table.add({e.name, value, fmt::format("{:.4g} .. {:.4g}", interval[0], interval[1]), percent(e.log_std),
                 percent(e.noise_log_std), percent(e.model_log_std), fmt::format("{:.3f} mm", e.effect_mm),
                 remarks(e)});
  }
  for (const std::string& line : table.lines()) console.print(line);
}

void print_combinations(Console& console, const FitResult& result) {
  for (const WeakCombination& weak : result.undetermined) {
    if (weak.parts.empty() || !std::isfinite(weak.log_std)) continue;
    std::vector<std::string> parts;
    for (const auto& [name, share] : weak.parts) parts.push_back(fmt::format("{:+.2f} log {}", share, name));
    console.say("{}: {} is known to a factor of {:.3g} only",
                weak.log_std > 0.5 ? "not determined" : "weakest combination", fmt::join(parts, " "),
                std::exp(weak.log_std));
  }
}

void print_observations(Console& console, const FitResult& result) {
  Table table({"observation", "vertices", "mean error", "rms a coordinate", "sigma"});
  for (const ObservationFit& o : result.observations)
    table.add({o.name, std::to_string(o.count), fmt::format("{:.4f} mm", o.mean_error),
               fmt::format("{:.4f} mm", o.rms), fmt::format("{:.4f} mm", o.sigma)});
  for (const std::string& line : table.lines()) console.print(line);
  console.say("chi^2 per degree of freedom {:.3f}; {:.0f} % of the residuals count as independent",
              result.chi2_per_dof, 100 * result.n_eff_share);
}

nlohmann::ordered_json to_json(const Options& options, const std::filesystem::path& output,
                               const FitResult& result) {
  nlohmann::ordered_json json{{"project", options.project.string()},
                              {"fit", (output / "fit.json").string()},
                              {"termination", status_word(result.termination)},
                              {"parameters", nlohmann::ordered_json::array()}};
  for (const ParameterEstimate& e : result.parameters)
    json["parameters"].push_back({{"name", e.name},
                                  {"value", e.value},
                                  {"unit", e.unit},
                                  {"log_std", e.log_std},
                                  {"determined", e.determined}});
  return json;
}

void print_result(Console& console, const Options& options, const std::filesystem::path& output,
                  const FitResult& result) {
  for (const std::string& note : result.notes) console.say("note: {}", note);
  for (const std::string& warning : result.warnings) console.warn(warning);
  print_parameters(console, result);
  print_combinations(console, result);
  if (!result.observations.empty()) print_observations(console, result);
  console.say("{}; {} iterations, {} evaluations, {} forward solves ({} failed), {}", result.message,
              result.iterations, result.evaluations, result.forward_solves, result.failed_solves,
              format_duration(result.wall_s));
  if (result.termination != Termination::converged)
    console.error(fmt::format("{}: {}", status_word(result.termination), result.message));
  if (result.termination == Termination::interrupted)
    console.say("go on with: furrow fit {} -o {} --resume", options.project.string(), output.string());
  console.say("wrote {0}/fit.json, the calibrated {0}/scene.json, {0}/report.html; next: furrow validate {0}",
              output.string());
}

Outcome run_command(const Options& options, const CommonOptions& common, Console& console) {
  const Project project = read_project(options.project, common.rules());
  const FitRun run{common.output, options.resume, [&](const FitProgress& progress) {
                     show(console, progress);
                     return !interrupted();
                   }};
  const FitResult result = run_fit(project, run);
  write_run_record(common.output, {options.project, common.rules(), {}});
  write_report(common.output);
  console.end_progress();
  print_result(console, options, common.output, result);
  const bool converged = result.termination == Termination::converged;
  return {converged ? kDone : kNotConverged, to_json(options, common.output, result)};
}

Outcome compare_layouts(const Options& options, const CommonOptions& common, Console& console) {
  const Project project = read_project(options.project, common.rules());
  const LayoutRun run{common.output, options.resume, common.rules(),
                      [&](const std::filesystem::path& layout, const FitProgress& progress) {
                        FitProgress here = progress;
                        if (here.note.empty())
                          here.stage = layout.stem().string() + ", " + here.stage;
                        else
                          here.note = layout.stem().string() + ": " + here.note;
                        show(console, here);
                        return !interrupted();
                      }};
  const std::vector<RankedLayout> ranking = rank_layouts(project, options.layouts, run);
  console.end_progress();
  Table table({"layout", "clusters", "held-out mean", "p95", "chi^2 of the fit", "folder", ""});
  bool good = ranking.size() == options.layouts.size();
  for (const RankedLayout& ranked : ranking) {
    const bool known = ranked.failure.empty();
    good = good && known && ranked.termination == Termination::converged;
    table.add({ranked.layout.filename().string(), std::to_string(ranked.clusters),
               known ? fmt::format("{:.4f} mm", ranked.mean_error) : "-",
               known ? fmt::format("{:.4f} mm", ranked.p95) : "-", fmt::format("{:.3f}", ranked.chi2_per_dof),
               ranked.folder.string(), known ? "" : ranked.failure});
  }
  for (const std::string& line : table.lines()) console.print(line);
  if (!good) console.error("not every layout was fitted to convergence");
  nlohmann::ordered_json json{{"layouts", (common.output / "layouts.json").string()}};
  if (!ranking.empty() && ranking.front().failure.empty()) {
    console.say("best: {}; its calibrated scene is {}", ranking.front().layout.string(),
                (ranking.front().folder / "scene.json").string());
    json["best"] = ranking.front().folder.string();
  }
  return {good ? kDone : kNotConverged, json};
}

}  // namespace

Command add_fit(CLI::App& app) {
  Command command = make_command(app, "fit", "fit a project's parameters to its observations",
                                 "folder to write (default: out)");
  command.common->output = "out";
  auto options = std::make_shared<Options>();
  command.app->add_option("project", options->project, "project.json")->required()->type_name("FILE");
  command.app->add_flag("--resume", options->resume, "go on where a fit into the same folder stopped");
  command.app
      ->add_option("--layouts", options->layouts,
                   "fit each of these cluster layouts in a folder of its own and rank them by held-out error")
      ->delimiter(',')
      ->type_name("FILES");
  command.run = [options, common = command.common](Console& console) {
    return options->layouts.empty() ? run_command(*options, *common, console)
                                    : compare_layouts(*options, *common, console);
  };
  return command;
}

}  // namespace furrow::cli
