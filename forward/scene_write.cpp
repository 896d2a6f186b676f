// The writing half of scene_io.h, and what follows the files that a scene names.
#include <fmt/format.h>

#include <algorithm>

#include "forward/base/error.h"
#include "forward/scene_io.h"
#include "forward/scene_json.h"

namespace furrow {
namespace fs = std::filesystem;
namespace {

using Json = SceneJson;

Json mesh_json(const MeshFile& mesh, const RelativeTo& relative) {
  return {{"mesh", relative(mesh.file)}, {"unit", mesh.unit}};
}

Json tet_json(const TetOptions& tet, const RelativeTo& relative) {
  if (!tet.ready_made) return {{"size", format_quantity(tet.size, "mm")}, {"order", tet.order}};
  Json json = mesh_json(*tet.ready_made, relative);
  json["order"] = tet.order;
  if (!tet.fixed_nodes.empty()) json["fixed_nodes"] = relative(tet.fixed_nodes);
  return json;
}

Json tissue_json(const Tissue& tissue, const RelativeTo& relative) {
  Json json{{"law", tissue.law == Law::neo_hookean ? "neo-hookean" : "neo-hookean-isochoric"}};
  if (tissue.clustered) {
    Json& clusters = json["clusters"] = Json::object();
    if (!tissue.layout.empty()) clusters["layout"] = relative(tissue.layout);
    if (!tissue.names.empty()) clusters["names"] = relative(tissue.names);
    for (const auto& [name, value] : tissue.young) clusters["young"][name] = format_quantity(value, "kPa");
    if (!tissue.layout.empty()) clusters["blend"] = format_quantity(tissue.blend, "mm");
  } else {
    require(tissue.young.size() == 1, "a scene without clusters has one Young's modulus");
    json["young"] = format_quantity(tissue.young.begin()->second, "kPa");
  }
  json["poisson"] = tissue.poisson;
  return json;
}

Json boundary_json(const BoundaryCondition& condition, const RelativeTo& relative) {
  Json json = Json::object();
  if (!condition.nodes.empty()) json["nodes"] = condition.nodes;
  if (!condition.file.empty()) json["file"] = relative(condition.file);
  if (condition.box)
    json["box"] =
        Json::array({vector_json((*condition.box)[0], "mm"), vector_json((*condition.box)[1], "mm")});
  std::string axes;
  for (int axis = 0; axis < 3; ++axis)
    if (condition.fix[axis]) axes += "xyz"[axis];
  json["fix"] = axes;
  if (!condition.path.empty()) json["path"] = relative(condition.path);
  return json;
}

Json rest_json(const Scene& scene, const RelativeTo& relative) {
  if (scene.rest == RestShape::scan) return "scan";
  if (scene.rest == RestShape::inverse) return "inverse";
  return relative(scene.rest_file);
}

/// What lies under the scan, and of what it is made.
void add_tet_json(Json& json, const Scene& scene, const RelativeTo& relative) {
  json["surface"] = mesh_json(scene.surface, relative);
  for (const MeshFile& bone : scene.bones) json["bones"].push_back(mesh_json(bone, relative));
  if (scene.volume) {
    json["volume"] = mesh_json(scene.volume->mesh, relative);
    json["volume"]["fixed"] = scene.volume->fixed;
  }
  json["tet"] = tet_json(scene.tet, relative);
  json["tissue"] = tissue_json(scene.tissue, relative);
}

Json solver_json(const Scene& scene) {
  const SolverOptions& solver = scene.solver;
  Json json{{"method", solver.method}};
  if (!scene.shell)
    json["tolerance"] = solver.tolerance;
  else
    json["tolerance"] = solver.force_tolerance > 0 ? format_quantity(solver.force_tolerance, "N") : "auto";
  json["max_iterations"] = solver.max_iterations;
  if (!scene.shell) json["inversion_thresholding"] = solver.inversion_thresholding;
  return json;
}

/// Calls visit(path) for every file that the scene names; visit may change it.
template <class SceneType, class Visit>
void for_each_file(SceneType& scene, Visit visit) {
  auto maybe = [&](auto& path) {
    if (!path.empty()) visit(path);
  };
  maybe(scene.surface.file);
  for (auto& bone : scene.bones) maybe(bone.file);
  if (scene.volume) maybe(scene.volume->mesh.file);
  if (scene.tet.ready_made) maybe(scene.tet.ready_made->file);
  maybe(scene.tet.fixed_nodes);
  maybe(scene.tissue.layout);
  maybe(scene.tissue.names);
  maybe(scene.rest_file);
  for (auto& condition : scene.boundary) maybe(condition.file), maybe(condition.path);
  if (!scene.shell) return;
  maybe(scene.shell->mesh.file);
  if (scene.shell->ligaments) {
    auto& field = scene.shell->ligaments->field;
    maybe(field.layout), maybe(field.names), maybe(field.nodal);
  }
  for (auto& collider : scene.shell->colliders) maybe(collider.path);
}

/// TetGen keeps a mesh in two files of which a scene names one.
std::vector<fs::path> with_companions(const fs::path& file) {
  std::vector<fs::path> files{file};
  for (const char* extension : {".node", ".ele"})
    if (file.extension() == ".node" || file.extension() == ".ele")
      if (fs::path other = fs::path(file).replace_extension(extension); other != file && fs::exists(other))
        files.push_back(other);
  return files;
}

void copy_completely(const fs::path& from, const fs::path& to) {
  const fs::path part = to.string() + ".part";
  fs::copy_file(from, part, fs::copy_options::overwrite_existing);
  fs::rename(part, to);
}

}  // namespace

void write_scene(const fs::path& file, const Scene& scene) {
  const RelativeTo relative(file);
  Json json{{"furrow", 1}, {"model", scene.shell ? "shell" : "tet"}};
  if (scene.shell)
    add_shell_json(json, *scene.shell, relative);
  else
    add_tet_json(json, scene, relative);
  json["density"] = format_quantity(scene.density, "kg/m^3");
  json["gravity"] = vector_json(scene.gravity, "m/s^2");
  if (!scene.shell) json["rest"] = rest_json(scene, relative);
  for (const BoundaryCondition& condition : scene.boundary)
    json["boundary"].push_back(boundary_json(condition, relative));
  for (const Pose& pose : scene.poses)
    json["poses"].push_back({{"name", pose.name}, {"gravity", vector_json(pose.gravity, "m/s^2")}});
  json["solver"] = solver_json(scene);
  write_json(file, json);
}

Scene gather_files(const Scene& scene, const fs::path& folder) {
  fs::create_directories(folder);
  const fs::path target = fs::canonical(folder);
  std::map<fs::path, fs::path> copies;  // source -> copy
  auto taken = [&](const fs::path& copy) {
    return std::any_of(copies.begin(), copies.end(), [&](const auto& pair) { return pair.second == copy; });
  };
  Scene gathered = scene;
  for_each_file(gathered, [&](fs::path& file) {
    if (const auto known = copies.find(file); known != copies.end()) {
      file = known->second;
      return;
    }
    fs::path copy = target / file.filename();
    for (int i = 2; taken(copy); ++i)
      copy = target / fmt::format("{}-{}{}", file.stem().string(), i, file.extension().string());
    for (const fs::path& part : with_companions(file)) {
      const fs::path to = fs::path(copy).replace_extension(part.extension());
      if (!fs::exists(to) || !fs::equivalent(part, to)) copy_completely(part, to);
    }
    copies[file] = copy;
    file = copy;
  });
  return gathered;
}

std::vector<fs::path> scene_files(const Scene& scene) {
  std::vector<fs::path> files;
  for_each_file(scene, [&](const fs::path& file) {
    for (const fs::path& part : with_companions(file))
      if (std::find(files.begin(), files.end(), part) == files.end()) files.push_back(part);
  });
  return files;
}

}  // namespace furrow
