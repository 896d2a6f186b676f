#include "forward/element/lagrange_prism.h"

#include "forward/base/error.h"

namespace furrow {
namespace {

void check_order(int p) {
  require(p >= 1 && p <= 4, "a triangle's order is 1 to 4");
}
void check_order(PrismOrder order) {
  check_order(order.in_plane);
  require(order.thickness == 1 || order.thickness == 2, "a prism's order in thickness is 1 or 2");
}

/// Lattice coordinates (p u, p v) of the nodes: corners, edges 0-1, 1-2, 2-0 in travel direction, then rows.
std::vector<std::array<int, 2>> lattice(int p) {
  std::vector<std::array<int, 2>> nodes{{0, 0}, {p, 0}, {0, p}};
  for (int m = 1; m < p; ++m) nodes.push_back({m, 0});
  for (int m = 1; m < p; ++m) nodes.push_back({p - m, m});
  for (int m = 1; m < p; ++m) nodes.push_back({0, p - m});
  for (int j = 1; j < p; ++j)
    for (int i = 1; i + j < p; ++i) nodes.push_back({i, j});
  return nodes;
}

struct Silvester {
  double value[5], slope[5];  ///< R_m(l) and dR_m/dl for m = 0..4
};

/// R_m(l) = prod_{s<m} (p l - s)/(s + 1)
Silvester silvester(int p, double l) {
  Silvester r{};
  r.value[0] = 1;
  for (int m = 0; m < p; ++m) {
    const double factor = (p * l - m) / (m + 1);
    r.value[m + 1] = r.value[m] * factor;
    r.slope[m + 1] = r.slope[m] * factor + r.value[m] * p / (m + 1);
  }
  return r;
}

struct Line {
  double value[3], slope[3];  ///< L_k(w) and dL_k/dw
};

Line line_basis(int q, double w) {
  if (q == 1) return {{(1 - w) / 2, (1 + w) / 2, 0}, {-0.5, 0.5, 0}};
  return {{w * (w - 1) / 2, (1 - w) * (1 + w), w * (w + 1) / 2}, {w - 0.5, -2 * w, w + 0.5}};
}

}  // namespace

TriangleBasis triangle_basis(int p, const Points2& points) {
  check_order(p);
  const auto nodes = lattice(p);
  const auto n = points.rows(), count = static_cast<Eigen::Index>(nodes.size());
  TriangleBasis basis{MatrixXd(n, count), MatrixXd(n, count), MatrixXd(n, count)};
  for (Eigen::Index g = 0; g < n; ++g) {
    const Silvester a = silvester(p, points(g, 0)), b = silvester(p, points(g, 1)),
                    c = silvester(p, 1 - points(g, 0) - points(g, 1));
    for (Eigen::Index node = 0; node < count; ++node) {
      const auto [i, j] = nodes[node];
      const int k = p - i - j;
      basis.value(g, node) = a.value[i] * b.value[j] * c.value[k];
      basis.du(g, node) = b.value[j] * (a.slope[i] * c.value[k] - a.value[i] * c.slope[k]);
      basis.dv(g, node) = a.value[i] * (b.slope[j] * c.value[k] - b.value[j] * c.slope[k]);
    }
  }
  return basis;
}

PrismBasis prism_basis(PrismOrder order, const Points3& points) {
  check_order(order);
  const TriangleBasis triangle = triangle_basis(order.in_plane, points.leftCols<2>());
  const int face = order.face_nodes();
  PrismBasis basis;
  basis.value.resize(points.rows(), order.nodes());
  for (MatrixXd& derivative : basis.derivative) derivative.resize(points.rows(), order.nodes());
  for (Eigen::Index g = 0; g < points.rows(); ++g) {
    const Line line = line_basis(order.thickness, points(g, 2));
    for (int k = 0; k <= order.thickness; ++k) {
      const auto columns = Eigen::seqN(k * face, face);
      basis.value(g, columns) = triangle.value.row(g) * line.value[k];
      basis.derivative[0](g, columns) = triangle.du.row(g) * line.value[k];
      basis.derivative[1](g, columns) = triangle.dv.row(g) * line.value[k];
      basis.derivative[2](g, columns) = triangle.value.row(g) * line.slope[k];
    }
  }
  return basis;
}

Points2 triangle_nodes(int p) {
  check_order(p);
  const auto nodes = lattice(p);
  Points2 points(static_cast<Eigen::Index>(nodes.size()), 2);
  for (std::size_t n = 0; n < nodes.size(); ++n)
    points.row(static_cast<Eigen::Index>(n)) << nodes[n][0] / double(p), nodes[n][1] / double(p);
  return points;
}

Points3 prism_nodes(PrismOrder order) {
  check_order(order);
  const Points2 face = triangle_nodes(order.in_plane);
  Points3 points(order.nodes(), 3);
  for (int k = 0; k <= order.thickness; ++k) {
    points.block(k * face.rows(), 0, face.rows(), 2) = face;
    points.block(k * face.rows(), 2, face.rows(), 1).setConstant(2.0 * k / order.thickness - 1);
  }
  return points;
}

std::vector<int> native_to_vtk(PrismOrder order) {
  check_order(order);
  const int p = order.in_plane, q = order.thickness, face = order.face_nodes();
  const int edge = 3 * (p - 1), inside = face - 3 - edge;  // nodes of a face on its edges and inside
  const int upright = 6 + 2 * edge, face_inside = upright + 3 * (q - 1), side = face_inside + 2 * inside,
            volume = side + edge * (q - 1);
  std::vector<int> vtk(order.nodes());
  for (int k = 0; k <= q; ++k)
    for (int j = 0; j < face; ++j) {
      const int cap = k == 0 ? 0 : 1, e = j - 3, i = j - 3 - edge;
      const bool on_cap = k == 0 || k == q;
      int& number = vtk[k * face + j];
      if (j < 3)
        number = on_cap ? 3 * cap + j : upright + j * (q - 1) + k - 1;
      else if (i < 0)  // side faces: travel direction fast, w slow, one face after the other
        number = on_cap ? 6 + cap * edge + e
                        : side + e / (p - 1) * (p - 1) * (q - 1) + (k - 1) * (p - 1) + e % (p - 1);
      else
        number = on_cap ? face_inside + cap * inside + i : volume + (k - 1) * inside + i;
    }
  return vtk;
}

Triangles triangle_subdivision(int p) {
  check_order(p);
  const auto nodes = lattice(p);
  int number[5][5] = {};
  for (std::size_t n = 0; n < nodes.size(); ++n) number[nodes[n][0]][nodes[n][1]] = static_cast<int>(n);
  Triangles triangles(p * p, 3);
  int t = 0;
  for (int j = 0; j < p; ++j)
    for (int i = 0; i + j < p; ++i) {
      triangles.row(t++) << number[i][j], number[i + 1][j], number[i][j + 1];
      if (i + j + 1 < p) triangles.row(t++) << number[i + 1][j], number[i + 1][j + 1], number[i][j + 1];
    }
  return triangles;
}

}  // namespace furrow
