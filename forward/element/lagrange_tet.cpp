#include "forward/element/lagrange_tet.h"

namespace furrow {

void tet_shape(int n, double u, double v, double w, double* value, double (*gradient)[3]) {
  const double l[4] = {1 - u - v - w, u, v, w};
  const double dl[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int a = 0; a < 4; ++a) {
    // order 1: N = l;  order 2: N = l (2 l - 1)
    value[a] = n == 4 ? l[a] : l[a] * (2 * l[a] - 1);
    for (int k = 0; k < 3; ++k) gradient[a][k] = n == 4 ? dl[a][k] : (4 * l[a] - 1) * dl[a][k];
  }
  if (n == 4) return;
  for (int e = 0; e < 6; ++e) {  // mid-edge: N = 4 l_a l_b
    const auto [a, b] = kTetEdges[e];
    value[4 + e] = 4 * l[a] * l[b];
    for (int k = 0; k < 3; ++k) gradient[4 + e][k] = 4 * (l[a] * dl[b][k] + l[b] * dl[a][k]);
  }
}

namespace {
template <int N, int Q>
TetTable<N, Q> make_table(const std::array<std::array<double, 3>, Q>& points) {
  TetTable<N, Q> table{};
  for (int q = 0; q < Q; ++q) {
    table.weight[q] = 1.0 / 6.0 / Q;
    tet_shape(N, points[q][0], points[q][1], points[q][2], table.value[q], table.gradient[q]);
  }
  return table;
}
}  // namespace

const LinearTet& linear_tet() {
  static const LinearTet table = make_table<4, 1>({{{0.25, 0.25, 0.25}}});
  return table;
}

const QuadraticTet& quadratic_tet() {
  // (5 -+ sqrt 5) / 20 and its complement: degree 2
  constexpr double a = 0.13819660112501051518, b = 0.58541019662496845446;
  static const QuadraticTet table = make_table<10, 4>({{{a, a, a}, {b, a, a}, {a, b, a}, {a, a, b}}});
  return table;
}

}  // namespace furrow
