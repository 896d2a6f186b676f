#include "forward/tet_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/mesh/tet_mesh_io.h"
#include "forward/mesh/tetgen_mesher.h"
#include "forward/scene_io.h"

namespace furrow {

int TetModel::cluster(const std::string& name) const {
  const auto found = std::find(layout.names.begin(), layout.names.end(), name);
  require(found != layout.names.end(), "TetModel::cluster: unknown name");
  return static_cast<int>(found - layout.names.begin());
}

namespace {

std::string short_name(const std::filesystem::path& file) {
  return file.filename().string();
}

TetMesh at_order(TetMesh mesh, int order) {
  if (mesh.order == order) return mesh;
  if (order == 2) return elevate_order(mesh);
  // order 1 of a quadratic mesh: the corners alone; mid-edge nodes would be left without elements
  std::vector<int> number(mesh.node_count(), -1);
  TetMesh linear;
  linear.order = 1;
  linear.label = mesh.label;
  linear.region_names = mesh.region_names;
  linear.elements.resize(mesh.element_count(), 4);
  std::vector<int> kept;
  for (int e = 0; e < mesh.element_count(); ++e)
    for (int a = 0; a < 4; ++a) number[mesh.elements(e, a)] = 0;
  for (int i = 0; i < mesh.node_count(); ++i)
    if (number[i] == 0) {
      number[i] = static_cast<int>(kept.size());
      kept.push_back(i);
    }
  linear.nodes.resize(kept.size(), 3);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    linear.nodes.row(k) = mesh.nodes.row(kept[k]);
    if (!mesh.fixed.empty()) linear.fixed.push_back(mesh.fixed[kept[k]]);
    if (!mesh.region.empty()) linear.region.push_back(mesh.region[kept[k]]);
  }
  for (int e = 0; e < mesh.element_count(); ++e)
    for (int a = 0; a < 4; ++a) linear.elements(e, a) = number[mesh.elements(e, a)];
  return linear;
}

TetMesh ready_made_mesh(const Scene& scene) {
  TetMesh mesh = read_tet_mesh(scene.tet.ready_made->file, scene.tet.ready_made->unit);
  if (!scene.tet.fixed_nodes.empty()) {
    mesh.fixed.assign(mesh.node_count(), false);
    for (const int node : read_index_list(scene.tet.fixed_nodes, mesh.node_count())) mesh.fixed[node] = true;
  }
  return at_order(std::move(mesh), scene.tet.order);
}

TetMesh make_mesh(const Scene& scene, const SurfaceMesh& scan, double size_factor, Repairs& repairs) {
  if (scene.tet.ready_made) return ready_made_mesh(scene);
  const TetgenOptions options{.size = scene.tet.size * size_factor, .order = scene.tet.order};
  if (scene.volume)
    return mesh_closed_surface(read_surface(scene.volume->mesh.file, scene.volume->mesh.unit),
                               scene.volume->mesh.file.string(), scene.volume->fixed, options, repairs);
  std::vector<NamedSurface> bones;
  for (const MeshFile& bone : scene.bones)
    bones.push_back({bone.file.string(), read_surface(bone.file, bone.unit)});
  if (bones.empty())
    throw InputError(scene.file.string(),
                     "there is nothing to mesh between: give bones, a volume, or a ready-made tet.mesh");
  return mesh_between({scene.surface.file.string(), scan}, bones, options, repairs);
}

Layout one_cluster(int element_count) {
  Layout layout;
  layout.labels = {0};
  layout.names = {"all"};
  layout.vertex_cluster.assign(element_count, 0);
  return layout;
}

/// The scan's vertices displaced by seeded noise: labels are then looked up as if every element's centroid
/// were displaced.
TetMesh jittered(const TetMesh& mesh, double size, unsigned seed) {
  TetMesh moved = mesh;
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, size);
  moved.nodes.resize(4 * mesh.element_count(), 3);  // a private copy of the corners of every element
  moved.elements.resize(mesh.element_count(), 4);
  moved.order = 1;
  for (int e = 0; e < mesh.element_count(); ++e) {
    const Eigen::RowVector3d shift(normal(generator), normal(generator), normal(generator));
    for (int a = 0; a < 4; ++a) {
      moved.nodes.row(4 * e + a) = mesh.nodes.row(mesh.elements(e, a)) + shift;
      moved.elements(e, a) = 4 * e + a;
    }
  }
  return moved;
}

