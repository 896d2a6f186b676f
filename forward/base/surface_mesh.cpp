#include "forward/base/surface_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

namespace furrow {

namespace {

struct Edge {
  std::array<int, 2> key;        ///< smaller vertex first
  std::pair<int, int> oriented;  ///< as its triangle runs through it
};

/// All edges of all triangles, those of the same two vertices next to each other.
std::vector<Edge> sorted_edges(const SurfaceMesh& mesh) {
  std::vector<Edge> edges;
  edges.reserve(3 * static_cast<std::size_t>(mesh.triangle_count()));
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.triangles(t, k), b = mesh.triangles(t, (k + 1) % 3);
      if (a != b) edges.push_back({{std::min(a, b), std::max(a, b)}, {a, b}});
    }
  }
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& l, const Edge& r) { return l.key < r.key; });
  return edges;
}

/// One edge for each pair of vertices whose number of triangles satisfies the condition.
template <typename Condition>
std::vector<std::pair<int, int>> edges_with_count(const SurfaceMesh& mesh, Condition condition) {
  const std::vector<Edge> edges = sorted_edges(mesh);
  std::vector<std::pair<int, int>> found;
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    while (end < edges.size() && edges[end].key == edges[begin].key) ++end;
    if (condition(end - begin)) found.push_back(edges[begin].oriented);
  }
  return found;
}

}  // namespace

/// n_v = sum over faces at v of (b - a) x (c - a), whose length is twice the area.
Positions vertex_normals(const SurfaceMesh& mesh) {
  Positions normals = Positions::Zero(mesh.vertex_count(), 3);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Vec3 a = mesh.vertices.row(mesh.triangles(t, 0)), b = mesh.vertices.row(mesh.triangles(t, 1)),
               c = mesh.vertices.row(mesh.triangles(t, 2));
    const Vec3 n = (b - a).cross(c - a);
    for (int k = 0; k < 3; ++k) normals.row(mesh.triangles(t, k)) += n.transpose();
  }
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    const double length = normals.row(v).norm();
    if (length > 0) normals.row(v) /= length;
  }
  return normals;
}

std::vector<std::pair<int, int>> boundary_edges(const SurfaceMesh& mesh) {
  return edges_with_count(mesh, [](std::size_t count) { return count == 1; });
}

std::vector<std::pair<int, int>> non_manifold_edges(const SurfaceMesh& mesh) {
  return edges_with_count(mesh, [](std::size_t count) { return count >= 3; });
}

/// V = 1/6 sum (a - o) . ((b - o) x (c - o)) for any o; the centre keeps cancellation small.
double signed_volume(const SurfaceMesh& mesh) {
  if (mesh.vertex_count() == 0) return 0;
  const Vec3 o = mesh.vertices.colwise().mean();
  double sum = 0;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Vec3 a = mesh.vertices.row(mesh.triangles(t, 0)).transpose() - o,
               b = mesh.vertices.row(mesh.triangles(t, 1)).transpose() - o,
               c = mesh.vertices.row(mesh.triangles(t, 2)).transpose() - o;
    sum += a.dot(b.cross(c));
  }
  return sum / 6;
}

double diagonal(const Positions& points) {
  if (points.rows() == 0) return 0;
  return (points.colwise().maxCoeff() - points.colwise().minCoeff()).norm();
}

}  // namespace furrow
