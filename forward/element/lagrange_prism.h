// Lagrange prisms: triangle of order p in (u, v) >= 0, u + v <= 1, times line of order q in w in [-1, 1].
//
//   N_{k nP + j}(u, v, w) = T_j(u, v) L_k(w),  nP = (p+1)(p+2)/2
//
// T_j: Silvester products R_i(u) R_j(v) R_k(1-u-v), R_m(l) = prod_{s<m} (p l - s)/(s + 1), in the node order
// of VTK_LAGRANGE_TRIANGLE; layer k = 0 (w = -1) is the inner surface, k = q (w = +1) the outer one.
// THEORY 2.
#pragma once

#include <array>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

struct PrismOrder {
  int in_plane = 4;   ///< p, 1 to 4
  int thickness = 2;  ///< q, 1 or 2
  int face_nodes() const { return (in_plane + 1) * (in_plane + 2) / 2; }
  int nodes() const { return face_nodes() * (thickness + 1); }
  bool operator==(const PrismOrder&) const = default;
};

using Points2 = Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::RowMajor>;
using Points3 = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// Shape functions at some points: one row a point, one column a node.
struct TriangleBasis {
  MatrixXd value, du, dv;
};
struct PrismBasis {
  MatrixXd value;
  std::array<MatrixXd, 3> derivative;  ///< by u, v, w
};

TriangleBasis triangle_basis(int p, const Points2& points);
PrismBasis prism_basis(PrismOrder order, const Points3& points);

Points2 triangle_nodes(int p);  ///< reference positions of the nodes
Points3 prism_nodes(PrismOrder order);

/// Native node i is node native_to_vtk(order)[i] of VTK_LAGRANGE_WEDGE (cell type 73): corners of the inner
/// face, of the outer one, then edges of both, upright edges, insides of both, side faces, inside.
std::vector<int> native_to_vtk(PrismOrder order);

/// The triangle of order p cut into p^2 flat triangles through its nodes (local node numbers, same
/// orientation): how a face is drawn, and where the P1 fields of THEORY 8 live.
Triangles triangle_subdivision(int p);

}  // namespace furrow
