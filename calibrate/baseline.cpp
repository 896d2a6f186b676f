#include "calibrate/baseline.h"

#include <cmath>

namespace furrow {

namespace {

/// The same mesh and observations; every element belongs to the one cluster "all".
HeadData with_one_cluster(const FittedHead& head, double young) {
  TetModel model = *head.data.model;
  const int elements = model.mesh.element_count();
  model.layout = {{0}, {"all"}, std::vector<int>(elements, 0)};
  model.scene.tissue.clustered = false;
  model.scene.tissue.layout.clear();
  model.scene.tissue.names.clear();
  model.scene.tissue.young = {{"*", young}};
  model.scene.tissue.poisson = head.theta.poisson;
  model.compiled =
      std::make_shared<CompiledScene>(model.mesh.elements, model.mesh.nodes, element_weights(model.layout),
                                      model.fixed, model.scene.tissue.law);
  HeadData data = with_model(head.data, std::make_shared<TetModel>(std::move(model)));
  data.parameters = {{"tissue.young", young, {young / 1000, young * 1000}, {}, false}};
  data.smoothness.reset();
  return data;
}

}  // namespace

Baseline fit_one_stiffness(const FittedHead& head, RestMode rest) {
  const double start = std::exp(head.theta.young.array().log().mean());
  Baseline baseline;
  baseline.data = with_one_cluster(head, start);
  FrozenFactor factor(*baseline.data.model->compiled);
  HeadProblem problem(baseline.data, factor, {0}, head.poses(Use::fit), VectorXd::Constant(1, start), rest);
  const MinimizeReport report =
      minimize(problem, problem.start_coordinates(), {}, [](const IterationReport&) { return true; });
  if (report.termination != Termination::converged || !problem.evaluate(report.p, false)) {
    baseline.failure =
        report.message + (problem.last_failure().empty() ? "" : " (" + problem.last_failure() + ")");
    return baseline;
  }
  baseline.young = problem.values_at(report.p)[0];
  baseline.X = problem.solution()->X;
  return baseline;
}

}  // namespace furrow
