#include "forward/mesh/surface_attachment.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "forward/base/error.h"

namespace furrow {
namespace {

struct ClosestPoint {
  int triangle = -1;
  Vec3 barycentric = Vec3::Zero();
  double squared_distance = std::numeric_limits<double>::infinity();  ///< [mm^2]
};

/// Closest point of a triangle by the region of the plane that the point projects into: a corner's, an edge's
/// or the face's.
Vec3 closest_barycentric(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap), d3 = ab.dot(bp), d4 = ac.dot(bp), d5 = ab.dot(cp),
               d6 = ac.dot(cp);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  // Twice the signed areas of the sub-triangles opposite c, b and a, times twice the triangle's area.
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {1 - d1 / (d1 - d3), d1 / (d1 - d3), 0};
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {1 - d2 / (d2 - d6), 0, d2 / (d2 - d6)};
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0, 1 - w, w};
  }
  const double sum = va + vb + vc;
  return {1 - vb / sum - vc / sum, vb / sum, vc / sum};
}

/// Axis-aligned boxes in a binary tree over triangles, split at the median of the longest side.
class TriangleTree {
 public:
  TriangleTree(const Positions& points, const Triangles& triangles) : points_(points), triangles_(triangles) {
    order_.resize(triangles.rows());
    std::iota(order_.begin(), order_.end(), 0);
    if (!order_.empty()) build(0, static_cast<int>(order_.size()));
  }

  ClosestPoint closest(const Vec3& p) const {
    ClosestPoint best;
    if (!nodes_.empty()) search(0, p, best);
    return best;
  }

 private:
  struct Node {
    Eigen::AlignedBox3d box;
    int begin, end, right = -1;  ///< the left child follows its parent; right < 0: a leaf
  };

  Vec3 corner(int t, int k) const { return points_.row(triangles_(t, k)).transpose(); }

  int build(int begin, int end) {
    const int index = static_cast<int>(nodes_.size());
    nodes_.push_back({{}, begin, end, -1});
    Eigen::AlignedBox3d box, centres;
    for (int i = begin; i < end; ++i) {
      for (int k = 0; k < 3; ++k) box.extend(corner(order_[i], k));
      centres.extend(centre(order_[i]));
    }
    nodes_[index].box = box;
    if (end - begin <= 4) return index;
    int axis = 0;
    centres.sizes().maxCoeff(&axis);
    const int middle = (begin + end) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](int s, int t) {
                       const double a = centre(s)[axis], b = centre(t)[axis];
                       return a != b ? a < b : s < t;
                     });
    build(begin, middle);
    const int right = build(middle, end);
    nodes_[index].right = right;
    return index;
  }

  Vec3 centre(int t) const { return (corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3; }

  void search(int index, const Vec3& p, ClosestPoint& best) const {
    const Node& node = nodes_[index];
    if (node.right < 0) {
      for (int i = node.begin; i < node.end; ++i) visit(order_[i], p, best);
      return;
    }
    std::array<std::pair<double, int>, 2> children{
        {{nodes_[index + 1].box.squaredExteriorDistance(p), index + 1},
         {nodes_[node.right].box.squaredExteriorDistance(p), node.right}}};
    if (children[1].first < children[0].first) std::swap(children[0], children[1]);
    for (const auto& [distance, child] : children)
      if (distance <= best.squared_distance) search(child, p, best);
  }

  /// Ties go to the lower triangle, so that the answer does not depend on the tree.
  void visit(int t, const Vec3& p, ClosestPoint& best) const {
    const Vec3 a = corner(t, 0), b = corner(t, 1), c = corner(t, 2), l = closest_barycentric(p, a, b, c);
    const double distance = (l[0] * a + l[1] * b + l[2] * c - p).squaredNorm();
    if (distance < best.squared_distance || (distance == best.squared_distance && t < best.triangle))
      best = {t, l, distance};
  }

  const Positions& points_;
  const Triangles& triangles_;
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

/// Nodes of a boundary face: three corners, then for order 2 the mid-edge nodes of 01, 12, 20.
std::vector<int> face_nodes(const TetMesh& mesh, int element, int face) {
  std::vector<int> nodes;
  const std::array<int, 3>& corners = kTetFaces[face];
  for (int corner : corners) nodes.push_back(mesh.elements(element, corner));
  if (mesh.order == 1) return nodes;
  for (int k = 0; k < 3; ++k) {
    const int a = corners[k], b = corners[(k + 1) % 3];
    for (int e = 0; e < 6; ++e)
      if (std::minmax(a, b) == std::minmax(kTetEdges[e][0], kTetEdges[e][1]))
        nodes.push_back(mesh.elements(element, 4 + e));
  }
  return nodes;
}

/// Linear: l_i. Quadratic: l_i (2 l_i - 1) at corners, 4 l_i l_j between them.
std::vector<double> shape_functions(int order, const Vec3& l) {
  if (order == 1) return {l[0], l[1], l[2]};
  return {l[0] * (2 * l[0] - 1), l[1] * (2 * l[1] - 1), l[2] * (2 * l[2] - 1),
          4 * l[0] * l[1],       4 * l[1] * l[2],       4 * l[2] * l[0]};
}

}  // namespace

Positions SurfaceAttachment::apply(const Positions& x) const {
  require(x.rows() == weights.cols(), "SurfaceAttachment::apply needs one position a node");
  return weights * x + offset;
}

double SurfaceAttachment::largest_offset() const {
  return offset.rows() == 0 ? 0.0 : offset.rowwise().norm().maxCoeff();
}

SurfaceAttachment attach_surface(const Positions& scan, const TetMesh& mesh,
                                 const std::vector<bool>& on_faces) {
  const BoundaryFaces boundary = boundary_faces(mesh);
  require(on_faces.empty() || static_cast<int>(on_faces.size()) == boundary.corners.rows(),
          "on_faces has one entry a boundary face");
  std::vector<int> chosen;
  for (int f = 0; f < boundary.corners.rows(); ++f)
    if (on_faces.empty() || on_faces[f]) chosen.push_back(f);
  require(!chosen.empty(), "a surface can only be attached to a mesh with boundary faces");
  Triangles triangles(static_cast<int>(chosen.size()), 3);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    triangles.row(static_cast<int>(i)) = boundary.corners.row(chosen[i]);

  const TriangleTree tree(mesh.nodes, triangles);
  const double coincident = 1e-9 * diagonal(mesh.nodes);
  std::vector<Eigen::Triplet<double>> entries;
  for (int v = 0; v < scan.rows(); ++v) {
    const Vec3 p = scan.row(v).transpose();
    require(p.allFinite(), "scan vertices must be finite");
    const ClosestPoint closest = tree.closest(p);
    const int face = chosen[closest.triangle];
    const std::vector<int> nodes = face_nodes(mesh, boundary.element[face], boundary.face[face]);
    const auto same = std::find_if(nodes.begin(), nodes.end(), [&](int i) {
      return (mesh.nodes.row(i).transpose() - p).norm() <= coincident;
    });
    if (same != nodes.end()) {
      entries.emplace_back(v, *same, 1.0);
      continue;
    }
    const std::vector<double> weight = shape_functions(mesh.order, closest.barycentric);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      if (weight[k] != 0) entries.emplace_back(v, nodes[k], weight[k]);
  }
  SurfaceAttachment attachment;
  attachment.weights.resize(scan.rows(), mesh.node_count());
  attachment.weights.setFromTriplets(entries.begin(), entries.end());
  attachment.offset = scan - attachment.weights * mesh.nodes;
  return attachment;
}

}  // namespace furrow
