#include "forward/scene_io.h"

#include <fmt/format.h>

#include <algorithm>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/scene_nodes.h"
#include "forward/shell_scene_io.h"

namespace furrow {
namespace fs = std::filesystem;
namespace {

constexpr KeyList kRootKeys{"$schema", "furrow",  "model",   "surface", "bones",    "volume", "tet",
                            "tissue",  "density", "gravity", "rest",    "boundary", "poses",  "solver"};
constexpr KeyList kShellRootKeys{"$schema",   "furrow",   "model",      "mesh",      "layers",
                                 "density",   "gravity",  "volumetric", "ligaments", "skull",
                                 "colliders", "boundary", "time",       "solver"};
/// Keys of one model only, which the other's reader points to.
constexpr KeyList kTetOnly{"bones", "volume", "tet", "tissue", "rest", "poses"};
constexpr KeyList kShellOnly{"mesh", "layers", "volumetric", "ligaments", "skull", "colliders", "time"};
constexpr KeyList kMeshKeys{"mesh", "unit"};
constexpr KeyList kVolumeKeys{"mesh", "unit", "fixed"};
constexpr KeyList kTetKeys{"size", "order", "mesh", "unit", "fixed_nodes"};
constexpr KeyList kTissueKeys{"law", "clusters", "young", "poisson"};
constexpr KeyList kClusterKeys{"layout", "names", "young", "blend"};
constexpr KeyList kBoundaryKeys{"nodes", "file", "box", "fix"};
constexpr KeyList kShellBoundaryKeys{"nodes", "file", "box", "fix", "path"};
constexpr KeyList kPoseKeys{"name", "gravity"};
constexpr KeyList kSolverKeys{"method", "tolerance", "max_iterations", "inversion_thresholding"};
constexpr KeyList kShellSolverKeys{"method", "tolerance", "max_iterations"};

/// `fallback` empty: the unit must be stated.
MeshFile read_mesh_file(const JsonNode& node, const std::string& fallback) {
  MeshFile mesh;
  mesh.file = file_of(node.at("mesh"));
  if (const auto unit = node.find("unit"))
    mesh.unit = unit->one_of({"mm", "cm", "m"});
  else if (fallback.empty())
    node.fail("mesh files carry no unit: add \"unit\": \"mm\" (or \"cm\", \"m\")");
  else
    mesh.unit = fallback;
  return mesh;
}

/// Returns the model; its keys are checked.
std::string read_format_and_model(const JsonNode& root) {
  if (!root.is_object()) root.fail("a scene is a JSON object: { \"furrow\": 1, \"model\": \"tet\", ... }");
  if (root.at("furrow").integer() != 1)
    root.at("furrow").fail("is a format version that this furrow does not read; write 1");
  const std::string model = root.at("model").one_of({"tet", "shell"});
  const std::string other = model == "tet" ? "shell" : "tet";
  for (const char* key : model == "tet" ? kShellOnly : kTetOnly)
    if (const auto found = root.find(key))
      found->fail("belongs to \"model\": \"" + other + "\", and this scene is of \"model\": \"" + model +
                  "\"");
  if (const auto surface = root.find("surface"); surface && model == "shell")
    surface->fail(
        "a shell's surface is the outer side of its mesh; meshing a scanned surface is not part of this "
        "version: "
        "leave it out and use mesh.patch or mesh.file");
  root.only(model == "tet" ? kRootKeys : kShellRootKeys);
  return model;
}

MeshFile read_scan(const JsonNode& node) {
  if (const auto region = node.find("region"))
    region->fail("meshing part of a scan is not part of this version; leave it out: the whole scan is used");
  node.only(kMeshKeys);
  return read_mesh_file(node, "");
}

VolumeSource read_volume(const JsonNode& node, const std::string& unit) {
  node.only(kVolumeKeys);
  VolumeSource volume{read_mesh_file(node, unit), {}};
  for (const JsonNode& group : node.at("fixed").items()) volume.fixed.push_back(group.text());
  return volume;
}

TetOptions read_tet(const JsonNode& node, const std::string& unit) {
  node.only(kTetKeys);
  TetOptions tet;
  if (node.find("mesh")) {
    tet.ready_made = read_mesh_file(node, unit);
    if (const auto size = node.find("size"))
      size->fail("has no effect beside \"mesh\", a ready-made mesh; leave one of the two out");
  } else if (const auto unused = node.find("unit")) {
    unused->fail("belongs to a ready-made \"mesh\", and none is named");
  }
  if (const auto size = node.find("size")) tet.size = positive(*size, dimension::length);
  if (const auto order = node.find("order")) {
    tet.order = order->integer();
    if (tet.order != 1 && tet.order != 2) order->fail("must be 1 (linear) or 2 (quadratic)");
  }
  if (const auto fixed = node.find("fixed_nodes")) {
    if (!tet.ready_made)
      fixed->fail("numbers the nodes of a ready-made \"mesh\", and none is named; use \"boundary\"");
    tet.fixed_nodes = file_of(*fixed);
  }
  return tet;
}

/// What fills the scan: a ready-made mesh, a closed boundary with groups, or the space between the scan and
/// bones.
void read_inside(const JsonNode& root, Scene& scene) {
  const std::string unit = scene.surface.unit;
  if (const auto tet = root.find("tet")) scene.tet = read_tet(*tet, unit);
  const auto bones = root.find("bones");
  const auto volume = root.find("volume");
  if (bones)
    for (const JsonNode& bone : bones->items()) {
      bone.only(kMeshKeys);
      scene.bones.push_back(read_mesh_file(bone, unit));
    }
  if (volume) scene.volume = read_volume(*volume, unit);

  if (scene.tet.ready_made && (bones || volume))
    (bones ? *bones : *volume)
        .fail("has no effect beside tet.mesh, a ready-made mesh; leave one of the two out");
  if (bones && volume)
    volume->fail(
        "has no effect beside \"bones\"; give bones inside a closed skin, or one closed volume with groups");
  if (!scene.tet.ready_made && !volume && scene.bones.empty())
    root.fail(
        "nothing says what lies under the surface: give \"bones\", a closed \"volume\" with its fixed "
        "groups, or tet.mesh");
}

std::map<std::string, double> read_young(const JsonNode& node) {
  if (!node.is_object()) return {{"*", positive(node, dimension::stress)}};
  std::map<std::string, double> young;
  for (const auto& [name, value] : node.members()) young[name] = positive(value, dimension::stress);
  if (young.empty()) node.fail("names no cluster; give {\"nose\": \"3 kPa\", \"*\": \"5 kPa\"}");
  return young;
}

void read_clusters(const JsonNode& node, const Scene& scene, Tissue& tissue) {
  node.only(kClusterKeys);
  if (const auto layout = node.find("layout"))
    tissue.layout = file_of(*layout);
  else if (!scene.tet.ready_made)
    node.fail("needs \"layout\", a file with one label a vertex of the surface");
  if (const auto names = node.find("names")) tissue.names = file_of(*names);
  tissue.young = read_young(node.at("young"));
  if (const auto blend = node.find("blend")) {
    tissue.blend = blend->quantity(dimension::length);
    if (tissue.blend < 0) blend->fail("is a width and cannot be negative");
    if (tissue.layout.empty() && tissue.blend > 0)
      blend->fail("blends a layout's borders, and no \"layout\" is given");
  }
}

Tissue read_tissue(const JsonNode& node, const Scene& scene) {
  node.only(kTissueKeys);
  Tissue tissue;
  if (const auto law = node.find("law"))
    tissue.law = law->one_of({"neo-hookean", "neo-hookean-isochoric"}) == "neo-hookean"
                     ? Law::neo_hookean
                     : Law::neo_hookean_isochoric;
  const auto clusters = node.find("clusters");
  const auto young = node.find("young");
  if (clusters && young)
    young->fail("is the stiffness of one cluster, and \"clusters\" has its own; leave one of the two out");
  if (!clusters && !young)
    node.fail("needs \"young\": \"5 kPa\", or \"clusters\" with a layout and a value for each");
  tissue.clustered = clusters.has_value();
  if (clusters) read_clusters(*clusters, scene, tissue);
  if (young) {
    if (young->is_object()) young->fail("is one quantity; values by name belong into \"clusters\"");
    tissue.young = read_young(*young);
  }
  if (const auto poisson = node.find("poisson")) {
    tissue.poisson = poisson->number();
    if (!(tissue.poisson > -1 && tissue.poisson < 0.5))
      poisson->fail(
          "must lie between -1 and 0.5 (0.5 is incompressible and has no finite bulk modulus); try 0.47");
  }
  return tissue;
}

std::array<bool, 3> read_axes(const JsonNode& node) {
  std::array<bool, 3> fix{false, false, false};
  const std::string text = node.text();
  for (const char c : text) {
    if (c < 'x' || c > 'z' || fix[c - 'x']) node.fail("must hold some of the letters x, y and z, each once");
    fix[c - 'x'] = true;
  }
  if (text.empty()) node.fail("must hold some of the letters x, y and z");
  return fix;
}

/// Tetrahedra name a group of the boundary, shells a side of the skin.
std::string read_node_set(const JsonNode& node, const Scene& scene) {
  if (!scene.shell) {
    if (node.text().empty()) node.fail("is empty; name a boundary group such as \"wall\"");
    return node.text();
  }
  const std::string name = node.one_of({"rim", "inner", "outer", "fixed"});
  if (name == "fixed" && scene.shell->mesh.file.empty())
    node.fail("are the nodes that a ready-made mesh.file calls fixed, and none is named");
  return name;
}

BoundaryCondition read_boundary(const JsonNode& node, const Scene& scene) {
  node.only(scene.shell ? kShellBoundaryKeys : kBoundaryKeys);
  BoundaryCondition condition;
  condition.fix = read_axes(node.at("fix"));
  const auto nodes = node.find("nodes"), file = node.find("file"), box = node.find("box");
  if (nodes.has_value() + file.has_value() + box.has_value() != 1)
    node.fail(
        "needs exactly one of \"nodes\" (a group's name), \"file\" (a list of node indices) and \"box\"");
  if (nodes) condition.nodes = read_node_set(*nodes, scene);
  if (const auto path = node.find("path")) condition.path = file_of(*path);
  if (file) condition.file = file_of(*file);
  if (box) {
    const auto corners = box->items();
    if (corners.size() != 2)
      box->fail("must be two corners, [[x, y, z], [x, y, z]], each a length such as \"10 mm\"");
    condition.box = {corners[0].vector(dimension::length), corners[1].vector(dimension::length)};
    if (((*condition.box)[1] - (*condition.box)[0]).minCoeff() < 0)
      box->fail("has its corners the wrong way round: the smaller coordinates come first");
  }
  return condition;
}

constexpr std::array<std::string_view, 3> kGravityColumns{"gx", "gy", "gz"};

/// poses.csv: frame,gx,gy,gz, gravity in m/s^2.
std::vector<Pose> read_pose_table(const JsonNode& node) {
  const fs::path file = file_of(node);
  const CsvTable table = read_csv(file, true);
  std::array<int, 3> column{-1, -1, -1};
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto axis = std::find(kGravityColumns.begin(), kGravityColumns.end(), table.columns[i]);
    if (axis == kGravityColumns.end())
      throw InputError(file.string(),
                       "unknown column \"" + table.columns[i] + "\"; the header must be frame,gx,gy,gz");
    column[axis - kGravityColumns.begin()] = static_cast<int>(i);
  }
  for (const int c : column)
    if (c < 0) throw InputError(file.string(), "a column of frame,gx,gy,gz is missing");
  std::vector<Pose> poses;
  for (int row = 0; row < table.values.rows(); ++row) {
    Vec3 g;
    for (int axis = 0; axis < 3; ++axis) g[axis] = 1000 * table.values(row, column[axis]);  // m/s^2 to mm/s^2
    const std::string where = file.string() + ": frame " + table.labels[row];
    if (!g.allFinite()) throw InputError(where, "gravity has an empty or infinite component");
    if (g.isZero(0))
      throw InputError(where, "gravity is zero; give the direction in which things fall in this pose");
    poses.push_back({table.labels[row], g});
  }
  return poses;
}

std::vector<Pose> read_poses(const JsonNode& node) {
  std::vector<Pose> poses;
  if (node.is_array()) {
    for (const JsonNode& item : node.items()) {
      item.only(kPoseKeys);
      poses.push_back({item.at("name").text(), read_gravity(item.at("gravity"))});
    }
  } else {
    poses = read_pose_table(node);
  }
  if (poses.empty()) node.fail("holds no pose; leave the key out to compute the scene's own gravity");
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const std::string& name = poses[i].name;
    if (name.empty() || name.find_first_of("/\\") != std::string::npos || name[0] == '.')
      node.fail("\"" + name +
                "\" names the files of a pose: it must not be empty, start with a dot or hold a slash");
    for (std::size_t j = 0; j < i; ++j)
      if (poses[j].name == name) node.fail("two poses are called \"" + name + "\"");
  }
  return poses;
}

