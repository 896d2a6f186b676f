// What pulls and pushes the skin of a shell scene: ligaments, skull, colliders.
#include <algorithm>
#include <set>

#include "forward/scene_nodes.h"
#include "forward/shell_scene_io.h"

namespace furrow {
namespace {

constexpr KeyList kLigamentKeys{"variant", "stiffness", "smoothing", "field"};
constexpr KeyList kFieldKeys{"sources", "blend", "background", "clusters", "nodal"};
constexpr KeyList kSourceKeys{"vertex", "b"};
constexpr KeyList kClusterKeys{"layout", "names", "b"};
constexpr KeyList kSkullKeys{"kernel", "radius", "penalty", "ramp", "rest_gap"};
constexpr KeyList kPenaltyKeys{"per_scale"};
constexpr KeyList kColliderKeys{"name", "shape",    "radius",     "penalty",
                                "ramp", "friction", "slip_speed", "path"};

constexpr double kPenaltyPerScale = 500;  ///< [1/mm]: 10 MPa/mm beside a skin of 20 kPa (THEORY 0.9)

/// [1/mm], or [1/mm^2] of the quadratic variant.
Dimension dimension_of_b(LigamentVariant variant) {
  return variant == LigamentVariant::quadratic ? dimension::per_area : dimension::per_length;
}

std::vector<FieldSource> read_sources(const JsonNode& node, const Dimension& of_b) {
  std::vector<FieldSource> sources;
  std::set<int> vertices;
  for (const JsonNode& item : node.items()) {
    item.only(kSourceKeys);
    FieldSource source{item.at("vertex").integer(), not_negative(item.at("b"), of_b)};
    if (source.vertex < 0) item.at("vertex").fail("numbers a vertex of the inner surface, from 0");
    if (!vertices.insert(source.vertex).second) item.at("vertex").fail("has a source already");
    sources.push_back(source);
  }
  if (sources.empty())
    node.fail("holds no source; give one, or a number such as \"0.2 /mm\" in place of the field");
  return sources;
}

void read_cluster_field(const JsonNode& node, const Dimension& of_b, LigamentField& field) {
  node.only(kClusterKeys);
  field.kind = LigamentField::Kind::clusters;
  field.layout = file_of(node.at("layout"));
  if (const auto names = node.find("names")) field.names = file_of(*names);
  const JsonNode b = node.at("b");
  for (const auto& [name, value] : b.members()) field.cluster_b.emplace_back(name, not_negative(value, of_b));
  if (field.cluster_b.empty()) b.fail("names no cluster; give {\"cheek\": \"0.2 /mm\", \"*\": \"1 /mm\"}");
}

LigamentField read_field(const JsonNode& node, LigamentVariant variant, bool mesh_file) {
  const Dimension of_b = dimension_of_b(variant);
  LigamentField field;
  if (node.is_text() && node.text() == "mesh") {
    if (!mesh_file) node.fail("is the array b of a ready-made mesh.file, and none is named");
    field.kind = LigamentField::Kind::mesh;
    return field;
  }
  if (!node.is_object()) {
    field.uniform = not_negative(node, of_b);
    return field;
  }
  node.only(kFieldKeys);
  const auto sources = node.find("sources"), clusters = node.find("clusters"), nodal = node.find("nodal");
  if (sources.has_value() + clusters.has_value() + nodal.has_value() != 1)
    node.fail(
        "needs exactly one of \"sources\", \"clusters\" and \"nodal\"; or write one value, or \"mesh\"");
  for (const char* key : {"blend", "background"})
    if (const auto unused = node.find(key); unused && !sources) unused->fail("belongs to \"sources\"");
  if (sources) {
    field.kind = LigamentField::Kind::sources;
    field.sources = read_sources(*sources, of_b);
    if (const auto blend = node.find("blend")) field.blend = positive(*blend, dimension::length);
    if (const auto background = node.find("background")) field.background = not_negative(*background, of_b);
  }
  if (clusters) read_cluster_field(*clusters, of_b, field);
  if (nodal) field.kind = LigamentField::Kind::nodal, field.nodal = file_of(*nodal);
  return field;
}

/// `"penalty": "10 MPa/mm"` or {"per_scale": "500 /mm"}, and the "ramp" beside it.
PenaltyOptions read_penalty(const JsonNode& owner) {
  PenaltyOptions options;
  const auto penalty = owner.find("penalty");
  if (!penalty) {
    options.per_scale = kPenaltyPerScale;
  } else if (penalty->is_object()) {
    penalty->only(kPenaltyKeys);
    options.per_scale = positive(penalty->at("per_scale"), dimension::per_length);
  } else {
    options.absolute = positive(*penalty, dimension::stress_per_length);
  }
  if (const auto ramp = owner.find("ramp")) options.ramp = not_negative(*ramp, dimension::length);
  return options;
}

ColliderOptions read_collider(const JsonNode& node) {
  node.only(kColliderKeys);
  ColliderOptions collider;
  collider.name = node.at("name").text();
  if (collider.name.empty() || collider.name.find_first_of("./\\*") != std::string::npos)
    node.at("name").fail(
        "must not be empty or hold \".\", \"*\" or a slash: parameters and forces are called by it");
  if (const auto shape = node.find("shape"); shape && shape->text() != "sphere")
    shape->fail("colliders are spheres in this version: write \"sphere\" or leave it out");
  if (const auto radius = node.find("radius")) collider.radius = positive(*radius, dimension::length);
  collider.penalty = read_penalty(node);
  if (const auto friction = node.find("friction"))
    collider.friction = not_negative(*friction, dimension::none);
  if (const auto speed = node.find("slip_speed")) collider.slip_speed = positive(*speed, dimension::speed);
  collider.path = file_of(node.at("path"));
  return collider;
}

}  // namespace

LigamentOptions read_ligaments(const JsonNode& node, bool mesh_file) {
  node.only(kLigamentKeys);
  LigamentOptions ligaments;
  if (const auto variant = node.find("variant")) {
    const std::string name = variant->one_of({"smoothed", "quadratic", "seed"});
    ligaments.variant = name == "smoothed"    ? LigamentVariant::smoothed
                        : name == "quadratic" ? LigamentVariant::quadratic
                                              : LigamentVariant::seed;
  }
  const bool quadratic = ligaments.variant == LigamentVariant::quadratic;
  ligaments.stiffness =
      positive(node.at("stiffness"), quadratic ? dimension::stress_per_length : dimension::stress);
  if (const auto smoothing = node.find("smoothing")) {
    if (ligaments.variant != LigamentVariant::smoothed)
      smoothing->fail("belongs to \"variant\": \"smoothed\"; leave it out");
    ligaments.smoothing = positive(*smoothing, dimension::length);
  }
  ligaments.field = read_field(node.at("field"), ligaments.variant, mesh_file);
  return ligaments;
}

SkullOptions read_skull(const JsonNode& node) {
  node.only(kSkullKeys);
  SkullOptions skull;
  if (const auto kernel = node.find("kernel")) {
    const std::string name = kernel->one_of({"wendland", "seed", "r2_quartic"});
    skull.kernel = name == "wendland" ? ImlsKernel::wendland
                   : name == "seed"   ? ImlsKernel::seed
                                      : ImlsKernel::r2_quartic;
  }
  if (const auto radius = node.find("radius"); radius && !(radius->is_text() && radius->text() == "auto"))
    skull.radius = positive(*radius, dimension::length);
  skull.penalty = read_penalty(node);
  if (const auto gap = node.find("rest_gap"))
    skull.subtract_rest_gap = gap->one_of({"subtract", "seed"}) == "subtract";
  return skull;
}

std::vector<ColliderOptions> read_colliders(const JsonNode& node) {
  std::vector<ColliderOptions> colliders;
  for (const JsonNode& item : node.items()) {
    colliders.push_back(read_collider(item));
    for (std::size_t i = 0; i + 1 < colliders.size(); ++i)
      if (colliders[i].name == colliders.back().name)
        item.at("name").fail("two colliders are called \"" + colliders.back().name + "\"");
  }
  return colliders;
}

KeyLists shell_force_keys() {
  auto list = [](KeyList keys) { return std::vector<std::string>(keys.begin(), keys.end()); };
  return {{"ligaments", list(kLigamentKeys)},
          {"ligaments.field", list(kFieldKeys)},
          {"ligaments.field.sources[]", list(kSourceKeys)},
          {"ligaments.field.clusters", list(kClusterKeys)},
          {"skull", list(kSkullKeys)},
          {"skull.penalty", list(kPenaltyKeys)},
          {"colliders[]", list(kColliderKeys)},
          {"colliders[].penalty", list(kPenaltyKeys)}};
}

}  // namespace furrow
