// The scene and project half of describe.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/cli/describe.h"
#include "calibrate/project.h"
#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/field/layout.h"
#include "forward/mesh/tet_mesh_io.h"
#include "forward/scene_io.h"

namespace furrow::cli {
namespace fs = std::filesystem;
namespace {

/// Adds a part of a larger description, its lines set in.
void append(Description& whole, const std::string& title, const Description& part) {
  whole.lines.push_back(title);
  for (const std::string& line : part.lines) whole.lines.push_back("  " + line);
  whole.warnings.insert(whole.warnings.end(), part.warnings.begin(), part.warnings.end());
}

std::string gravity_text(const Vec3& g) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g}) m/s^2", g[0] / 1000, g[1] / 1000, g[2] / 1000);
}

/// A scene's files, read.
struct ReadScene {
  Scene scene;
  SurfaceMesh scan;
  std::vector<std::string> clusters;
  VectorXd young;  ///< per cluster [MPa]
  Description description;
};

std::vector<std::string> describe_clusters(ReadScene& read, const std::optional<TetMesh>& mesh) {
  const Tissue& tissue = read.scene.tissue;
  if (!tissue.clustered) return {"all"};
  Layout layout;
  if (!tissue.layout.empty())
    layout = read_layout(tissue.layout, tissue.names, read.scan.vertex_count());
  else if (!mesh || mesh->label.empty())
    throw InputError(
        read.scene.file.string() + ": tissue.clusters",
        "names no layout and the mesh carries no labels; add \"layout\", or one \"young\" in its place");
  else
    layout = layout_of_mesh(*mesh, tissue.names);
  return layout.names;
}

void check_groups(const std::vector<std::string>& wanted, const std::vector<std::string>& known,
                  const std::string& where) {
  for (const std::string& name : wanted)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string meant = suggestion(name, known);
      throw InputError(
          where, fmt::format("\"{}\" is no group of the boundary{}", name,
                             meant.empty() ? fmt::format("; it has {}", fmt::join(known, ", ")) : meant));
    }
}

/// Volume, bones or ready-made mesh; the names of the boundary's groups.
std::vector<std::string> describe_inside(ReadScene& read, std::optional<TetMesh>& mesh) {
  const Scene& scene = read.scene;
  Description& description = read.description;
  if (scene.tet.ready_made) {
    mesh = read_tet_mesh(scene.tet.ready_made->file, scene.tet.ready_made->unit);
    if (!scene.tet.fixed_nodes.empty()) read_index_list(scene.tet.fixed_nodes, mesh->node_count());
    append(description, "mesh " + scene.tet.ready_made->file.filename().string(), describe_tets(*mesh));
    return mesh->region_names;
  }
  for (const MeshFile& bone : scene.bones) {
    Description part = describe_surface(read_surface(bone.file, bone.unit), bone.file.string(), bone.unit);
    append(description, "bone " + bone.file.filename().string(), part);
  }
  if (!scene.volume) return {"skin", "bone"};
  const SurfaceMesh boundary = read_surface(scene.volume->mesh.file, scene.volume->mesh.unit);
  append(description, "volume " + scene.volume->mesh.file.filename().string(),
         describe_surface(boundary, scene.volume->mesh.file.string(), scene.volume->mesh.unit));
  check_groups(scene.volume->fixed, boundary.group_names, scene.file.string() + ": volume.fixed");
  return boundary.group_names;
}