/// Relative for tetrahedra, a force for shells.
void read_tolerance(const JsonNode& node, bool shell, SolverOptions& solver) {
  if (node.is_text() && node.text() == "auto") return;
  if (shell) {
    solver.force_tolerance = positive(node, dimension::force);
    return;
  }
  solver.tolerance = node.number();
  if (!(solver.tolerance > 0 && solver.tolerance < 1)) node.fail("must be \"auto\" or lie between 0 and 1");
}

SolverOptions read_solver(const JsonNode& node, bool shell) {
  if (const auto thresholding = node.find("inversion_thresholding"); shell && thresholding)
    thresholding->fail("belongs to \"model\": \"tet\"");
  node.only(shell ? kShellSolverKeys : kSolverKeys);
  SolverOptions solver;
  if (const auto method = node.find("method"))
    solver.method = shell ? method->one_of({"auto", "newton", "lbfgs", "pcg"})
                          : method->one_of({"auto", "newton", "lbfgs"});
  if (const auto tolerance = node.find("tolerance")) read_tolerance(*tolerance, shell, solver);
  if (const auto limit = node.find("max_iterations")) {
    solver.max_iterations = limit->integer();
    if (solver.max_iterations < 1) limit->fail("must be at least 1");
  }
  if (const auto thresholding = node.find("inversion_thresholding"))
    solver.inversion_thresholding = thresholding->boolean();
  return solver;
}

