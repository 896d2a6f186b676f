// Tables of shape functions for one layered rule.
#include <cmath>

#include "forward/potential/elastic_shell_data.h"

namespace furrow {

namespace {

/// Lagrange basis of order q on [-1, 1] and its derivative.
std::array<double, 3> line_value(int q, double w) {
  if (q == 1) return {(1 - w) / 2, (1 + w) / 2, 0};
  return {w * (w - 1) / 2, 1 - w * w, w * (w + 1) / 2};
}
std::array<double, 3> line_slope(int q, double w) {
  if (q == 1) return {-0.5, 0.5, 0};
  return {w - 0.5, -2 * w, w + 0.5};
}

std::optional<TensorTable> tensor_table(PrismOrder order, const LayeredRule& rule) {
  if (rule.line_points == 0) return std::nullopt;
  const int points = static_cast<int>(rule.points.rows()), line = rule.line_points;
  int layers =
      1;  // consecutive runs over the same (u, v) grid: the number of times point 0's (u, v) starts a run
  for (int p = line; p < points; ++p)
    if (p % line == 0 && (rule.points.row(p).head(2) - rule.points.row(0).head(2)).norm() < 1e-14) ++layers;
  TensorTable table;
  table.triangle_points = points / (layers * line);
  table.levels = layers * line;
  Points2 uv(table.triangle_points, 2);
  VectorXd level(table.levels);
  for (int t = 0; t < table.triangle_points; ++t)
    for (int s = 0; s < table.levels; ++s) {
      const int p = (s / line) * table.triangle_points * line + t * line + s % line;
      table.point.push_back(p);
      if (t == 0) level[s] = rule.points(p, 2);
      if (s == 0) uv.row(t) = rule.points.row(p).head(2);
      if (std::abs(rule.points(p, 2) - level[s]) > 1e-14) return std::nullopt;  // layers of varying depth
    }
  const TriangleBasis basis = triangle_basis(order.in_plane, uv);
  table.psi.resize(order.face_nodes(), 3 * table.triangle_points);
  for (int t = 0; t < table.triangle_points; ++t) {
    table.psi.col(3 * t) = basis.du.row(t);
    table.psi.col(3 * t + 1) = basis.dv.row(t);
    table.psi.col(3 * t + 2) = basis.value.row(t);
  }
  const int q = order.thickness;
  table.coefficient.reserve(table.levels * (q + 1) * (q + 1) * 81);
  for (int s = 0; s < table.levels; ++s) {
    const auto value = line_value(q, level[s]), slope = line_slope(q, level[s]);
    for (int c = 0; c <= q; ++c)
      for (int d = 0; d <= q; ++d)
        for (int row = 0; row < 9; ++row)
          for (int column = 0; column < 9; ++column)
            table.coefficient.push_back((row % 3 == 2 ? slope[c] : value[c]) *
                                        (column % 3 == 2 ? slope[d] : value[d]));
  }
  return table;
}

}  // namespace

RuleTable make_rule_table(PrismOrder order, const LayeredRule& rule) {
  RuleTable table;
  table.nodes = order.nodes();
  table.points = static_cast<int>(rule.points.rows());
  table.packs = (table.points + kLanes - 1) / kLanes;
  const PrismBasis basis = prism_basis(order, rule.points);
  for (int pack = 0; pack < table.packs; ++pack) {
    Pack weight{};
    std::array<int, kLanes> at, layer;
    for (int l = 0; l < kLanes; ++l) {
      at[l] = std::min(kLanes * pack + l, table.points - 1);
      layer[l] = rule.layer[at[l]];
      weight[l] = kLanes * pack + l < table.points ? rule.weights[at[l]] : 0.0;
    }
    table.weight.push_back(weight);
    table.layer.push_back(layer);
    for (int a = 0; a < table.nodes; ++a) {
      Pack value;
      for (int l = 0; l < kLanes; ++l) value[l] = basis.value(at[l], a);
      table.value.push_back(value);
      for (int k = 0; k < 3; ++k) {
        Pack slope;
        for (int l = 0; l < kLanes; ++l) slope[l] = basis.derivative[k](at[l], a);
        table.gradient.push_back(slope);
      }
    }
  }
  table.gradient_columns.resize(table.nodes, 3 * table.points);
  for (int p = 0; p < table.points; ++p)
    for (int k = 0; k < 3; ++k) table.gradient_columns.col(3 * p + k) = basis.derivative[k].row(p);
  table.tensor = tensor_table(order, rule);
  return table;
}

}  // namespace furrow