ReadScene read_whole_scene(const fs::path& file, const PathRules& rules) {
  ReadScene read{read_scene(file, rules), {}, {}, {}, {"scene", {}, {}}};
  const Scene& scene = read.scene;
  read.description.warnings = scene_warnings(scene);
  if (scene.shell) {
    const Description shell = describe_shell(scene);
    read.description.lines = shell.lines;
    auto& warnings = read.description.warnings;
    warnings.insert(warnings.end(), shell.warnings.begin(), shell.warnings.end());
    if (!scene.gravity.isZero(0))
      read.description.lines.push_back(fmt::format("density {:.4g} kg/m^3, gravity {}", scene.density * 1e12,
                                                   gravity_text(scene.gravity)));
    return read;
  }
  read.scan = read_surface(scene.surface.file, scene.surface.unit, false);
  append(read.description, "surface " + scene.surface.file.filename().string(),
         describe_surface(read.scan, scene.surface.file.string(), scene.surface.unit));
  std::optional<TetMesh> mesh;
  std::vector<std::string> groups = describe_inside(read, mesh);
  groups.push_back("fixed");
  for (std::size_t i = 0; i < scene.boundary.size(); ++i)
    if (const std::string& nodes = scene.boundary[i].nodes; !nodes.empty() && scene.bones.empty())
      check_groups({nodes}, groups, fmt::format("{}: boundary[{}].nodes", scene.file.string(), i));
  read.clusters = describe_clusters(read, mesh);
  read.young = young_of_clusters(scene, read.clusters);
  std::vector<std::string> parts;
  for (std::size_t c = 0; c < read.clusters.size(); ++c)
    parts.push_back(fmt::format("{} {:.4g} kPa", read.clusters[c], 1000 * read.young[static_cast<int>(c)]));
  read.description.lines.push_back(fmt::format("{} clusters: {}", parts.size(), fmt::join(parts, ", ")));
  read.description.lines.push_back(fmt::format("Poisson's ratio {}, density {:.4g} kg/m^3, gravity {}",
                                               scene.tissue.poisson, scene.density * 1e12,
                                               gravity_text(scene.gravity)));
  for (const Pose& pose : scene.poses)
    read.description.lines.push_back(
        fmt::format("pose {}: gravity {}", pose.name, gravity_text(pose.gravity)));
  return read;
}

std::string observation_line(const MeshObservation& observation, const SurfaceMesh& scan) {
  const ObservationSource& source = observation.source;
  double sum = 0;
  for (int i = 0; i < scan.vertex_count(); ++i)
    if (observation.mask[i]) sum += (observation.points.row(i) - scan.vertices.row(i)).squaredNorm();
  return fmt::format("{} {}: {} vertices, gravity {}, sigma {}, {} frame, {:.3g} mm rms from the neutral",
                     source.use == Use::fit ? "fit" : "holdout", source.name, observation.count(),
                     gravity_text(source.gravity),
                     source.sigma ? fmt::format("{:.4g} mm", *source.sigma) : "auto",
                     source.frame == Frame::head ? "head" : "world", std::sqrt(sum / observation.count()));
}

std::string parameter_line(const ResolvedParameter& parameter) {
  const bool stress = parameter.name != "tissue.poisson";
  const double scale = stress ? 1000 : 1;
  const char* unit = stress ? " kPa" : "";
  if (parameter.fixed)
    return fmt::format("parameter {} fixed at {:.4g}{}", parameter.name, scale * parameter.start, unit);
  return fmt::format("parameter {} from {:.4g}{} in [{:.4g}, {:.4g}]{}", parameter.name,
                     scale * parameter.start, unit, scale * parameter.range[0], scale * parameter.range[1],
                     unit);
}

}  // namespace

Description describe_scene(const fs::path& file, const PathRules& rules) {
  return read_whole_scene(file, rules).description;
}

Description describe_project(const fs::path& file, const PathRules& rules) {
  const Project project = read_project(file, rules);
  Description description{"project", {}, {}};
  std::map<std::string, ReadScene> scenes;
  for (const auto& [name, scene] : project.scenes) {
    if (scene.shell)
      throw InputError(scene.file.string() + ": model",
                       "is \"shell\"; projects fit scenes of \"model\": \"tet\" in this version");
    const ReadScene& read = scenes[name] = read_whole_scene(scene.file, rules);
    append(description, fmt::format("scene {}", scene.file.filename().string()), read.description);
    for (const ResolvedParameter& parameter :
         resolve_parameters(project, read.clusters, read.young, scene.tissue.poisson))
      description.lines.push_back(parameter_line(parameter));
  }
  for (const ObservationSource& source : project.observations) {
    const SurfaceMesh& scan = scenes.at(source.scene).scan;
    description.lines.push_back(observation_line(load_observation(source, scan), scan));
  }
  for (const Stage& stage : project.stages)
    description.lines.push_back(fmt::format("stage {}: frees {} on {}", stage.name,
                                            fmt::join(stage.free, ", "),
                                            fmt::join(stage.observations, ", ")));
  if (project.validation_neutral) {
    const SurfaceMesh& scan = scenes.begin()->second.scan;
    const MeshFile& neutral = *project.validation_neutral;
    const auto count = read_surface(neutral.file, neutral.unit, false).vertex_count();
    if (count != scan.vertex_count())
      throw InputError(project.file.string() + ": validation.neutral",
                       fmt::format("{} has {} vertices and the scene's surface has {}", neutral.file.string(),
                                   count, scan.vertex_count()));
  }
  return description;
}

}  // namespace furrow::cli
