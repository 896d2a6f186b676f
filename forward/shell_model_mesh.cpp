// The mesh that a shell scene asks for: a generated patch, or a ready-made file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "forward/base/error.h"
#include "forward/mesh/prism_mesh_io.h"
#include "forward/shell_model.h"

namespace furrow {

namespace {

/// Layer borders as fractions of the thickness from the inner surface; layers are listed from the outer one.
std::vector<double> layer_cuts(const ShellScene& shell) {
  const double thickness = shell.mesh.thickness;
  std::vector<double> cuts{1};
  double depth = 0;
  for (std::size_t l = 0; l + 1 < shell.layers.size(); ++l) {
    depth += shell.layers[l].thickness;
    cuts.push_back(1 - depth / thickness);
  }
  cuts.push_back(0);
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

ThicknessPlan plan_of(const ShellScene& shell) {
  const ShellMeshOptions& mesh = shell.mesh;
  if (shell.layers.size() == 2 && mesh.stack_cuts.empty()) {
    ThicknessPlan plan = skin_plan(mesh.thickness, shell.layers[0].thickness, mesh.stack);
    plan.layers = {shell.layers[1].name, shell.layers[0].name};
    return plan;
  }
  ThicknessPlan plan;
  plan.layer_cuts = layer_cuts(shell);
  plan.layers.clear();
  for (auto layer = shell.layers.rbegin(); layer != shell.layers.rend(); ++layer)
    plan.layers.push_back(layer->name);
  if (!mesh.stack_cuts.empty()) {  // depths from the outer surface
    plan.element_cuts = {1};
    for (const double depth : mesh.stack_cuts) plan.element_cuts.push_back(1 - depth);
    plan.element_cuts.push_back(0);
    std::reverse(plan.element_cuts.begin(), plan.element_cuts.end());
  } else {
    plan.element_cuts = mesh.stack == StackKind::seed ? std::vector<double>{0, 1} : plan.layer_cuts;
  }
  return plan;
}

/// Elements and layers that are so thin that rounding decides about them make no mesh.
void refuse_thin(const Scene& scene, const std::vector<double>& cuts, const char* key, const char* what) {
  constexpr double kLeast = 1e-6;  ///< of the thickness
  for (std::size_t i = 1; i < cuts.size(); ++i)
    if (!(cuts[i] - cuts[i - 1] >= kLeast))
      throw InputError(scene.file.string(),
                       fmt::format("{}: {} is {:.3g} of the skin's thickness; make it at least {} of it", key,
                                   what, cuts[i] - cuts[i - 1], kLeast));
}

/// Nodes are counted before they are made.
void refuse_many_nodes(const Scene& scene, std::size_t stack) {
  constexpr double kMost = 2e7;
  const ShellMeshOptions& mesh = scene.shell->mesh;
  const double p = mesh.order.in_plane, q = mesh.order.thickness;
  const double nodes =
      (mesh.patch->nx * p + 1) * (mesh.patch->ny * p + 1) * (static_cast<double>(stack) * q + 1);
  if (nodes > kMost)
    throw InputError(
        scene.file.string(),
        fmt::format("mesh.patch: makes {:.3g} nodes and {:.0e} are the most; take fewer cells or "
                    "a lower order",
                    nodes, kMost));
}

double to_mm(const std::string& unit) {
  return unit == "m" ? 1000 : unit == "cm" ? 10 : 1;
}

}  // namespace

PrismMesh build_shell_mesh(const Scene& scene) {
  const ShellScene& shell = *scene.shell;
  if (!shell.mesh.file.empty()) {
    std::vector<std::string> names;
    for (const LayerOptions& layer : shell.layers) names.push_back(layer.name);
    return read_prism_mesh(shell.mesh.file, to_mm(shell.mesh.unit), names);
  }
  const PatchSource& patch = *shell.mesh.patch;
  PatchOptions options{patch.nx, patch.ny, patch.size_x, patch.size_y, shell.mesh.thickness, {}};
  if (patch.curvature_x != 0 || patch.curvature_y != 0)
    options.height = [patch](double x, double y) {
      return -(patch.curvature_x * x * x + patch.curvature_y * y * y) / 2;
    };
  refuse_thin(scene, layer_cuts(shell), "layers", "a layer");
  const ThicknessPlan plan = plan_of(shell);
  refuse_thin(scene, plan.element_cuts, "mesh.stack", "an element");
  refuse_many_nodes(scene, plan.element_cuts.size() - 1);
  PrismMesh mesh = make_patch(shell.mesh.order, options, plan);
  check_prism_mesh(mesh, scene.file.string());
  return mesh;
}

}  // namespace furrow
