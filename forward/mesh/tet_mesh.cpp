#include "forward/mesh/tet_mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "forward/base/error.h"

namespace furrow {
namespace {

std::uint64_t edge_key(int a, int b) {
  if (a > b) std::swap(a, b);
  return (static_cast<std::uint64_t>(a) << 32) | static_cast<std::uint32_t>(b);
}

struct Face {
  std::array<int, 3> sorted;
  int element, face;
};

std::vector<Face> sorted_faces(const Elements& elements) {
  std::vector<Face> faces;
  faces.reserve(4 * elements.rows());
  for (int e = 0; e < elements.rows(); ++e)
    for (int f = 0; f < 4; ++f) {
      std::array<int, 3> corners;
      for (int k = 0; k < 3; ++k) corners[k] = elements(e, kTetFaces[f][k]);
      std::sort(corners.begin(), corners.end());
      faces.push_back({corners, e, f});
    }
  std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
    return a.sorted != b.sorted ? a.sorted < b.sorted : a.element < b.element;
  });
  return faces;
}

struct BoundaryEdges {
  std::unordered_map<std::uint64_t, bool>
      fixed;  ///< every edge of a boundary face; true: one such face is fixed at all corners
};

BoundaryEdges boundary_edges_of(const TetMesh& mesh) {
  BoundaryEdges edges;
  const BoundaryFaces boundary = boundary_faces(mesh);
  edges.fixed.reserve(2 * boundary.corners.rows());
  for (int t = 0; t < boundary.corners.rows(); ++t) {
    const auto corner = boundary.corners.row(t);
    const bool fixed =
        !mesh.fixed.empty() && mesh.fixed[corner[0]] && mesh.fixed[corner[1]] && mesh.fixed[corner[2]];
    for (int k = 0; k < 3; ++k) {
      bool& known = edges.fixed[edge_key(corner[k], corner[(k + 1) % 3])];
      known = known || fixed;
    }
  }
  return edges;
}

/// d(shape functions)/d(r, s, t) of the 10-node tetrahedron at barycentric l, rows in our node order; 10 x 3.
Eigen::Matrix<double, 10, 3> quadratic_gradients(const Eigen::Vector4d& l) {
  Eigen::Matrix<double, 4, 3> dl;
  dl << -1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  Eigen::Matrix<double, 10, 3> gradient;
  // N_i = l_i (2 l_i - 1),  N_ij = 4 l_i l_j
  for (int i = 0; i < 4; ++i) gradient.row(i) = (4 * l[i] - 1) * dl.row(i);
  for (int k = 0; k < 6; ++k) {
    const auto [i, j] = kTetEdges[k];
    gradient.row(4 + k) = 4 * (l[i] * dl.row(j) + l[j] * dl.row(i));
  }
  return gradient;
}

/// Nodes, centroid and the four points of the degree 2 rule, barycentric.
std::vector<Eigen::Vector4d> jacobian_points() {
  std::vector<Eigen::Vector4d> points;
  for (int i = 0; i < 4; ++i) points.push_back(Eigen::Vector4d::Unit(i));
  for (const auto& [i, j] : kTetEdges)
    points.push_back(0.5 * (Eigen::Vector4d::Unit(i) + Eigen::Vector4d::Unit(j)));
  points.push_back(Eigen::Vector4d::Constant(0.25));
  const double near = (5 + 3 * std::sqrt(5.0)) / 20, far = (5 - std::sqrt(5.0)) / 20;
  for (int i = 0; i < 4; ++i)
    points.push_back(Eigen::Vector4d::Constant(far) + (near - far) * Eigen::Vector4d::Unit(i));
  return points;
}

Mat3 corner_edges(const TetMesh& mesh, int e) {
  Mat3 edges;
  for (int k = 0; k < 3; ++k)
    edges.col(k) =
        (mesh.nodes.row(mesh.elements(e, k + 1)) - mesh.nodes.row(mesh.elements(e, 0))).transpose();
  return edges;
}

double smallest_scaled_jacobian(const TetMesh& mesh, int e, double corner_determinant) {
  static const std::vector<Eigen::Matrix<double, 10, 3>> gradients = [] {
    std::vector<Eigen::Matrix<double, 10, 3>> all;
    for (const auto& point : jacobian_points()) all.push_back(quadratic_gradients(point));
    return all;
  }();
  Eigen::Matrix<double, 3, 10> x;
  for (int k = 0; k < 10; ++k) x.col(k) = mesh.nodes.row(mesh.elements(e, k)).transpose();
  double smallest = std::numeric_limits<double>::infinity();
  for (const auto& gradient : gradients)
    smallest = std::min(smallest, Mat3(x * gradient).determinant() / corner_determinant);
  return smallest;
}

