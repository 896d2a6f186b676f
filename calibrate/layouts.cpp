#include "calibrate/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "calibrate/validate.h"
#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/field/layout.h"

namespace furrow {

namespace fs = std::filesystem;

namespace {

double geometric_mean(const std::map<std::string, double>& values) {
  double sum = 0;
  for (const auto& [name, value] : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

/// Everything that can be refused before hours are spent.
void check_layouts(const Project& project, const std::vector<fs::path>& layouts) {
  const bool any = std::any_of(project.observations.begin(), project.observations.end(),
                               [](const ObservationSource& o) { return o.use == Use::holdout; });
  if (!any)
    throw InputError(project.file.string(),
                     "layouts are ranked by held-out error; give an observation \"use\": \"holdout\"");
  std::set<std::string> stems;
  const Scene& scene = project.scenes.begin()->second;
  const SurfaceMesh scan = read_surface(scene.surface.file, scene.surface.unit, false);
  for (const fs::path& layout : layouts) {
    if (!stems.insert(layout.stem().string()).second)
      throw InputError("--layouts",
                       "two layouts are called " + layout.stem().string() + "; their folders would be one");
    const Tissue tissue = with_layout(project, layout).scenes.begin()->second.tissue;
    read_layout(tissue.layout, tissue.names, scan.vertex_count());
  }
}

RankedLayout fit_layout(const Project& project, const fs::path& layout, const LayoutRun& run) {
  RankedLayout ranked{layout, run.output / layout.stem(), 0, Termination::failed, {}, 0, 0, 0};
  const Project with = with_layout(project, layout);
  const bool resume = run.resume && fs::exists(ranked.folder / "checkpoint" / "journal.bin");
  const FitResult fit = run_fit(with, {ranked.folder, resume, [&](const FitProgress& p) {
                                         return !run.progress || run.progress(layout, p);
                                       }});
  write_run_record(ranked.folder, {project.file, run.rules, fs::absolute(layout)});
  ranked.termination = fit.termination;
  ranked.chi2_per_dof = fit.chi2_per_dof;
  ranked.clusters = static_cast<int>(fit.theta.young.size());
  if (fit.X.rows() == 0 || fit.termination == Termination::interrupted) {
    ranked.failure = fit.message;
    return ranked;
  }
  const FittedHead head = read_fitted_head(ranked.folder);
  const Validation validation = validate(head, [](const std::string&) {});
  write_validation(ranked.folder, head, validation);
  if (!validation.complete()) {
    ranked.failure = fmt::format("{}", fmt::join(validation.notes, "; "));
    return ranked;
  }
  const ErrorSummary errors = summarise(validation.total(&HeldOutPose::fit).position);
  ranked.mean_error = errors.mean;
  ranked.p95 = errors.p95;
  return ranked;
}

void write_ranking(const fs::path& folder, const std::vector<RankedLayout>& ranking) {
  nlohmann::ordered_json json{{"furrow", 1}, {"unit", "mm"}, {"layouts", nlohmann::ordered_json::array()}};
  for (const RankedLayout& ranked : ranking) {
    const bool good = ranked.failure.empty();
    json["layouts"].push_back(
        {{"layout", ranked.layout.string()},
         {"folder", ranked.folder.filename().string()},
         {"clusters", ranked.clusters},
         {"converged", ranked.termination == Termination::converged},
         {"mean_error", good ? nlohmann::ordered_json(ranked.mean_error) : nlohmann::ordered_json(nullptr)},
         {"p95", good ? nlohmann::ordered_json(ranked.p95) : nlohmann::ordered_json(nullptr)},
         {"chi2_per_dof", ranked.chi2_per_dof},
         {"failure", ranked.failure}});
  }
  if (!ranking.empty() && ranking.front().failure.empty())
    json["best"] = ranking.front().folder.filename().string();
  write_json(folder / "layouts.json", json);
}

}  // namespace

Project with_layout(const Project& project, const fs::path& layout) {
  if (project.scenes.size() != 1)
    throw InputError(project.file.string(), "layouts are compared for one scene");
  if (!fs::exists(layout)) throw InputError("--layouts " + layout.string(), "there is no such file");
  Project out = project;
  Scene& scene = out.scenes.begin()->second;
  if (!scene.tissue.clustered || scene.tissue.young.empty())
    throw InputError(scene.file.string() + ": tissue",
                     "has no clusters; give \"clusters\" so that another layout can replace theirs");
  const fs::path names = layout.parent_path() / (layout.stem().string() + "_names.json");
  scene.tissue.layout = fs::absolute(layout);
  scene.tissue.names = fs::exists(names) ? fs::absolute(names) : fs::path();
  scene.tissue.young = {{"*", geometric_mean(scene.tissue.young)}};
  return out;
}

std::vector<RankedLayout> rank_layouts(const Project& project, const std::vector<fs::path>& layouts,
                                       const LayoutRun& run) {
  check_layouts(project, layouts);
  std::vector<RankedLayout> ranking;
  for (const fs::path& layout : layouts) {
    ranking.push_back(fit_layout(project, layout, run));
    if (ranking.back().termination == Termination::interrupted) break;
  }
  std::stable_sort(ranking.begin(), ranking.end(), [](const RankedLayout& a, const RankedLayout& b) {
    if (a.failure.empty() != b.failure.empty()) return a.failure.empty();
    return a.mean_error < b.mean_error;
  });
  write_ranking(run.output, ranking);
  return ranking;
}

}  // namespace furrow
