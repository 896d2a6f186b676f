#include "forward/element/quadrature.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "forward/base/error.h"
#include "forward/element/quadrature_tables.h"

namespace furrow {
namespace {

/// The table of a family ("prism_wv", "tri_wv") of the smallest degree >= `degree`.
const QuadratureTable& table_of_degree(std::string_view family, int degree) {
  const QuadratureTable* best = nullptr;
  int highest = 0;
  for (const QuadratureTable& table : quadrature_tables()) {
    if (!table.name.starts_with(family)) continue;
    highest = std::max(highest, table.degree);
    if (table.degree >= degree && (best == nullptr || table.degree < best->degree)) best = &table;
  }
  if (best == nullptr)
    throw std::invalid_argument("there is no " + std::string(family) + " quadrature rule of degree " +
                                std::to_string(degree) + "; the highest is " + std::to_string(highest));
  return *best;
}

template <int Columns>
auto rows_of(const QuadratureTable& table) {
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Columns, Eigen::RowMajor>>(
      table.numbers.data(), static_cast<Eigen::Index>(table.numbers.size()) / Columns, Columns);
}

PrismRule prism_rule_of(const QuadratureTable& table, int degree) {
  const auto rows = rows_of<4>(table);
  return {rows.leftCols<3>(), rows.col(3), degree, 0};
}

/// Gauss-Legendre points on [-1, 1] and weights, by Newton on the recurrence n P_n = (2n-1) x P_{n-1} - (n-1)
/// P_{n-2}:
///   weight = 2 / ((1 - x^2) P_n'(x)^2)
struct LineRule {
  VectorXd points, weights;
};
LineRule gauss_legendre(int n) {
  LineRule rule{VectorXd(n), VectorXd(n)};
  for (int i = 0; i < n; ++i) {
    double x = -std::cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int iteration = 0; iteration < 20; ++iteration) {
      double before = 1, value = x;
      for (int k = 2; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
      }
      slope = n * (before - x * value) / ((1 - x) * (1 + x));
      x -= value / slope;
      if (std::abs(value / slope) < 1e-17) break;
    }
    rule.points[i] = x;
    rule.weights[i] = 2 / ((1 - x) * (1 + x) * slope * slope);
  }
  const VectorXd mirrored = rule.points.reverse();  // exact symmetry
  rule.points = (rule.points - mirrored).eval() / 2;
  rule.weights = (rule.weights + rule.weights.reverse().eval()).eval() / 2;
  return rule;
}

PrismRule seed_rule(int p) {
  switch (p) {
    case 1:
      return prism_rule_two_points();
    case 2:
      return prism_rule(4);
    case 3:
      return prism_rule(5);
    default:
      return prism_rule(6);
  }
}

}  // namespace

TriangleRule triangle_rule(int degree) {
  const QuadratureTable& table = table_of_degree("tri_wv", degree);
  const auto rows = rows_of<3>(table);
  return {rows.leftCols<2>(), rows.col(2), table.degree};
}

PrismRule prism_rule(int degree) {
  const QuadratureTable& table = table_of_degree("prism_wv", degree);
  return prism_rule_of(table, table.degree);
}

PrismRule prism_rule_two_points() {
  for (const QuadratureTable& table : quadrature_tables())
    if (table.name == "prism_2pt") return prism_rule_of(table, 1);
  throw std::logic_error("data/quadrature lacks prism_2pt");
}

PrismRule tensor_rule(const TriangleRule& triangle, int line_points) {
  require(line_points >= 1 && line_points <= 20, "a line rule has 1 to 20 points");
  const LineRule line = gauss_legendre(line_points);
  PrismRule rule;
  rule.points.resize(triangle.points.rows() * line_points, 3);
  rule.weights.resize(rule.points.rows());
  for (Eigen::Index t = 0; t < triangle.points.rows(); ++t)
    for (int l = 0; l < line_points; ++l) {
      rule.points.row(t * line_points + l) << triangle.points.row(t), line.points[l];
      rule.weights[t * line_points + l] = triangle.weights[t] * line.weights[l];
    }
  rule.degree = std::min(triangle.degree, 2 * line_points - 1);
  rule.line_points = line_points;
  return rule;
}

TriangleRule subdivide_rule(const TriangleRule& rule, int n) {
  require(n >= 1, "a triangle is divided into n^2 sub-triangles, n >= 1");
  const Eigen::Index count = rule.points.rows();
  TriangleRule fine{Points2(count * n * n, 2), VectorXd(count * n * n), rule.degree};
  Eigen::Index at = 0;
  // corner + sign * point / n: the upright triangle of each lattice cell, and the one that completes it
  const auto add = [&](double corner_u, double corner_v, double sign) {
    for (Eigen::Index g = 0; g < count; ++g, ++at) {
      fine.points.row(at) << (corner_u + sign * rule.points(g, 0)) / n,
          (corner_v + sign * rule.points(g, 1)) / n;
      fine.weights[at] = rule.weights[g] / (n * n);
    }
  };
  for (int j = 0; j < n; ++j)
    for (int i = 0; i + j < n; ++i) {
      add(i, j, 1);
      if (i + j + 1 < n) add(i + 1, j + 1, -1);
    }
  return fine;
}

PrismRule rule_for(PrismOrder order, RuleKind kind) {
  const int p = order.in_plane, q = order.thickness;
  require(p >= 1 && p <= 4 && (q == 1 || q == 2),
          "a prism's order is 1 to 4 in the plane, 1 or 2 in thickness");
  switch (kind) {
    // dN_i/du dN_j/du is of degree 2q in w; dN_i/dw dN_j/dw of degree 2p in (u, v), which would do at rest,
    // but at 30 % strain p4q2 then errs 20 times more than the exact rule (5e-5 of the forces, bench_shell),
    // and no more with its degree
    case RuleKind::tensor:
      return tensor_rule(triangle_rule(2 * p + 2 * q - 2), q + 1);
    // total degree of the products of two derivatives: 2 (p - 1) + 2q = 2p + 2 (q - 1)
    case RuleKind::exact:
      return prism_rule(2 * p + 2 * q - 2);
    case RuleKind::seed:
      return seed_rule(p);
  }
  throw std::logic_error("unknown kind of rule");
}

}  // namespace furrow