void read_rest(const JsonNode& node, Scene& scene) {
  const std::string text = node.text();
  scene.rest = text == "scan" ? RestShape::scan : text == "inverse" ? RestShape::inverse : RestShape::file;
  if (scene.rest != RestShape::file) return;
  if (text.find('.') == std::string::npos)
    node.fail("must be \"scan\", \"inverse\" or a mesh file such as \"rest.vtu\"");
  scene.rest_file = file_of(node);
}

void read_tet_half(const JsonNode& root, Scene& scene) {
  scene.surface = read_scan(root.at("surface"));
  read_inside(root, scene);
  scene.tissue = read_tissue(root.at("tissue"), scene);
  if (const auto gravity = root.find("gravity")) scene.gravity = read_gravity(*gravity);
  if (const auto rest = root.find("rest")) read_rest(*rest, scene);
  if (const auto poses = root.find("poses")) scene.poses = read_poses(*poses);
}

/// Gravity is none where none is given: a patch of skin says nothing about the way things fall.
void read_shell_half(const JsonNode& root, Scene& scene) {
  scene.shell = read_shell(root);
  const auto gravity = root.find("gravity");
  scene.gravity = gravity ? gravity->vector(dimension::acceleration) : Vec3::Zero();
}

}  // namespace

Vec3 read_gravity(const JsonNode& node) {
  const Vec3 g = node.vector(dimension::acceleration);
  if (g.isZero(0))
    node.fail(
        "is zero; give the direction in which things fall, e.g. [\"0 m/s^2\", \"-9.81 m/s^2\", \"0 m/s^2\"]");
  return g;
}

