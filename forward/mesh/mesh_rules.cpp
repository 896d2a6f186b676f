#include "forward/mesh/mesh_rules.h"

#include <map>

namespace furrow {
namespace {

/// Numbers that are equal where two elements may share a rule.
std::vector<double> key_of(const std::vector<Sublayer>& sublayers) {
  std::vector<double> key;
  const auto append = [&](const VectorXd& values) {
    const Eigen::Index count = (values.array() == values[0]).all() ? 1 : values.size();
    key.push_back(static_cast<double>(count));
    key.insert(key.end(), values.data(), values.data() + count);
  };
  for (const Sublayer& sublayer : sublayers) {
    key.push_back(sublayer.layer);
    append(sublayer.low);
    append(sublayer.high);
  }
  return key;
}

}  // namespace

MeshRules mesh_rules(const PrismMesh& mesh, RuleKind kind) {
  const PrismRule rule = rule_for(mesh.order, kind);
  MeshRules result;
  std::map<std::vector<double>, int> number;
  for (const std::vector<Sublayer>& sublayers : mesh.sublayers) {
    const auto [found, is_new] = number.try_emplace(key_of(sublayers), static_cast<int>(result.rules.size()));
    if (is_new) result.rules.push_back(layered_rule(rule, mesh.order.in_plane, sublayers));
    result.rule_of_element.push_back(found->second);
  }
  return result;
}

}  // namespace furrow
