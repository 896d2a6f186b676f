#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "calibrate/fit.h"
#include "forward/base/json_file.h"
#include "forward/base/mesh_io.h"
#include "forward/mesh/tet_mesh_io.h"
#include "forward/scene_io.h"

namespace furrow {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double v) {
  return std::isfinite(v) ? Json(v) : Json(nullptr);
}

Json parameter_json(const ParameterEstimate& p) {
  Json out{{"name", p.name}, {"value", p.value}, {"unit", p.unit}};
  if (p.held) {
    out["held"] = true;
    return out;
  }
  out["log_std"] = number_or_null(p.log_std);
  const auto interval = p.interval95();
  out["interval95"] = {number_or_null(interval[0]), number_or_null(interval[1])};
  out["determined"] = p.determined;
  out["at_bound"] = p.at_bound;
  out["prior_share"] = p.prior_share;
  out["noise_log_std"] = number_or_null(p.noise_log_std);
  out["model_log_std"] = p.model_log_std;
  out["effect_mm"] = p.effect_mm;
  out["weak"] = p.weak;
  out["dead"] = p.dead;
  return out;
}

Json matrix_json(const MatrixXd& m) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < m.cols(); ++j) row.push_back(number_or_null(m(i, j)));
    rows.push_back(row);
  }
  return rows;
}

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024.0;
}

}  // namespace

const char* status_word(Termination termination) {
  switch (termination) {
    case Termination::converged:
      return "converged";
    case Termination::interrupted:
      return "interrupted";
    default:
      return "not_converged";
  }
}

void write_fit_json(const std::filesystem::path& file, const Project& project, const FitResult& result) {
  Json out{{"furrow", 1},
           {"subject", result.subject},
           {"status", status_word(result.termination)},
           {"termination", result.message}};
  out["rest_shape"] = project.rest == RestScheme::inverse ? "inverse elastostatics from the neutral scan"
                                                          : "free, elastic prior (seed)";
  out["parameters"] = Json::array();
  for (const ParameterEstimate& p : result.parameters) out["parameters"].push_back(parameter_json(p));
  out["undetermined"] = Json::array();
  for (const WeakCombination& weak : result.undetermined) {
    Json parts = Json::object();
    for (const auto& [name, component] : weak.parts) parts[name] = component;
    out["undetermined"].push_back({{"combination", parts}, {"log_std", weak.log_std}});
  }
  out["covariance"] = {{"parameters", result.free_names},
                       {"total", matrix_json(result.covariance)},
                       {"noise", matrix_json(result.noise_covariance)}};
  out["model_error"] = Json::array();
  for (const ModelShift& shift : result.model_shifts) {
    Json shifts = Json::object();
    for (std::size_t k = 0; k < result.free_names.size(); ++k)
      shifts[result.free_names[k]] = shift.log_shift[static_cast<Eigen::Index>(k)];
    out["model_error"].push_back({{"change", shift.name}, {"weight", shift.weight}, {"log_shift", shifts}});
  }
  out["observations"] = Json::array();
  for (const ObservationFit& o : result.observations)
    out["observations"].push_back({{"name", o.name},
                                   {"kind", "mesh"},
                                   {"use", o.use},
                                   {"count", o.count},
                                   {"rms", o.rms},
                                   {"sigma", o.sigma},
                                   {"unit", "mm"},
                                   {"mean_error", o.mean_error}});
  out["chi2_per_dof"] = result.chi2_per_dof;
  out["independent_share"] = result.n_eff_share;
  out["inflation"] = result.inflation;
  out["notes"] = result.notes;
  out["warnings"] = result.warnings;
  out["evaluations"] = result.evaluations;
  out["iterations"] = result.iterations;
  out["forward_solves"] = result.forward_solves;
  out["failed_solves"] = result.failed_solves;
  out["wall_s"] = result.wall_s;
  out["peak_memory_mb"] = peak_memory_mb();
  Json inputs = Json::object();
  for (const auto& input : project_files(project)) inputs[input_name(project, input)] = sha256_of(input);
  out["inputs"] = inputs;
  write_json(file, out);
}

void write_calibrated_scene(const std::filesystem::path& folder, const HeadData& data,
                            const TissueTheta& theta, const Positions& X) {
  std::filesystem::create_directories(folder);
  const TetModel& model = *data.model;
  Scene scene = model.scene;
  TetMesh mesh = model.mesh;
  mesh.label.clear();
  const bool painted = scene.tissue.clustered && !scene.tissue.layout.empty();
  if (!painted) {  // labels of the mesh itself
    for (const int c : model.layout.vertex_cluster) mesh.label.push_back(model.layout.labels[c]);
  }
  const VectorXd young = model.compiled->young_per_element(theta);
  write_tet_mesh(folder / "mesh.vtu", mesh, {{}, {{"young_kPa", 1000 * young}}});
  TetMesh rest = mesh;
  rest.nodes = X;
  write_tet_mesh(folder / "rest.vtu", rest, {{}, {{"young_kPa", 1000 * young}}});
  write_surface(folder / "scan.obj", model.scan);
  scene.file = folder / "scene.json";
  scene.surface = {folder / "scan.obj", "mm"};
  scene.bones.clear();
  scene.volume.reset();
  scene.tet.ready_made = MeshFile{folder / "mesh.vtu", "mm"};
  scene.tet.fixed_nodes.clear();
  auto carry = [&](std::filesystem::path& source, const std::string& name) {
    if (source.empty()) return;
    const std::filesystem::path target = folder / (name + source.extension().string());
    std::filesystem::copy_file(source, target, std::filesystem::copy_options::overwrite_existing);
    source = target;
  };
  carry(scene.tissue.layout, "layout");
  carry(scene.tissue.names, "layout_names");
  scene.tissue.young.clear();
  for (int c = 0; c < model.layout.cluster_count(); ++c)
    scene.tissue.young[scene.tissue.clustered ? model.layout.names[c] : "*"] = theta.young[c];
  scene.tissue.poisson = theta.poisson;
  scene.rest = RestShape::file;
  scene.rest_file = folder / "rest.vtu";
  scene.boundary.clear();
  for (int c = 0; c < 3; ++c) {  // what is fixed beyond the mesh's own fixed nodes, one component at a time
    std::string list;
    for (int i = 0; i < mesh.node_count(); ++i) {
      const bool whole = !mesh.fixed.empty() && mesh.fixed[i];
      if (model.fixed(i, c) && !whole) list += std::to_string(i) + "\n";
    }
    if (list.empty()) continue;
    BoundaryCondition condition;
    condition.file = folder / fmt::format("boundary_{}.txt", "xyz"[c]);
    condition.fix[c] = true;
    write_text_atomically(condition.file, list);
    scene.boundary.push_back(condition);
  }
  scene.poses.clear();
  for (const HeadPose& pose : data.poses) scene.poses.push_back({pose.name, pose.gravity});
  write_scene(folder / "scene.json", scene);
}

}  // namespace furrow