Scene read_scene(const fs::path& file, const PathRules& rules) {
  const JsonNode root = JsonNode::read(file, rules);
  Scene scene;
  scene.model = read_format_and_model(root);
  scene.file = fs::absolute(file).lexically_normal();
  if (scene.model == "shell")
    read_shell_half(root, scene);
  else
    read_tet_half(root, scene);
  if (const auto density = root.find("density")) scene.density = positive(*density, dimension::density);
  if (const auto boundary = root.find("boundary"))
    for (const JsonNode& item : boundary->items()) scene.boundary.push_back(read_boundary(item, scene));
  if (const auto solver = root.find("solver")) scene.solver = read_solver(*solver, scene.shell.has_value());
  if (scene.shell) check_shell_scene(root, scene);
  return scene;
}

std::vector<std::string> scene_warnings(const Scene& scene) {
  std::vector<std::string> warnings;
  const std::string name = scene.file.filename().string();
  if (scene.shell) warnings = shell_warnings(scene);
  if (!scene.shell && scene.tet.order == 1 && scene.tissue.poisson > 0.4)
    warnings.push_back(
        fmt::format("{}: tet.order: linear tetrahedra are too stiff (they lock) at a Poisson's ratio of {}; "
                    "order 2 is the default for this reason",
                    name, scene.tissue.poisson));
  auto check_gravity = [&](const Vec3& g, const std::string& key) {
    if (const double m = g.norm() / 1000; m < 9.7 || m > 9.9)
      warnings.push_back(
          fmt::format("{}: {}: {:.4g} m/s^2 is not the Earth's gravity (9.81 m/s^2)", name, key, m));
  };
  if (!scene.shell || !scene.gravity.isZero(0)) check_gravity(scene.gravity, "gravity");
  for (const Pose& pose : scene.poses) check_gravity(pose.gravity, "poses: " + pose.name);
  return warnings;
}

