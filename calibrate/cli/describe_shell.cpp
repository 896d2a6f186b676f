// The shell half of describe_scene.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "calibrate/cli/describe.h"
#include "forward/shell_model.h"
#include "forward/solve/boundary_path.h"
#include "forward/solve/collider_path.h"

namespace furrow::cli {
namespace {

std::string mesh_line(const Scene& scene, const PrismMesh& mesh) {
  const ShellMeshOptions& options = scene.shell->mesh;
  std::string source = "mesh " + options.file.filename().string();
  if (options.patch)
    source = fmt::format("patch of {:.4g} x {:.4g} x {:.4g} mm, {} x {} cells", options.patch->size_x,
                         options.patch->size_y, options.thickness, options.patch->nx, options.patch->ny);
  const auto fixed = std::count(mesh.fixed.begin(), mesh.fixed.end(), 1);
  return fmt::format("{}: {} prisms of order {} x {}, {} columns, {} nodes{}", source, mesh.elements.rows(),
                     mesh.order.in_plane, mesh.order.thickness, mesh.outer_faces.rows(), mesh.nodes.rows(),
                     options.patch ? "" : fmt::format(", {} of them fixed by the file", fixed));
}

/// [mm] of each layer; empty where a mesh file says it.
std::vector<double> thicknesses(const ShellScene& shell) {
  std::vector<double> values;
  if (!shell.mesh.patch) return values;
  double left = shell.mesh.thickness;
  for (const LayerOptions& layer : shell.layers) {
    values.push_back(layer.thickness > 0 ? layer.thickness : left);
    left -= layer.thickness;
  }
  return values;
}

std::string layer_line(const LayerOptions& layer, const std::string& thickness) {
  std::string line = fmt::format("layer {}: {}{:.4g} kPa, Poisson's ratio {}, stiffening {}", layer.name,
                                 thickness, 1000 * layer.young, layer.poisson, layer.stiffening);
  if (!layer.relaxation_times.empty()) {
    std::vector<std::string> branches;
    for (std::size_t k = 0; k < layer.relaxation_times.size(); ++k)
      branches.push_back(fmt::format("{:.3g} % in {:.4g} s",
                                     100 * (1 - layer.steady_fraction) * layer.branch_weights[k],
                                     layer.relaxation_times[k]));
    line += fmt::format(", relaxing {}", fmt::join(branches, ", "));
  }
  if (layer.prestretch != std::array<double, 2>{1, 1})
    line += fmt::format(", prestretch {} and {} across", layer.prestretch[0], layer.prestretch[1]);
  return line;
}

std::string ligaments_line(const ShellScene& shell, const ShellModel& model) {
  const LigamentOptions& ligaments = *shell.ligaments;
  const bool quadratic = ligaments.variant == LigamentVariant::quadratic;
  const char* name = quadratic                                        ? "quadratic"
                     : ligaments.variant == LigamentVariant::smoothed ? "smoothed"
                                                                      : "seed";
  const VectorXd& b = model.theta.ligament_b;
  return fmt::format("ligaments, {}: {:.4g} {}, b {:.4g} to {:.4g} {} at {} inner vertices{}", name,
                     1000 * ligaments.stiffness, quadratic ? "kPa/mm" : "kPa", b.minCoeff(), b.maxCoeff(),
                     quadratic ? "/mm^2" : "/mm", b.size(),
                     model.ligament_clusters.empty()
                         ? ""
                         : fmt::format(", {} clusters: {}", model.ligament_clusters.size(),
                                       fmt::join(model.ligament_clusters, ", ")));
}

/// Radii of the frames in which the collider is there.
std::string radius_of(const ColliderPath& path, const TimeOptions& time) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (int frame = 0; frame <= time.frames; ++frame) {
    const ColliderPose pose = path.at(frame * time.step);
    if (!pose.present) continue;
    least = std::min(least, pose.radius);
    most = std::max(most, pose.radius);
  }
  if (most == 0) return "absent in all frames";
  return least == most ? fmt::format("radius {:.4g} mm", most)
                       : fmt::format("radius {:.4g} to {:.4g} mm", least, most);
}

std::string collider_line(const ColliderOptions& collider, const ColliderTheta& theta,
                          const TimeOptions& time) {
  const ColliderPath path = ColliderPath::read(collider.path, collider.radius);
  return fmt::format(
      "collider {}: sphere, {}, penalty {:.4g} MPa/mm, friction {}, slip speed {:.4g} mm/s, path {} "
      "from {:.4g} s to {:.4g} s",
      collider.name, radius_of(path, time), theta.penalty, collider.friction, collider.slip_speed,
      collider.path.filename().string(), path.first_time(), path.last_time());
}

std::string boundary_line(const BoundaryCondition& condition) {
  std::string axes;
  for (int axis = 0; axis < 3; ++axis)
    if (condition.fix[axis]) axes += "xyz"[axis];
  std::string motion;
  if (!condition.path.empty()) {
    const BoundaryMotion path = BoundaryMotion::read(condition.path);
    motion = fmt::format(", moved by {} from {:.4g} s to {:.4g} s", condition.path.filename().string(),
                         path.first_time(), path.last_time());
  }
  const std::string nodes = !condition.nodes.empty()  ? condition.nodes
                            : !condition.file.empty() ? condition.file.filename().string()
                                                      : "a box";
  return fmt::format("boundary {}: {} held{}", nodes, axes, motion);
}

}  // namespace

Description describe_shell(const Scene& scene) {
  const ShellScene& shell = *scene.shell;
  const ShellModel model = build_shell_model(scene);
  Description description{"scene", {}, model.warnings};
  auto& lines = description.lines;
  lines.push_back(mesh_line(scene, model.mesh()));
  const std::vector<double> thick = thicknesses(shell);
  for (std::size_t l = 0; l < shell.layers.size(); ++l)
    lines.push_back(layer_line(shell.layers[l], thick.empty() ? "" : fmt::format("{:.4g} mm, ", thick[l])));
  if (shell.ligaments) lines.push_back(ligaments_line(shell, model));
  if (shell.skull)
    lines.push_back(
        fmt::format("skull: radius {}, penalty {:.4g} MPa/mm",
                    shell.skull->radius > 0 ? fmt::format("{:.4g} mm", shell.skull->radius) : "auto",
                    model.theta.skull_penalty));
  for (std::size_t c = 0; c < shell.colliders.size(); ++c)
    lines.push_back(collider_line(shell.colliders[c], model.theta.colliders[c], shell.time));
  for (const BoundaryCondition& condition : scene.boundary) lines.push_back(boundary_line(condition));
  const TimeOptions& time = shell.time;
  lines.push_back(fmt::format("{} {} of {:.4g} s after frame 0, viscous {}, friction_lag {}", time.frames,
                              time.frames == 1 ? "frame" : "frames", time.step,
                              time.viscous == ViscousScheme::strang ? "strang" : "seed", time.friction_lag));
  return description;
}

}  // namespace furrow::cli
