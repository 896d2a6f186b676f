#include "calibrate/simulate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "forward/base/json_file.h"
#include "forward/base/mesh_io.h"
#include "forward/mesh/tet_mesh_io.h"
#include "forward/output/gltf.h"
#include "inverse/rest_shape.h"

namespace furrow {
namespace fs = std::filesystem;
namespace {

EquilibriumOptions options_of(const SolverOptions& solver) {
  return {solver.tolerance, solver.max_iterations, solver.inversion_thresholding};
}

/// True when there is a rest shape.
bool find_rest_shape(const TetModel& model, const FrozenFactor& factor, Simulation& simulation) {
  const CompiledScene& scene = *model.compiled;
  simulation.X = model.rest.rows() > 0 ? model.rest : scene.reference();
  if (model.scene.rest != RestShape::inverse) return true;
  RecoveredRest rest = solve_rest_shape(scene, model.theta(), scene.reference(), model.scene.gravity,
                                        scene.reference(), factor, options_of(model.scene.solver));
  simulation.rest_iterations = rest.iterations;
  simulation.rest_residual = rest.residual;
  if (rest.failure != SolveFailure::none) {
    simulation.failure = "rest shape: " + describe(rest.failure);
    return false;
  }
  simulation.X = std::move(rest.X);
  return true;
}

std::vector<Equilibrium> solve_quickly(const TetModel& model, const FrozenFactor& factor, const Positions& X,
                                       const std::vector<Pose>& poses) {
  std::vector<Vec3> gravities;
  for (const Pose& pose : poses) gravities.push_back(pose.gravity);
  return solve_lockstep(*model.compiled, model.theta(), X, gravities, std::vector<Positions>(poses.size(), X),
                        factor, options_of(model.scene.solver));
}

SurfaceMesh surface_at(const TetModel& model, const Positions& x) {
  SurfaceMesh surface = model.scan;
  surface.vertices = model.scan_positions(x);
  return surface;
}

nlohmann::ordered_json pose_summary(const TetModel& model, const Positions& X,
                                    const SimulatedPose& simulated) {
  const Equilibrium& at = simulated.equilibrium;
  const Vec3 g = simulated.pose.gravity / 1000;
  const VectorXd moved = (model.scan_positions(at.x) - model.scan_positions(X)).rowwise().norm();
  return {{"name", simulated.pose.name},
          {"gravity_m_s2", {g[0], g[1], g[2]}},
          {"converged", at.failure == SolveFailure::none},
          {"failure", at.failure == SolveFailure::none ? "" : describe(at.failure)},
          {"energy_mJ", at.energy},
          {"iterations", at.iterations},
          {"relative_residual", at.residual},
          {"smallest_J", at.smallest_j},
          {"mean_displacement_mm", moved.mean()},
          {"largest_displacement_mm", moved.maxCoeff()}};
}

void write_frames(const fs::path& folder, const TetModel& model, const Simulation& simulation) {
  fs::create_directories(folder / "frames");
  fs::create_directories(folder / "surface");
  TetMesh at_rest = model.mesh;
  at_rest.nodes = simulation.X;
  for (const SimulatedPose& simulated : simulation.poses) {
    const Positions& x = simulated.equilibrium.x;
    write_tet_mesh(folder / "frames" / (simulated.pose.name + ".vtu"), at_rest,
                   {{{"displacement", x - simulation.X}}, {}});
    write_surface(folder / "surface" / (simulated.pose.name + ".obj"), surface_at(model, x));
  }
}

void write_animation(const fs::path& file, const TetModel& model, const Simulation& simulation) {
  if (model.scan.triangle_count() == 0 || simulation.poses.empty()) return;
  GltfScene gltf;
  gltf.name = model.scene.surface.file.stem().string();
  gltf.mesh = model.scan;
  for (const SimulatedPose& simulated : simulation.poses)
    gltf.poses.push_back({simulated.pose.name, model.scan_positions(simulated.equilibrium.x)});
  write_gltf(file, gltf);
}

}  // namespace

Simulation simulate(const TetModel& model, const SimulationProgress& progress) {
  Simulation simulation;
  const std::vector<Pose> poses = poses_of(model.scene);
  const SolverOptions& solver = model.scene.solver;
  const auto stopped = [&](double fraction, const std::string& next) {
    if (progress(fraction, next)) return false;
    simulation.failure = "stopped before: " + next;
    return true;
  };
  if (stopped(0.0, "factorising")) return simulation;
  FrozenFactor factor(*model.compiled);
  factor.refresh(model.theta());
  if (stopped(0.2, "rest shape") || !find_rest_shape(model, factor, simulation)) return simulation;

  std::vector<Equilibrium> found(poses.size());
  const bool quick = solver.method != "newton";
  if (quick) {
    if (stopped(0.4, fmt::format("{} poses", poses.size()))) return simulation;
    found = solve_quickly(model, factor, simulation.X, poses);
  }
  CholmodSolver newton(model.compiled->symmetric_pattern(), model.compiled->dofs());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!quick || (solver.method == "auto" && found[i].failure != SolveFailure::none)) {
      if (stopped(0.4 + 0.6 * static_cast<double>(i) / static_cast<double>(poses.size()),
                  "pose " + poses[i].name))
        return simulation;
      found[i] = solve_newton(*model.compiled, model.theta(), simulation.X, poses[i].gravity, simulation.X,
                              newton, options_of(solver));
    }
    if (found[i].failure != SolveFailure::none && simulation.failure.empty())
      simulation.failure = fmt::format("pose {}: {}", poses[i].name, describe(found[i].failure));
    simulation.poses.push_back({poses[i], std::move(found[i])});
  }
  return simulation;
}

fs::path write_simulation(const fs::path& folder, const TetModel& model, const Simulation& simulation) {
  write_frames(folder, model, simulation);
  write_animation(folder / "animation.glb", model, simulation);
  nlohmann::ordered_json summary{
      {"furrow", 1},
      {"unit", "mm"},
      {"frame", "head"},
      {"status", simulation.failure.empty() ? "converged" : "not_converged"},
      {"failure", simulation.failure},
      {"nodes", model.mesh.node_count()},
      {"elements", model.mesh.element_count()},
      {"rest", {{"iterations", simulation.rest_iterations}, {"relative_residual", simulation.rest_residual}}},
      {"poses", nlohmann::ordered_json::array()}};
  for (const SimulatedPose& simulated : simulation.poses)
    summary["poses"].push_back(pose_summary(model, simulation.X, simulated));
  write_json(folder / "summary.json", summary);
  return folder / "summary.json";
}

}  // namespace furrow