std::string size_warning(const Positions& vertices, const std::string& name, const std::string& unit) {
  if (vertices.rows() == 0) return {};
  const double extent = (vertices.colwise().maxCoeff() - vertices.colwise().minCoeff()).maxCoeff();
  if (extent >= 100 && extent <= 400) return {};
  std::string advice = "check the unit";
  const double number = convert_to(extent, unit);  // as the file has it
  for (const char* other : {"mm", "cm", "m"}) {
    const double as_other = number / convert_to(1.0, other);
    if (as_other >= 100 && as_other <= 400)
      advice = fmt::format("its numbers look like {0}: \"unit\": \"{0}\"", other);
  }
  return fmt::format("{}: {:.4g} mm in its largest extent, where a head has 100-400 mm; {}", name, extent,
                     advice);
}

VectorXd young_of_clusters(const Scene& scene, const std::vector<std::string>& clusters) {
  const auto& young = scene.tissue.young;
  const std::string where = scene.file.string() + ": tissue.clusters.young";
  for (const auto& [name, value] : young)
    if (name != "*" && std::find(clusters.begin(), clusters.end(), name) == clusters.end()) {
      const std::string meant = suggestion(name, clusters);
      throw InputError(where + "." + name,
                       "the layout has no cluster of this name" +
                           (meant.empty() ? fmt::format("; it has {}", fmt::join(clusters, ", ")) : meant));
    }
  VectorXd values(static_cast<int>(clusters.size()));
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    auto found = young.find(clusters[c]);
    if (found == young.end()) found = young.find("*");
    if (found == young.end())
      throw InputError(where,
                       "has no value for cluster \"" + clusters[c] + "\"; add it, or \"*\" for all others");
    values[static_cast<int>(c)] = found->second;
  }
  return values;
}

std::map<std::string, std::vector<std::string>> scene_keys() {
  auto list = [](KeyList keys) { return std::vector<std::string>(keys.begin(), keys.end()); };
  KeyLists keys = shell_keys();
  keys.insert({{"", list(kRootKeys)},
               {"surface", list(kMeshKeys)},
               {"bones[]", list(kMeshKeys)},
               {"volume", list(kVolumeKeys)},
               {"tet", list(kTetKeys)},
               {"tissue", list(kTissueKeys)},
               {"tissue.clusters", list(kClusterKeys)},
               {"boundary[]", list(kShellBoundaryKeys)},
               {"poses[]", list(kPoseKeys)},
               {"solver", list(kSolverKeys)}});
  auto& root = keys[""];
  root.insert(root.end(), kShellOnly.begin(), kShellOnly.end());
  return keys;
}

}  // namespace furrow
