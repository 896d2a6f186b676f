// The model part of error bars: what the parameters would be, to first order, if the mesh, the labels'
// borders or the law were another.
//   log shift = -(J'J)^-1 J' (r_other(p) - r(p))
#include <fmt/format.h>

#include <Eigen/QR>
#include <cmath>

#include "calibrate/fit.h"

namespace furrow {

namespace {

struct Change {
  std::string name;
  ModelVariant variant;
  double weight;
};

/// Fewer than 3 % more or fewer elements say nothing about the mesh's error.
bool same_size(const TetMesh& a, const TetMesh& b) {
  return std::abs(static_cast<double>(a.element_count()) / b.element_count() - 1) < 0.03;
}

double mean_edge(const TetMesh& mesh) {
  return measure_quality(mesh).mean_edge;
}

std::vector<Change> changes_for(const Project& project, const TetModel& model,
                                std::vector<std::string>& notes) {
  std::vector<Change> changes;
  const Scene& scene = model.scene;
  if (project.model_error.mesh) {
    if (scene.tet.ready_made) {
      notes.push_back("the mesh is ready-made, so the error bars hold no part for its size");
    } else {  // the mean of a coarser and a finer mesh
      changes.push_back({"mesh size x 1.25", {.size_factor = 1.25}, 0.5});
      changes.push_back({"mesh size x 0.8", {.size_factor = 0.8}, 0.5});
    }
  }
  if (project.model_error.labels && model.layout.cluster_count() > 1 && !scene.tissue.layout.empty()) {
    // a border is known to about a quarter of an element per coordinate
    const double jitter = 0.25 * mean_edge(model.mesh);
    for (unsigned seed : {1u, 2u})
      changes.push_back({fmt::format("labels moved by {:.2g} mm, {}", jitter, seed),
                         {.label_jitter = jitter, .seed = seed},
                         0.5});
  }
  if (project.model_error.law) {
    const bool ours = scene.tissue.law == Law::neo_hookean;
    changes.push_back({ours ? "law neo-hookean-isochoric" : "law neo-hookean",
                       {.law = ours ? Law::neo_hookean_isochoric : Law::neo_hookean},
                       1.0});
  }
  return changes;
}

}  // namespace

std::vector<ModelShift> model_shifts(const Project& project, const HeadData& data, const HeadProblem& problem,
                                     const VectorXd& p, const VectorXd& values, const ResidualValue& at,
                                     const VectorXd& log_derivatives,
                                     const std::function<void(const std::string&)>& tell,
                                     std::vector<std::string>& notes) {
  const Eigen::HouseholderQR<MatrixXd> qr(at.jacobian);
  const int n = problem.free_count();
  std::vector<ModelShift> shifts;
  for (const Change& change : changes_for(project, *data.model, notes)) {
    tell("model part: " + change.name);
    const HeadData other =
        with_model(data, std::make_shared<TetModel>(build_tet_model(data.model->scene, change.variant)));
    if (change.variant.size_factor != 1 && same_size(other.model->mesh, data.model->mesh)) {
      notes.push_back("the surface's own triangles set the mesh size, so the error bars hold no part for " +
                      change.name);
      continue;
    }
    FrozenFactor factor(*other.model->compiled);
    HeadProblem changed(other, factor, problem.free(), problem.poses(), values,
                        problem.experiment().gravity_case().rest);
    const std::optional<ResidualValue> value = changed.evaluate(p, false);
    if (!value) {
      notes.push_back("model part \"" + change.name +
                      "\" has no equilibrium and is left out: " + changed.last_failure());
      continue;
    }
    const VectorXd step = qr.solve(at.residual - value->residual);
    shifts.push_back({change.name, change.weight, step.head(n).cwiseProduct(log_derivatives)});
  }
  return shifts;
}

}  // namespace furrow