SparseRows cluster_weights(TetModel& model, const ModelVariant& variant) {
  const Tissue& tissue = model.scene.tissue;
  if (!tissue.clustered) {
    model.layout = one_cluster(model.mesh.element_count());
    return element_weights(model.layout);
  }
  if (tissue.layout.empty()) {
    if (model.mesh.label.empty())
      throw InputError(model.scene.file.string(),
                       "tissue.clusters names no layout and the mesh carries no labels: give "
                       "clusters.layout, or one \"young\"");
    model.layout = layout_of_mesh(model.mesh, tissue.names);
    return element_weights(model.layout);
  }
  model.layout = read_layout(tissue.layout, tissue.names, model.scan.vertex_count());
  const double blend = variant.blend >= 0 ? variant.blend : tissue.blend;
  if (variant.label_jitter > 0)
    return propagate_layout(model.layout, model.scan.vertices,
                            jittered(model.mesh, variant.label_jitter, variant.seed), blend);
  return propagate_layout(model.layout, model.scan.vertices, model.mesh, blend);
}

std::vector<int> nodes_of(const BoundaryCondition& condition, const TetMesh& mesh, const std::string& where) {
  if (!condition.file.empty()) return read_index_list(condition.file, mesh.node_count());
  std::vector<int> nodes;
  if (condition.box) {
    for (int i = 0; i < mesh.node_count(); ++i) {
      const Vec3 x = mesh.nodes.row(i).transpose();
      if ((x.array() >= (*condition.box)[0].array()).all() &&
          (x.array() <= (*condition.box)[1].array()).all())
        nodes.push_back(i);
    }
  } else if (condition.nodes == "fixed") {
    for (int i = 0; i < static_cast<int>(mesh.fixed.size()); ++i)
      if (mesh.fixed[i]) nodes.push_back(i);
  } else {
    const auto name = std::find(mesh.region_names.begin(), mesh.region_names.end(), condition.nodes);
    if (name == mesh.region_names.end())
      throw InputError(where, fmt::format("boundary.nodes \"{}\" is no region of the mesh; known: fixed{}{}",
                                          condition.nodes, mesh.region_names.empty() ? "" : ", ",
                                          fmt::join(mesh.region_names, ", ")));
    const int region = static_cast<int>(name - mesh.region_names.begin());
    for (int i = 0; i < static_cast<int>(mesh.region.size()); ++i)
      if (mesh.region[i] == region) nodes.push_back(i);
  }
  if (nodes.empty()) throw InputError(where, "a boundary condition selects no node");
  return nodes;
}

FixedFlags fixed_flags(const Scene& scene, const TetMesh& mesh) {
  FixedFlags fixed = FixedFlags::Constant(mesh.node_count(), 3, false);
  for (int i = 0; i < static_cast<int>(mesh.fixed.size()); ++i)
    if (mesh.fixed[i]) fixed.row(i).setConstant(true);
  for (const BoundaryCondition& condition : scene.boundary)
    for (const int node : nodes_of(condition, mesh, scene.file.string()))
      for (int c = 0; c < 3; ++c) fixed(node, c) = fixed(node, c) || condition.fix[c];
  if (fixed.count() < 6)
    throw InputError(
        scene.file.string(),
        "no node is fixed: the body would fall; name fixed groups of the volume, bones or a boundary");
  return fixed;
}

void warn_about(TetModel& model) {
  const MeshFile& surface = model.scene.surface;
  if (std::string warning = size_warning(model.scan.vertices, short_name(surface.file), surface.unit);
      !warning.empty())
    model.warnings.push_back(std::move(warning));
  if (const double offset = model.attachment.largest_offset(); offset > 5)
    model.warnings.push_back(
        fmt::format("a vertex of {} lies {:.3g} mm off the meshed volume: do the two belong together?",
                    short_name(surface.file), offset));
}

}  // namespace

TissueTheta TetModel::theta() const {
  return {young_of_clusters(scene, layout.names), scene.tissue.poisson, scene.density};
}

TetModel build_tet_model(const Scene& scene, const ModelVariant& variant) {
  TetModel model;
  model.scene = scene;
  if (variant.law) model.scene.tissue.law = *variant.law;
  model.scan = read_surface(scene.surface.file, scene.surface.unit, false);
  model.mesh = make_mesh(scene, model.scan, variant.size_factor, model.notes);
  const SparseRows weights = cluster_weights(model, variant);
  model.fixed = fixed_flags(scene, model.mesh);
  model.compiled = std::make_shared<CompiledScene>(model.mesh.elements, model.mesh.nodes, weights,
                                                   model.fixed, model.scene.tissue.law);
  model.attachment = attach_surface(model.scan.vertices, model.mesh);
  if (scene.rest == RestShape::file) {
    const TetMesh rest = read_tet_mesh(scene.rest_file);
    if (rest.elements != model.mesh.elements || rest.node_count() != model.mesh.node_count())
      throw InputError(scene.rest_file.string(), "the rest shape has another topology than the scene's mesh");
    model.rest = rest.nodes;
  }
  model.theta();  // names and values must fit
  warn_about(model);
  return model;
}

std::vector<Pose> poses_of(const Scene& scene) {
  if (!scene.poses.empty()) return scene.poses;
  return {{"pose", scene.gravity}};
}

}  // namespace furrow
