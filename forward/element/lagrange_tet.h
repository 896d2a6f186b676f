// Lagrange tetrahedra of order 1 and 2 on the reference tetrahedron u, v, w >= 0, u + v + w <= 1, with the
// rule that is exact for their stiffness at rest: 1 point (order 1), 4 points of degree 2 (order 2, as
// CalculiX C3D10).
//
// Node order of an element: corners 0..3 with positive volume det(x1-x0, x2-x0, x3-x0) > 0, then for order 2
// the mid-edge nodes of 01, 12, 02, 03, 13, 23 (VTK_QUADRATIC_TETRA, CalculiX C3D10).
#pragma once

#include <array>

namespace furrow {

inline constexpr std::array<std::array<int, 2>, 6> kTetEdges{
    {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}};
/// Corner triples of the four faces, outward for positive volume.
inline constexpr std::array<std::array<int, 3>, 4> kTetFaces{{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};

/// N nodes, Q quadrature points.
template <int N, int Q>
struct TetTable {
  double weight[Q];          ///< sums to 1/6
  double value[Q][N];        ///< shape functions
  double gradient[Q][N][3];  ///< their derivatives by (u, v, w)
};

using LinearTet = TetTable<4, 1>;
using QuadraticTet = TetTable<10, 4>;

const LinearTet& linear_tet();
const QuadraticTet& quadratic_tet();

/// Shape functions and derivatives at any point; n is 4 or 10, value[n], gradient[n][3].
void tet_shape(int n, double u, double v, double w, double* value, double (*gradient)[3]);

}  // namespace furrow
