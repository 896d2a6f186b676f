#include "calibrate/export/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "calibrate/export/calculix.h"
#include "forward/base/error.h"
#include "forward/base/json_file.h"
#include "forward/base/mesh_io.h"
#include "forward/mesh/tet_mesh_io.h"
#include "forward/output/gltf.h"
#include "forward/output/point_cache.h"
#include "forward/scene_io.h"

namespace furrow {

namespace fs = std::filesystem;

namespace {

/// What the writers share.
struct Job {
  fs::path fit, folder;
  TetModel model;
  Simulation simulation;
  Export& result;

  const std::vector<SimulatedPose>& poses() const { return simulation.poses; }
  Positions skin(const SimulatedPose& pose) const { return model.scan_positions(pose.equilibrium.x); }
  fs::path file(const fs::path& name) {
    fs::create_directories((folder / name).parent_path());
    result.files.push_back(folder / name);
    return folder / name;
  }
};

void write_scene_copy(Job& job) {
  const fs::path file = job.file("scene/scene.json");
  Scene scene = read_scene(job.fit / "scene.json");
  scene = gather_files(scene, file.parent_path());
  write_scene(file, scene);
}

void write_vtus(Job& job) {
  TetMesh rest = job.model.mesh;
  rest.nodes = job.simulation.X;
  const VectorXd young = 1000 * job.model.compiled->young_per_element(job.model.theta());
  for (const SimulatedPose& pose : job.poses())
    write_tet_mesh(job.file("vtu/" + pose.pose.name + ".vtu"), rest,
                   {{{"displacement", pose.equilibrium.x - job.simulation.X}}, {{"young_kPa", young}}});
}

void write_glb(Job& job) {
  if (job.model.scan.triangle_count() == 0)
    throw InputError(job.model.scene.surface.file.string(),
                     "has no triangles, so there is no glTF of it; leave gltf out");
  GltfScene gltf;
  gltf.name = "head";
  gltf.mesh = job.model.scan;
  const fs::path errors = job.fit / "validation" / "mean_error.ply";
  if (fs::exists(errors)) {
    const SurfaceMesh coloured = read_surface(errors);
    if (coloured.vertex_count() == gltf.mesh.vertex_count()) gltf.mesh.colours = coloured.colours;
  }
  for (const SimulatedPose& pose : job.poses()) {
    if (pose.pose.name == "neutral")
      gltf.mesh.vertices = job.skin(pose);
    else
      gltf.poses.push_back({pose.pose.name, job.skin(pose)});
  }
  write_gltf(job.file("head.glb"), gltf);
}

SurfaceMesh surface_at(const Job& job, const SimulatedPose& pose) {
  SurfaceMesh surface = job.model.scan;
  surface.vertices = job.skin(pose);
  return surface;
}

void write_objs(Job& job) {
  for (const SimulatedPose& pose : job.poses())
    write_surface(job.file("obj/" + pose.pose.name + ".obj"), surface_at(job, pose));
}

void write_cache(Job& job) {
  std::vector<Positions> frames;
  std::string order;
  for (const SimulatedPose& pose : job.poses()) {
    frames.push_back(job.skin(pose));
    order += (order.empty() ? "" : ", ") + pose.pose.name;
  }
  write_surface(job.file("pc2/head.obj"), surface_at(job, job.poses().front()));
  write_point_cache(job.file("pc2/head.pc2"), frames);
  job.result.notes.push_back("frames of head.pc2: " + order);
}

void write_decks(Job& job) {
  TetMesh rest = job.model.mesh;
  rest.nodes = job.simulation.X;
  const TissueTheta theta = job.model.theta();
  for (const SimulatedPose& pose : job.poses())
    write_calculix(job.file("calculix/" + pose.pose.name + ".inp"), rest,
                   job.model.compiled->young_per_element(theta),
                   {theta.poisson, theta.density, pose.pose.gravity}, job.model.fixed);
  if (job.model.scene.tissue.law != Law::neo_hookean_isochoric)
    job.result.notes.push_back(
        "CalculiX's NEO HOOKE is the isochoric form (law neo-hookean-isochoric); it equals this scene's law "
        "at small strain only");
}

using Writer = void (*)(Job&);
const std::vector<std::pair<std::string, Writer>>& writers() {
  static const std::vector<std::pair<std::string, Writer>> all{
      {"scene", write_scene_copy}, {"vtu", write_vtus},  {"gltf", write_glb},
      {"obj", write_objs},         {"pc2", write_cache}, {"calculix", write_decks}};
  return all;
}

/// The scene with the neutral as first pose.
Scene scene_to_export(const fs::path& fit) {
  if (!fs::exists(fit / "scene.json"))
    throw InputError(fit.string(),
                     "holds no calibrated scene (scene.json is missing); run `furrow fit` to its end first");
  Scene scene = read_scene(fit / "scene.json");
  const bool has_neutral = std::any_of(scene.poses.begin(), scene.poses.end(),
                                       [](const Pose& pose) { return pose.name == "neutral"; });
  if (!has_neutral) scene.poses.insert(scene.poses.begin(), {"neutral", scene.gravity});
  return scene;
}

void keep_solved_poses(Job& job) {
  job.result.failure = job.simulation.failure;
  std::erase_if(job.simulation.poses,
                [](const SimulatedPose& pose) { return pose.equilibrium.failure != SolveFailure::none; });
}

void write_list(Job& job, const std::set<std::string>& formats) {
  nlohmann::ordered_json list{
      {"furrow", 1}, {"unit", "mm (head.glb: m)"}, {"frame", "head"}, {"formats", formats}};
  list["poses"] = nlohmann::ordered_json::array();
  for (const SimulatedPose& pose : job.poses()) list["poses"].push_back(pose.pose.name);
  list["files"] = nlohmann::ordered_json::array();
  for (const fs::path& file : job.result.files)
    list["files"].push_back(file.lexically_relative(job.folder).generic_string());
  list["notes"] = job.result.notes;
  if (!job.result.failure.empty()) list["failure"] = job.result.failure;
  write_json(job.folder / "export.json", list);
}

}  // namespace

const std::vector<std::string>& export_formats() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const auto& [name, writer] : writers()) out.push_back(name);
    return out;
  }();
  return names;
}

std::set<std::string> parse_formats(const std::string& list) {
  std::set<std::string> formats;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    const auto& known = export_formats();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string meant = suggestion(name, known);
      throw InputError(
          "--to " + list,
          fmt::format("\"{}\" is no format{}", name,
                      meant.empty() ? fmt::format("; there are {}", fmt::join(known, ", ")) : meant));
    }
    formats.insert(name);
  }
  if (formats.empty())
    throw InputError("--to", fmt::format("names no format; there are {}", fmt::join(export_formats(), ", ")));
  return formats;
}

Export export_fit(const fs::path& fit, const fs::path& folder, const std::set<std::string>& formats,
                  const SimulationProgress& progress) {
  Export result;
  Job job{fit, folder, build_tet_model(scene_to_export(fit)), {}, result};
  job.simulation = simulate(job.model, progress);
  keep_solved_poses(job);
  if (job.poses().empty()) return result;
  fs::create_directories(folder);
  for (const auto& [name, writer] : writers())
    if (formats.count(name)) writer(job);
  write_list(job, formats);
  return result;
}

}  // namespace furrow
