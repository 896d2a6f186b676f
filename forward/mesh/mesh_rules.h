// Quadrature for a whole prism mesh.
#pragma once

#include <vector>

#include "forward/element/layered_rule.h"
#include "forward/mesh/prism_mesh.h"

namespace furrow {

/// Rules of a mesh; elements with the same sublayers share one.
struct MeshRules {
  std::vector<LayeredRule> rules;
  std::vector<int> rule_of_element;
};
MeshRules mesh_rules(const PrismMesh& mesh, RuleKind kind);

}  // namespace furrow
