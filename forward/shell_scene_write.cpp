// The shell half of write_scene.
#include <fmt/format.h>

#include <cmath>

#include "forward/scene_json.h"

namespace furrow {
namespace {

using Json = SceneJson;

/// "1/24 s" where that is the same double.
std::string time_text(double value) {
  const double count = std::round(1 / value);
  if (count >= 2 && count <= 1e6 && 1 / count == value) return fmt::format("1/{:.0f} s", count);
  return format_quantity(value, "s");
}

Json patch_json(const PatchSource& patch) {
  return {{"cells", Json::array({patch.nx, patch.ny})},
          {"size", Json::array({format_quantity(patch.size_x, "mm"), format_quantity(patch.size_y, "mm")})},
          {"curvature", Json::array({format_quantity(patch.curvature_x, "/mm"),
                                     format_quantity(patch.curvature_y, "/mm")})}};
}

std::string rule_name(RuleKind rule) {
  return rule == RuleKind::tensor ? "tensor" : rule == RuleKind::exact ? "exact" : "seed";
}

Json mesh_json(const ShellScene& shell, const RelativeTo& relative) {
  const ShellMeshOptions& mesh = shell.mesh;
  Json json = Json::object();
  if (mesh.patch) {
    json["patch"] = patch_json(*mesh.patch);
    json["order"] = Json::array({mesh.order.in_plane, mesh.order.thickness});
    json["thickness"] = format_quantity(mesh.thickness, "mm");
    if (mesh.stack == StackKind::seed)
      json["stack"] = "seed";
    else if (!mesh.stack_cuts.empty())
      json["stack"] = mesh.stack_cuts;
    else if (shell.layers.size() == 2)
      json["stack"] = Json::array({shell.layers[0].name, 0.25, "rest"});
  } else {
    json["file"] = relative(mesh.file);
    json["unit"] = mesh.unit;
  }
  json["rule"] = rule_name(mesh.rule);
  json["contact_subdivision"] = mesh.contact_subdivision;
  return json;
}

Json layer_json(const LayerOptions& layer) {
  Json json{{"name", layer.name}};
  if (layer.thickness > 0) json["thickness"] = format_quantity(layer.thickness, "mm");
  json["young"] = format_quantity(layer.young, "kPa");
  json["poisson"] = layer.poisson;
  json["stiffening"] = layer.stiffening;
  json["steady_fraction"] = layer.steady_fraction;
  for (const double tau : layer.relaxation_times) json["relaxation_times"].push_back(time_text(tau));
  if (!layer.branch_weights.empty()) json["branch_weights"] = layer.branch_weights;
  json["prestretch"] = layer.prestretch;
  json["prestretch_axis"] =
      Json::array({layer.prestretch_axis[0], layer.prestretch_axis[1], layer.prestretch_axis[2]});
  return json;
}

Json field_json(const LigamentField& field, const std::string& unit, const RelativeTo& relative) {
  using Kind = LigamentField::Kind;
  if (field.kind == Kind::uniform) return format_quantity(field.uniform, unit);
  if (field.kind == Kind::mesh) return "mesh";
  if (field.kind == Kind::nodal) return {{"nodal", relative(field.nodal)}};
  Json json = Json::object();
  if (field.kind == Kind::sources) {
    for (const FieldSource& source : field.sources)
      json["sources"].push_back({{"vertex", source.vertex}, {"b", format_quantity(source.b, unit)}});
    json["blend"] = format_quantity(field.blend, "mm");
    if (field.background) json["background"] = format_quantity(*field.background, unit);
    return json;
  }
  Json& clusters = json["clusters"] = {{"layout", relative(field.layout)}};
  if (!field.names.empty()) clusters["names"] = relative(field.names);
  for (const auto& [name, b] : field.cluster_b) clusters["b"][name] = format_quantity(b, unit);
  return json;
}

Json ligaments_json(const LigamentOptions& ligaments, const RelativeTo& relative) {
  const bool quadratic = ligaments.variant == LigamentVariant::quadratic;
  const bool smoothed = ligaments.variant == LigamentVariant::smoothed;
  Json json{{"variant", quadratic  ? "quadratic"
                        : smoothed ? "smoothed"
                                   : "seed"},
            {"stiffness", format_quantity(ligaments.stiffness, quadratic ? "kPa/mm" : "kPa")}};
  if (smoothed) json["smoothing"] = format_quantity(ligaments.smoothing, "mm");
  json["field"] = field_json(ligaments.field, quadratic ? "/mm^2" : "/mm", relative);
  return json;
}

void add_penalty(Json& json, const PenaltyOptions& penalty) {
  if (penalty.absolute)
    json["penalty"] = format_quantity(*penalty.absolute, "MPa/mm");
  else if (penalty.per_scale)
    json["penalty"] = {{"per_scale", format_quantity(*penalty.per_scale, "/mm")}};
  json["ramp"] = format_quantity(penalty.ramp, "mm");
}

Json skull_json(const SkullOptions& skull) {
  const ImlsKernel kernel = skull.kernel;
  Json json{{"kernel", kernel == ImlsKernel::wendland ? "wendland"
                       : kernel == ImlsKernel::seed   ? "seed"
                                                      : "r2_quartic"}};
  json["radius"] = skull.radius > 0 ? format_quantity(skull.radius, "mm") : "auto";
  add_penalty(json, skull.penalty);
  json["rest_gap"] = skull.subtract_rest_gap ? "subtract" : "seed";
  return json;
}

Json collider_json(const ColliderOptions& collider, const RelativeTo& relative) {
  Json json{{"name", collider.name}, {"shape", "sphere"}};
  json["radius"] = format_quantity(collider.radius, "mm");
  add_penalty(json, collider.penalty);
  json["friction"] = collider.friction;
  json["slip_speed"] = format_quantity(collider.slip_speed, "mm/s");
  json["path"] = relative(collider.path);
  return json;
}

Json time_json(const TimeOptions& time) {
  Json json{{"step", time_text(time.step)},
            {"frames", time.frames},
            {"viscous", time.viscous == ViscousScheme::strang ? "strang" : "seed"},
            {"friction_lag", time.friction_lag}};
  if (time.settle) json["settle"] = *time.settle;
  if (time.step_limit > 0) json["step_limit"] = time_text(time.step_limit);
  return json;
}

}  // namespace

void add_shell_json(Json& json, const ShellScene& shell, const RelativeTo& relative) {
  json["mesh"] = mesh_json(shell, relative);
  for (const LayerOptions& layer : shell.layers) json["layers"].push_back(layer_json(layer));
  json["volumetric"] = shell.volumetric == Volumetric::quadratic ? "quadratic" : "logarithmic";
  if (shell.ligaments) json["ligaments"] = ligaments_json(*shell.ligaments, relative);
  if (shell.skull) json["skull"] = skull_json(*shell.skull);
  for (const ColliderOptions& collider : shell.colliders)
    json["colliders"].push_back(collider_json(collider, relative));
  json["time"] = time_json(shell.time);
}

}  // namespace furrow
