#include "forward/element/layered_rule.h"

#include "forward/base/error.h"

namespace furrow {
namespace {

bool is_constant(const VectorXd& values) {
  return (values.array() == values[0]).all();
}

/// A bound of a sublayer at points of the triangle, given its basis there.
VectorXd at_points(const VectorXd& bound, const MatrixXd& basis) {
  if (is_constant(bound)) return VectorXd::Constant(basis.rows(), bound[0]);
  return basis * bound;
}

}  // namespace

LayeredRule layered_rule(const PrismRule& rule, int p, const std::vector<Sublayer>& sublayers) {
  const Eigen::Index count = rule.points.rows(), layers = static_cast<Eigen::Index>(sublayers.size());
  const MatrixXd basis = triangle_basis(p, rule.points.leftCols<2>()).value;
  LayeredRule result{Points3(count * layers, 3), VectorXd(count * layers), {}, rule.line_points};
  for (Eigen::Index s = 0; s < layers; ++s) {
    const auto& [low, high, layer] = sublayers[s];
    const auto fits = [&](const VectorXd& bound) {
      return bound.size() == 1 || bound.size() == basis.cols();
    };
    require(fits(low) && fits(high), "a sublayer's bound has one value, or one a column of nodes");
    // where the bounds vary in the plane, so do the w of a line of points
    if (!is_constant(low) || !is_constant(high)) result.line_points = 0;
    const Eigen::ArrayXd a = at_points(low, basis), b = at_points(high, basis);
    const auto rows = Eigen::seqN(s * count, count);
    // w' = a + (w + 1)/2 (b - a),  weight' = weight (b - a)/2
    result.points(rows, Eigen::seqN(0, 2)) = rule.points.leftCols<2>();
    result.points(rows, 2) = a + (rule.points.col(2).array() + 1) / 2 * (b - a);
    result.weights(rows) = rule.weights.array() * (b - a) / 2;
    result.layer.insert(result.layer.end(), count, layer);
  }
  return result;
}

}  // namespace furrow
