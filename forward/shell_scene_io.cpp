// Mesh, layers and time of a shell scene. Ligaments, skull and colliders are in shell_forces_io.cpp.
#include "forward/shell_scene_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "forward/scene_nodes.h"

namespace furrow {
namespace {

constexpr KeyList kMeshKeys{"patch",     "file",  "unit", "order",
                            "thickness", "stack", "rule", "contact_subdivision"};
constexpr KeyList kPatchKeys{"cells", "size", "curvature"};
constexpr KeyList kLayerKeys{"name",
                             "thickness",
                             "young",
                             "poisson",
                             "stiffening",
                             "steady_fraction",
                             "relaxation_times",
                             "branch_weights",
                             "prestretch",
                             "prestretch_axis"};
constexpr KeyList kTimeKeys{"step", "frames", "viscous", "friction_lag", "settle", "step_limit"};

constexpr double kSeedCut = 0.25;  ///< of the soft layer: StackKind::stack

/// The items of a list of exactly two.
std::array<JsonNode, 2> pair_of(const JsonNode& node, const char* what) {
  const auto items = node.items();
  if (items.size() != 2) node.fail(fmt::format("must be a list of two, {}", what));
  return {items[0], items[1]};
}

int at_least(const JsonNode& node, int low) {
  const int value = node.integer();
  if (value < low) node.fail(fmt::format("must be at least {}", low));
  return value;
}

PatchSource read_patch(const JsonNode& node) {
  node.only(kPatchKeys);
  constexpr long long most = 1'000'000;
  PatchSource patch;
  const JsonNode cells_node = node.at("cells");
  const auto cells = pair_of(cells_node, "the numbers of cells along x and y");
  patch.nx = at_least(cells[0], 1), patch.ny = at_least(cells[1], 1);
  if (static_cast<long long>(patch.nx) * patch.ny > most)
    cells_node.fail(fmt::format("asks for more than {} cells", most));
  const auto size = pair_of(node.at("size"), "the lengths along x and y");
  patch.size_x = positive(size[0], dimension::length), patch.size_y = positive(size[1], dimension::length);
  if (const auto curvature = node.find("curvature")) {
    const auto parts = pair_of(*curvature, "the curvatures along x and y such as \"1/80 /mm\"");
    patch.curvature_x = parts[0].quantity(dimension::per_length);
    patch.curvature_y = parts[1].quantity(dimension::per_length);
  }
  return patch;
}

PrismOrder read_order(const JsonNode& node) {
  const auto parts = pair_of(node, "in the plane and through the thickness, such as [4, 2]");
  const PrismOrder order{parts[0].integer(), parts[1].integer()};
  if (order.in_plane < 1 || order.in_plane > 4) parts[0].fail("the order in the plane is 1, 2, 3 or 4");
  if (order.thickness < 1 || order.thickness > 2) parts[1].fail("the order through the thickness is 1 or 2");
  return order;
}

/// [0.05, 0.3]: depths of the borders between elements, as fractions of the thickness.
std::vector<double> read_cuts(const std::vector<JsonNode>& items) {
  std::vector<double> cuts;
  for (const JsonNode& item : items) {
    cuts.push_back(item.number());
    const bool ascends = cuts.size() < 2 || cuts.back() > cuts[cuts.size() - 2];
    if (!(cuts.back() > 0 && cuts.back() < 1 && ascends))
      item.fail(
          "is the depth of a border between elements as a fraction of the thickness: between 0 and 1, "
          "ascending");
  }
  return cuts;
}

/// ["epidermis", 0.25, "rest"]: the outer layer, a fraction of the other one, and what is left of it.
void read_named_stack(const JsonNode& node, const std::vector<LayerOptions>& layers, ShellMeshOptions& mesh) {
  const auto items = node.items();
  const std::string example = "[\"" + layers[0].name + "\", 0.25, \"rest\"]";
  if (layers.size() != 2)
    node.fail(
        fmt::format("{} divides the second of two layers and there are {}; give depths as fractions of the "
                    "thickness, such as [0.05, 0.3], or leave stack out: one element a layer",
                    example, layers.size()));
  if (items.size() != 3 || !items[0].is_text() || !items[2].is_text() || items[0].text() != layers[0].name ||
      items[2].text() != "rest")
    node.fail("must be " + example + ", \"seed\" (one element), or a list of depths such as [0.05, 0.3]");
  const double fraction = items[1].number();
  if (!(fraction > 0 && fraction < 1)) items[1].fail("is a fraction of the second layer: between 0 and 1");
  if (fraction == kSeedCut) return;
  const double outer = layers[0].thickness / mesh.thickness;
  mesh.stack_cuts = {outer, outer + fraction * (1 - outer)};
}

void read_stack(const JsonNode& node, const std::vector<LayerOptions>& layers, ShellMeshOptions& mesh) {
  if (node.is_text()) {
    node.one_of({"seed"});
    mesh.stack = StackKind::seed;
    return;
  }
  const auto items = node.items();
  if (items.empty()) node.fail("is empty; write \"seed\" for one element through the thickness");
  if (items[0].is_text())
    read_named_stack(node, layers, mesh);
  else
    mesh.stack_cuts = read_cuts(items);
}

void read_ready_made(const JsonNode& node, ShellMeshOptions& mesh) {
  mesh.file = file_of(node.at("file"));
  const auto unit = node.find("unit");
  if (!unit) node.fail("mesh files carry no unit: add \"unit\": \"mm\" (or \"cm\", \"m\")");
  mesh.unit = unit->one_of({"mm", "cm", "m"});
  for (const char* key : {"order", "thickness", "stack"})
    if (const auto unused = node.find(key))
      unused->fail("has no effect beside \"file\", a ready-made mesh, which says it; leave it out");
}

double fraction_above_zero(const JsonNode& node) {
  const double value = node.number();
  if (!(value > 0 && value <= 1))
    node.fail("is a share of the stiffness: above 0 (nothing would bring the skin back) and at most 1");
  return value;
}

void read_branch_weights(const JsonNode& node, LayerOptions& layer) {
  layer.branch_weights.clear();
  for (const JsonNode& item : node.items()) {
    layer.branch_weights.push_back(item.number());
    if (!(layer.branch_weights.back() > 0)) item.fail("must be greater than zero");
  }
  if (layer.branch_weights.size() != layer.relaxation_times.size())
    node.fail(fmt::format("has {} values for {} relaxation times; give one each", layer.branch_weights.size(),
                          layer.relaxation_times.size()));
  const double sum = std::accumulate(layer.branch_weights.begin(), layer.branch_weights.end(), 0.0);
  if (std::abs(sum - 1) > 1e-9)
    node.fail(fmt::format("are shares and add up to {}; they must add up to 1", sum));
}

/// steady_fraction, relaxation_times and branch_weights, which need each other.
void read_branches(const JsonNode& node, LayerOptions& layer) {
  const auto steady = node.find("steady_fraction"), times = node.find("relaxation_times");
  const auto weights = node.find("branch_weights");
  if (steady) layer.steady_fraction = fraction_above_zero(*steady);
  if (!times || times->items().empty()) {
    if (layer.steady_fraction < 1)
      steady->fail("leaves a part that relaxes: say how fast with \"relaxation_times\": [\"1/12 s\"]");
    if (weights) weights->fail("divides what relaxes, and no \"relaxation_times\" are given");
    return;
  }
  if (!steady)
    node.fail(
        "relaxation_times need \"steady_fraction\": the share of the stiffness that does not relax, e.g. "
        "0.2");
  if (layer.steady_fraction == 1)
    steady->fail("is 1, so that nothing relaxes; lower it or leave relaxation_times out");
  for (const JsonNode& item : times->items())
    layer.relaxation_times.push_back(positive(item, dimension::time));
  const std::size_t count = layer.relaxation_times.size();
  if (count > kMaxBranches)
    times->fail(fmt::format("has {} branches; at most {} are possible", count, kMaxBranches));
  layer.branch_weights.assign(count, 1.0 / static_cast<double>(count));
  if (weights) read_branch_weights(*weights, layer);
}

void read_prestretch(const JsonNode& node, LayerOptions& layer) {
  const auto prestretch = node.find("prestretch"), axis = node.find("prestretch_axis");
  if (axis && !prestretch) axis->fail("is the direction of a \"prestretch\", and none is given");
  if (!prestretch) return;
  const auto parts =
      pair_of(*prestretch, "the stretches along prestretch_axis and across it, such as [1.1, 1]");
  for (int i = 0; i < 2; ++i) layer.prestretch[i] = parts[i].quantity(dimension::none, 0.5, 2);
  if (!axis) return;
  layer.prestretch_axis = axis->vector(dimension::none);
  if (!(layer.prestretch_axis.norm() > 1e-12)) axis->fail("is zero; give a direction such as [1, 0, 0]");
}

LayerOptions read_layer(const JsonNode& node) {
  node.only(kLayerKeys);
  LayerOptions layer;
  layer.name = node.at("name").text();
  if (layer.name.empty() || layer.name.find_first_of("./\\*") != std::string::npos)
    node.at("name").fail("must not be empty or hold \".\", \"*\" or a slash: parameters are called by it");
  if (const auto thickness = node.find("thickness"))
    layer.thickness = positive(*thickness, dimension::length);
  layer.young = positive(node.at("young"), dimension::stress);
  if (const auto poisson = node.find("poisson")) {
    layer.poisson = poisson->number();
    if (!(layer.poisson > -1 && layer.poisson < 0.5))
      poisson->fail(
          "must lie between -1 and 0.5 (0.5 is incompressible and has no finite bulk modulus); try 0.49");
  }
  if (const auto stiffening = node.find("stiffening"))
    layer.stiffening = not_negative(*stiffening, dimension::none);
  read_branches(node, layer);
  read_prestretch(node, layer);
  return layer;
}

/// Layers of a ready-made mesh have their places from the file; those of a patch fill its thickness.
void fit_layers(const JsonNode& node, const ShellMeshOptions& mesh, std::vector<LayerOptions>& layers) {
  const auto items = node.items();
  if (!mesh.patch) {
    for (std::size_t i = 0; i < items.size(); ++i)
      if (layers[i].thickness > 0)
        items[i]
            .at("thickness")
            .fail("has no effect beside mesh.file, which says where the layers lie; leave it out");
    return;
  }
  double sum = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    sum += layers[i].thickness;
    if (layers[i].thickness == 0 && i + 1 < items.size())
      items[i].fail("needs a \"thickness\"; only the last layer takes what is left");
  }
  const double all = mesh.thickness, last = layers.back().thickness;
  const bool whole = last > 0 && std::abs(sum - all) <= 1e-9 * all;
  if (!whole && sum >= all)
    node.fail(
        fmt::format("the layers are {:.6g} mm thick{} and the skin (mesh.thickness) is {:.6g} mm; "
                    "make them thinner or the skin thicker",
                    sum, last > 0 ? "" : " without the last one", all));
  if (!whole && last > 0)
    node.fail(
        fmt::format("the layers are {:.6g} mm thick and the skin (mesh.thickness) is {:.6g} mm; "
                    "leave out the last layer's thickness: it takes what is left",
                    sum, all));
  layers.back().thickness = 0;
}

}  // namespace

