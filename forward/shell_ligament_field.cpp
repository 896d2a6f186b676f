#include "forward/shell_ligament_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/field/heat_map.h"
#include "forward/field/layout.h"

namespace furrow {

namespace {

struct InnerSurface {
  Positions vertices;
  Triangles triangles;
};

InnerSurface inner_surface(const PrismMesh& mesh) {
  const std::vector<int> nodes = mesh.inner_nodes();
  std::vector<int> rank(mesh.nodes.rows(), -1);
  InnerSurface out;
  out.vertices.resize(nodes.size(), 3);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    rank[nodes[k]] = static_cast<int>(k);
    out.vertices.row(k) = mesh.nodes.row(nodes[k]);
  }
  const Triangles local = triangle_subdivision(mesh.order.in_plane);
  out.triangles.resize(mesh.inner_faces.rows() * local.rows(), 3);
  for (Eigen::Index f = 0; f < mesh.inner_faces.rows(); ++f)
    for (Eigen::Index t = 0; t < local.rows(); ++t)
      for (int c = 0; c < 3; ++c)
        out.triangles(f * local.rows() + t, c) = rank[mesh.inner_faces(f, local(t, c))];
  return out;
}

VectorXd from_sources(const LigamentField& field, const PrismMesh& mesh, const std::string& where) {
  const InnerSurface surface = inner_surface(mesh);
  const auto count = static_cast<int>(surface.vertices.rows());
  std::vector<int> vertices;
  std::set<int> seen;
  for (const FieldSource& source : field.sources) {
    if (source.vertex < 0 || source.vertex >= count)
      throw InputError(where,
                       fmt::format("ligaments.field.sources: vertex {} is not one of the {} inner nodes",
                                   source.vertex, count));
    if (!seen.insert(source.vertex).second)
      throw InputError(where,
                       fmt::format("ligaments.field.sources: vertex {} is listed twice", source.vertex));
    vertices.push_back(source.vertex);
  }
  HeatMapOptions options;
  options.length = field.blend;
  // point sources fall off as K0(r / l) / (2 pi l^2): the background takes over about four blending lengths
  // away
  if (field.background) options.background = 1e-3 / (field.blend * field.blend);
  const MatrixXd W = heat_map_weights(surface.vertices, surface.triangles, vertices, options);
  VectorXd values(W.cols());
  for (std::size_t k = 0; k < field.sources.size(); ++k) values[k] = field.sources[k].b;
  if (field.background) values[values.size() - 1] = *field.background;
  return W * values;
}

LigamentFieldValues from_clusters(const LigamentField& field, int count, const std::string& where) {
  const Layout layout = read_layout(field.layout, field.names, count);
  LigamentFieldValues out;
  out.clusters = layout.names;
  out.labels = layout.vertex_cluster;
  VectorXd of_cluster = VectorXd::Constant(layout.cluster_count(), -1);
  for (const auto& [name, b] : field.cluster_b) {
    const auto found = std::find(layout.names.begin(), layout.names.end(), name);
    if (name == "*") {
      for (Eigen::Index c = 0; c < of_cluster.size(); ++c)
        if (of_cluster[c] < 0) of_cluster[c] = b;
    } else if (found == layout.names.end()) {
      throw InputError(
          where, fmt::format("ligaments.field.clusters.b.{}: the layout has no such cluster; it has {}", name,
                             fmt::join(layout.names, ", ")));
    } else {
      of_cluster[found - layout.names.begin()] = b;
    }
  }
  out.b.resize(count);
  for (int k = 0; k < count; ++k) {
    out.b[k] = of_cluster[out.labels[k]];
    if (out.b[k] < 0)
      throw InputError(
          where, fmt::format("ligaments.field.clusters.b has no value for \"{}\"; add it, or \"*\" for all "
                             "others",
                             layout.names[out.labels[k]]));
  }
  return out;
}

VectorXd from_nodal_file(const std::filesystem::path& file, int count) {
  const CsvTable table = read_csv(file, false);
  const auto column = std::find(table.columns.begin(), table.columns.end(), "b");
  if (column == table.columns.end()) throw InputError(file.string(), "has no column \"b\"");
  if (table.values.rows() != count)
    throw InputError(file.string(), fmt::format("has {} rows and the mesh {} inner nodes: give one row each",
                                                table.values.rows(), count));
  const VectorXd b = table.values.col(column - table.columns.begin());
  for (Eigen::Index k = 0; k < b.size(); ++k)
    if (!(b[k] >= 0) || !std::isfinite(b[k]))
      throw InputError(file.string(), fmt::format("row {}: b must be a number that is not negative", k));
  return b;
}

VectorXd from_mesh(const PrismMesh& mesh, const std::vector<int>& inner, const std::string& where) {
  if (mesh.ligament_b.size() == 0)
    throw InputError(where, "ligaments.field is \"mesh\" and the mesh carries no point data \"b\"");
  VectorXd b(inner.size());
  for (std::size_t k = 0; k < inner.size(); ++k) b[k] = mesh.ligament_b[inner[k]];
  if (!(b.minCoeff() >= 0))
    throw InputError(where, "the mesh's point data \"b\" is negative at an inner node");
  return b;
}

}  // namespace

LigamentFieldValues ligament_field(const Scene& scene, const PrismMesh& mesh) {
  const std::vector<int> inner = mesh.inner_nodes();
  const auto count = static_cast<int>(inner.size());
  const std::string where = scene.file.string();
  if (!scene.shell->ligaments) return {VectorXd::Zero(count), {}, {}};
  const LigamentField& field = scene.shell->ligaments->field;
  switch (field.kind) {
    case LigamentField::Kind::uniform:
      return {VectorXd::Constant(count, field.uniform), {}, {}};
    case LigamentField::Kind::sources:
      return {from_sources(field, mesh, where), {}, {}};
    case LigamentField::Kind::clusters:
      return from_clusters(field, count, where);
    case LigamentField::Kind::nodal:
      return {from_nodal_file(field.nodal, count), {}, {}};
    case LigamentField::Kind::mesh:
      return {from_mesh(mesh, inner, where), {}, {}};
  }
  return {};
}

}  // namespace furrow
