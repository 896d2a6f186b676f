// One element across several material layers: the rule is used once per layer, remapped in w only (THEORY 3):
//
//   w' = a + (w + 1)/2 (b - a),  weight' = weight (b - a)/2      on the layer a <= w' <= b
//
// which integrates piecewise polynomials exactly. Layers are told apart by index, never by comparing w (two
// points of the 85-point rule lie on the caps).
#pragma once

#include <vector>

#include "forward/element/quadrature.h"
#include "forward/mesh/prism_mesh.h"

namespace furrow {

struct LayeredRule {
  Points3 points;
  VectorXd weights;
  std::vector<int> layer;  ///< per point
  int line_points = 0;     ///< tensor structure kept within each layer; 0: none
};

/// The rule of an element of the given sublayers (their low/high may vary with (u, v)).
LayeredRule layered_rule(const PrismRule& rule, int p, const std::vector<Sublayer>& sublayers);

/// Rules of a mesh; elements with the same sublayers share one.
struct MeshRules {
  std::vector<LayeredRule> rules;
  std::vector<int> rule_of_element;
};
MeshRules mesh_rules(const PrismMesh& mesh, RuleKind kind);

}  // namespace furrow
