// One element across several material layers: the rule is used once per layer, remapped in w only (THEORY 3):
//
//   w' = a + (w + 1)/2 (b - a),  weight' = weight (b - a)/2      on the layer a <= w' <= b
//
// which integrates piecewise polynomials exactly. Layers are told apart by index, never by comparing w (two
// points of the 85-point rule lie on the caps).
#pragma once

#include <vector>

#include "forward/element/quadrature.h"

namespace furrow {

/// One material layer inside an element: it reaches from `low` to `high` in the element's own w in [-1, 1].
/// One value for the whole element, or one a column of nodes (face_nodes() of them, interpolated by the
/// triangle's basis) where the thickness varies.
struct Sublayer {
  VectorXd low, high;
  int layer = 0;  ///< index into the scene's layers
};

struct LayeredRule {
  Points3 points;
  VectorXd weights;
  std::vector<int> layer;  ///< per point
  int line_points = 0;     ///< tensor structure kept within each layer; 0: none
};

/// The rule of an element of the given sublayers (their low/high may vary with (u, v)).
LayeredRule layered_rule(const PrismRule& rule, int p, const std::vector<Sublayer>& sublayers);

}  // namespace furrow