ShellMeshOptions read_shell_mesh(const JsonNode& node, const std::vector<LayerOptions>& layers) {
  if (const auto length = node.find("edge_length"))
    length->fail(
        "meshing a scanned surface is not part of this version; use \"patch\" (a generated rectangle) or "
        "\"file\" "
        "(a ready-made mesh of wedges)");
  node.only(kMeshKeys);
  ShellMeshOptions mesh;
  const auto patch = node.find("patch");
  if (patch.has_value() == node.find("file").has_value())
    node.fail(
        "needs exactly one of \"patch\": {\"cells\": [4, 2], \"size\": [\"28 mm\", \"18 mm\"]} and \"file\": "
        "\"mesh.vtu\"");
  if (patch) {
    if (const auto unit = node.find("unit"))
      unit->fail("belongs to a ready-made \"file\", and none is named");
    mesh.patch = read_patch(*patch);
    if (const auto order = node.find("order")) mesh.order = read_order(*order);
    mesh.thickness = positive(node.at("thickness"), dimension::length);
    if (const auto stack = node.find("stack")) read_stack(*stack, layers, mesh);
  } else {
    read_ready_made(node, mesh);
  }
  if (const auto rule = node.find("rule")) {
    const std::string name = rule->one_of({"tensor", "exact", "seed"});
    mesh.rule = name == "tensor" ? RuleKind::tensor : name == "exact" ? RuleKind::exact : RuleKind::seed;
  }
  if (const auto subdivision = node.find("contact_subdivision")) {
    mesh.contact_subdivision = at_least(*subdivision, 1);
    if (mesh.contact_subdivision > 32) subdivision->fail("must be at most 32 (1024 triangles a face)");
  }
  return mesh;
}

