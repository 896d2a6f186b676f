// Lagrange tetrahedra of order 1 and 2 on the reference tetrahedron u, v, w >= 0, u + v + w <= 1, with the
// rule that is exact for their stiffness at rest: 1 point (order 1), 4 points of degree 2 (order 2, as
// CalculiX C3D10). Node order: mesh/tet_mesh.h.
#pragma once

#include <array>

namespace furrow {

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
