#include "calibrate/fitted_head.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "calibrate/layouts.h"
#include "forward/base/error.h"
#include "forward/mesh/tet_mesh_io.h"

namespace furrow {

namespace fs = std::filesystem;

namespace {

/// The value that fit.json gives a parameter, in internal units.
double value_of(const JsonNode& fit, const std::string& name) {
  for (const JsonNode& entry : fit.at("parameters").items())
    if (entry.at("name").text() == name)
      return entry.at("value").number() * (entry.at("unit").text() == "kPa" ? 1e-3 : 1.0);
  fit.fail("has no parameter " + name + "; the project is another than the one that was fitted");
}

TissueTheta calibrated_theta(const JsonNode& fit, const HeadData& data) {
  TissueTheta theta = data.model->theta();
  double scale = 1;
  for (const ResolvedParameter& parameter : data.parameters)
    if (parameter.name == "tissue.young") scale = value_of(fit, parameter.name) / parameter.start;
  theta.young *= scale;
  const std::string prefix = "tissue.young.";
  for (const ResolvedParameter& parameter : data.parameters) {
    if (parameter.name.starts_with(prefix))
      theta.young[data.model->cluster(parameter.name.substr(prefix.size()))] = value_of(fit, parameter.name);
    if (parameter.name == "tissue.poisson") theta.poisson = value_of(fit, parameter.name);
  }
  if (!(theta.young.minCoeff() > 0 && theta.young.maxCoeff() < 1e6 && theta.poisson < 0.5))
    fit.at("parameters")
        .fail("holds a value that no tissue can have; the file was changed by hand, run the fit again");
  return theta;
}

void take_sigmas(const JsonNode& fit, HeadData& data) {
  for (const JsonNode& entry : fit.at("observations").items())
    for (HeadPose& pose : data.poses)
      if (pose.name == entry.at("name").text()) pose.sigma = entry.at("sigma").number();
}

std::vector<std::string> changed_inputs(const JsonNode& fit, const Project& project) {
  std::vector<std::string> warnings;
  const auto inputs = fit.find("inputs");
  if (!inputs) return warnings;
  for (const fs::path& file : project_files(project)) {
    const auto then = inputs->find(input_name(project, file));
    if (!then || then->text() != sha256_of(file))
      warnings.push_back(input_name(project, file) + " is not what it was when the fit ran");
  }
  return warnings;
}

Positions calibrated_rest(const fs::path& folder, const HeadData& data) {
  const TetMesh rest = read_tet_mesh(folder / "rest.vtu");
  if (rest.node_count() != data.model->mesh.node_count() || rest.elements != data.model->mesh.elements)
    throw InputError((folder / "rest.vtu").string(),
                     "has another mesh than the project's scene makes now; fit again");
  return rest.nodes;
}

}  // namespace

std::vector<int> FittedHead::poses(Use use) const {
  std::vector<int> out;
  for (std::size_t k = 0; k < data.poses.size(); ++k)
    if (data.poses[k].use == use) out.push_back(static_cast<int>(k));
  return out;
}

FittedHead read_fitted_head(const fs::path& folder, const std::optional<RunRecord>& record) {
  const RunRecord run = record ? *record : read_run_record(folder);
  if (!fs::exists(folder / "fit.json") || !fs::exists(folder / "rest.vtu"))
    throw InputError(folder.string(),
                     "holds no result of a fit (fit.json and rest.vtu); run `furrow fit` to its end first");
  const JsonNode fit = JsonNode::read(folder / "fit.json");
  FittedHead head{folder, read_project(run.project, run.rules), {}, {}, {}, {}};
  if (!run.layout.empty()) head.project = with_layout(head.project, run.layout);
  head.warnings = changed_inputs(fit, head.project);
  if (const std::string status = fit.at("status").text(); status != "converged")
    head.warnings.push_back("the fit has not converged (status " + status +
                            "): its values are not those that fit best");
  head.data = load_head(head.project);
  take_sigmas(fit, head.data);
  head.theta = calibrated_theta(fit, head.data);
  head.X = calibrated_rest(folder, head.data);
  return head;
}

Prediction predict(const HeadData& data, const TissueTheta& theta, const Positions& X,
                   const std::vector<Vec3>& gravities) {
  const TetModel& model = *data.model;
  const SolverOptions& solver = model.scene.solver;
  const GravityExperiment experiment(*model.compiled, {RestMode::known, model.scene.gravity, gravities},
                                     {solver.tolerance, solver.max_iterations, false});
  FrozenFactor factor(*model.compiled);
  ExperimentSolution solution = experiment.solve_at_rest(theta, X, {}, factor);
  if (!solution.ok) return {{}, {}, solution.failure};
  Prediction out;
  for (const Positions& x : solution.x) out.surface.push_back(model.scan_positions(x));
  out.nodes = std::move(solution.x);
  return out;
}

}  // namespace furrow