std::vector<LayerOptions> read_layers(const JsonNode& node) {
  std::vector<LayerOptions> layers;
  for (const JsonNode& item : node.items()) {
    layers.push_back(read_layer(item));
    for (std::size_t i = 0; i + 1 < layers.size(); ++i)
      if (layers[i].name == layers.back().name)
        item.at("name").fail("two layers are called \"" + layers.back().name + "\"");
  }
  if (layers.empty()) node.fail("holds no layer; give at least one, from the outer surface inwards");
  return layers;
}

TimeOptions read_time(const JsonNode& node) {
  node.only(kTimeKeys);
  TimeOptions time;
  if (const auto step = node.find("step")) time.step = positive(*step, dimension::time);
  if (const auto frames = node.find("frames")) time.frames = at_least(*frames, 1);
  if (const auto viscous = node.find("viscous"))
    time.viscous =
        viscous->one_of({"strang", "seed"}) == "strang" ? ViscousScheme::strang : ViscousScheme::seed;
  if (const auto lag = node.find("friction_lag")) {
    time.friction_lag = lag->integer();
    if (time.friction_lag < 1 || time.friction_lag > 8)
      lag->fail("is the number of solves a step with refreshed normal forces: 1 (the published scheme) to 8");
  }
  if (const auto settle = node.find("settle")) time.settle = settle->boolean();
  if (const auto limit = node.find("step_limit")) time.step_limit = positive(*limit, dimension::time);
  return time;
}