/// Smallest and largest angle between two faces of a corner tetrahedron [rad].
std::array<double, 2> dihedral_range(const TetMesh& mesh, int e) {
  std::array<Vec3, 4> normal;
  for (int f = 0; f < 4; ++f) {
    std::array<Vec3, 3> x;
    for (int k = 0; k < 3; ++k) x[k] = mesh.nodes.row(mesh.elements(e, kTetFaces[f][k])).transpose();
    normal[f] = (x[1] - x[0]).cross(x[2] - x[0]).normalized();
  }
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (int f = 0; f < 4; ++f)
    for (int g = f + 1; g < 4; ++g) {
      const double angle = std::acos(std::clamp(-normal[f].dot(normal[g]), -1.0, 1.0));
      low = std::min(low, angle);
      high = std::max(high, angle);
    }
  return {low, high};
}

}  // namespace

BoundaryFaces boundary_faces(const TetMesh& mesh) {
  require(mesh.elements.rows() == 0 || mesh.elements.cols() >= 4, "boundary_faces needs tetrahedra");
  const std::vector<Face> faces = sorted_faces(mesh.elements);
  std::vector<std::array<int, 2>> single;  // element, face
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t next = i + 1;
    while (next < faces.size() && faces[next].sorted == faces[i].sorted) ++next;
    if (next == i + 1) single.push_back({faces[i].element, faces[i].face});
    i = next;
  }
  std::sort(single.begin(), single.end());

  BoundaryFaces boundary;
  boundary.corners.resize(static_cast<int>(single.size()), 3);
  for (std::size_t t = 0; t < single.size(); ++t) {
    const auto [element, face] = single[t];
    for (int k = 0; k < 3; ++k)
      boundary.corners(static_cast<int>(t), k) = mesh.elements(element, kTetFaces[face][k]);
    boundary.element.push_back(element);
    boundary.face.push_back(face);
  }
  return boundary;
}

TetMesh elevate_order(const TetMesh& linear) {
  require(linear.order == 1 && linear.elements.cols() == 4, "elevate_order needs a mesh of order 1");
  TetMesh mesh = linear;
  mesh.order = 2;
  mesh.elements.resize(linear.elements.rows(), 10);
  mesh.elements.leftCols(4) = linear.elements;

  std::unordered_map<std::uint64_t, int> number;
  number.reserve(2 * linear.elements.rows());
  std::vector<std::array<int, 2>> edges;
  for (int e = 0; e < linear.elements.rows(); ++e)
    for (int k = 0; k < 6; ++k) {
      const int a = linear.elements(e, kTetEdges[k][0]), b = linear.elements(e, kTetEdges[k][1]);
      const auto [found, is_new] =
          number.try_emplace(edge_key(a, b), linear.node_count() + static_cast<int>(edges.size()));
      if (is_new) edges.push_back({a, b});
      mesh.elements(e, 4 + k) = found->second;
    }

  const int corners = linear.node_count(), count = corners + static_cast<int>(edges.size());
  mesh.nodes.conservativeResize(count, 3);
  for (std::size_t i = 0; i < edges.size(); ++i)
    mesh.nodes.row(corners + static_cast<int>(i)) =
        0.5 * (linear.nodes.row(edges[i][0]) + linear.nodes.row(edges[i][1]));
  if (linear.fixed.empty() && linear.region.empty()) return mesh;

  const BoundaryEdges boundary = boundary_edges_of(linear);
  if (!linear.fixed.empty()) mesh.fixed.resize(count, false);
  if (!linear.region.empty()) mesh.region.resize(count, -1);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto [a, b] = edges[i];
    const auto found = boundary.fixed.find(edge_key(a, b));
    if (found == boundary.fixed.end()) continue;
    if (!linear.fixed.empty()) mesh.fixed[corners + i] = found->second && linear.fixed[a] && linear.fixed[b];
    // The lower region wins at a node of several, so an edge between two regions lies on the higher one.
    if (!linear.region.empty()) mesh.region[corners + i] = std::max(linear.region[a], linear.region[b]);
  }
  return mesh;
}

TetQuality measure_quality(const TetMesh& mesh) {
  TetQuality quality;
  if (mesh.element_count() == 0) return quality;
  quality.smallest_volume = std::numeric_limits<double>::infinity();
  quality.smallest_jacobian = mesh.order == 1 ? 1.0 : std::numeric_limits<double>::infinity();
  double low = std::numeric_limits<double>::infinity(), high = 0, edge_sum = 0;
  for (int e = 0; e < mesh.element_count(); ++e) {
    const double determinant = corner_edges(mesh, e).determinant();
    quality.smallest_volume = std::min(quality.smallest_volume, determinant / 6);
    quality.total_volume += determinant / 6;
    if (mesh.order == 2)
      quality.smallest_jacobian =
          std::min(quality.smallest_jacobian, smallest_scaled_jacobian(mesh, e, determinant));
    const auto [smallest, largest] = dihedral_range(mesh, e);
    low = std::min(low, smallest);
    high = std::max(high, largest);
    for (const auto& [i, j] : kTetEdges)
      edge_sum += (mesh.nodes.row(mesh.elements(e, i)) - mesh.nodes.row(mesh.elements(e, j))).norm();
  }
  constexpr double degrees = 180 / 3.14159265358979323846;
  quality.smallest_dihedral_deg = low * degrees;
  quality.largest_dihedral_deg = high * degrees;
  quality.mean_edge = edge_sum / (6.0 * mesh.element_count());
  return quality;
}

}  // namespace furrow