ShellScene read_shell(const JsonNode& root) {
  ShellScene shell;
  shell.layers = read_layers(root.at("layers"));
  shell.mesh = read_shell_mesh(root.at("mesh"), shell.layers);
  fit_layers(root.at("layers"), shell.mesh, shell.layers);
  if (const auto volumetric = root.find("volumetric"))
    shell.volumetric = volumetric->one_of({"quadratic", "logarithmic"}) == "quadratic"
                           ? Volumetric::quadratic
                           : Volumetric::logarithmic;
  if (const auto ligaments = root.find("ligaments"))
    shell.ligaments = read_ligaments(*ligaments, !shell.mesh.file.empty());
  if (const auto skull = root.find("skull")) shell.skull = read_skull(*skull);
  if (const auto colliders = root.find("colliders")) shell.colliders = read_colliders(*colliders);
  if (const auto time = root.find("time")) shell.time = read_time(*time);
  return shell;
}

void check_shell_scene(const JsonNode& root, const Scene& scene) {
  const ShellScene& shell = *scene.shell;
  const bool pressed = shell.skull && !scene.gravity.isZero(0);
  if (scene.boundary.empty() && !shell.ligaments && shell.mesh.file.empty() && !pressed)
    root.fail(
        "nothing holds the skin, so that it has no equilibrium: add \"boundary\": [{\"nodes\": \"rim\", "
        "\"fix\": "
        "\"xyz\"}] or \"ligaments\"");
  bool moving = !shell.colliders.empty();
  for (const BoundaryCondition& condition : scene.boundary) moving |= !condition.path.empty();
  if (moving && !root.find("time"))
    root.fail(
        "colliders and boundaries on a path move in time: add \"time\": {\"step\": \"1/24 s\", \"frames\": "
        "48}");
}

std::vector<std::string> shell_warnings(const Scene& scene) {
  std::vector<std::string> warnings;
  for (const LayerOptions& layer : scene.shell->layers)
    if (layer.poisson > 0.4999)
      warnings.push_back(
          fmt::format("{}: layers.{}.poisson: {} is so near to 0.5 that the solver loses digits; "
                      "0.49 to 0.499 is usual",
                      scene.file.filename().string(), layer.name, layer.poisson));
  return warnings;
}

KeyLists shell_keys() {
  auto list = [](KeyList keys) { return std::vector<std::string>(keys.begin(), keys.end()); };
  KeyLists keys = shell_force_keys();
  keys["mesh"] = list(kMeshKeys);
  keys["mesh.patch"] = list(kPatchKeys);
  keys["layers[]"] = list(kLayerKeys);
  keys["time"] = list(kTimeKeys);
  return keys;
}

}  // namespace furrow
