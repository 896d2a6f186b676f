
#include <gtest/gtest.h>

#include <cmath>

#include "forward/mesh/mesh_rules.h"
#include "forward/mesh/prism_shell.h"
#include "tests/forward/prism_stiffness.h"

namespace furrow {
namespace {

VectorXd one(double value) {
  return VectorXd::Constant(1, value);
}
std::vector<Sublayer> cut_at(double w) {
  return {{one(-1), one(w), 1}, {one(w), one(1), 0}};
}
constexpr double kYoung[] = {4, 0.02};  // by layer

TEST(LayeredRule, MeanModulusIsTheGoldenOne) {
  const nlohmann::json golden = testing::read_golden("composite_and_rank.json")["composite"];
  const double cut = golden["wcut"].get<double>();
  const LayeredRule rule = layered_rule(prism_rule(10), 4, cut_at(cut));
  ASSERT_EQ(rule.weights.size(), 170);
  double mean = 0;
  for (int g = 0; g < 170; ++g) mean += rule.weights[g] * kYoung[rule.layer[g]];
  EXPECT_NEAR(mean, golden["mean_E_composite"].get<double>(), 1e-12);
  EXPECT_NEAR(mean, golden["mean_E_exact"].get<double>(), 1e-12);

  const PrismRule single = prism_rule(10);
  double switched = 0;
  for (int g = 0; g < 85; ++g) switched += single.weights[g] * kYoung[single.points(g, 2) > cut ? 0 : 1];
  EXPECT_NEAR(switched, golden["mean_E_single_rule_switch"].get<double>(), 1e-12);
}

/// Polynomials that jump at the cut, up to the rule's degree: u^a v^b w^c on each side with its own factor.
TEST(LayeredRule, IntegratesPiecewisePolynomialsExactly) {
  const double cut = 0.8;
  const LayeredRule rule = layered_rule(prism_rule(10), 4, cut_at(cut));
  for (int a = 0; a <= 10; ++a)
    for (int b = 0; a + b <= 10; ++b)
      for (int c = 0; a + b + c <= 10; ++c) {
        double sum = 0;
        for (Eigen::Index g = 0; g < rule.weights.size(); ++g)
          sum += rule.weights[g] * kYoung[rule.layer[g]] * std::pow(rule.points(g, 0), a) *
                 std::pow(rule.points(g, 1), b) * std::pow(rule.points(g, 2), c);
        const auto line = [&](double from, double to) {
          return (std::pow(to, c + 1) - std::pow(from, c + 1)) / (c + 1);
        };
        const double plane = std::exp(std::lgamma(a + 1) + std::lgamma(b + 1) - std::lgamma(a + b + 3));
        EXPECT_NEAR(sum, plane * (kYoung[1] * line(-1, cut) + kYoung[0] * line(cut, 1)), 1e-15);
      }
}

/// A layer between w = a(u, v) and 1 has the volume of the integral of (1 - a).
TEST(LayeredRule, FollowsBoundsThatVaryInThePlane) {
  const Points2 nodes = triangle_nodes(2);
  const VectorXd bound = 0.3 * nodes.col(0).array().square() - 0.4 * nodes.col(1).array() + 0.1;
  const std::vector<Sublayer> sublayers{{one(-1), bound, 1}, {bound, one(1), 0}};
  const PrismRule tensor = tensor_rule(triangle_rule(6), 3);
  const LayeredRule rule = layered_rule(tensor, 2, sublayers);
  EXPECT_EQ(rule.line_points, 0);
  double above = 0, moment = 0;
  for (Eigen::Index g = 0; g < rule.weights.size(); ++g)
    if (rule.layer[g] == 0) {
      above += rule.weights[g];
      moment += rule.weights[g] * rule.points(g, 2);
      const double u = rule.points(g, 0), v = rule.points(g, 1);
      EXPECT_GT(rule.points(g, 2), 0.3 * u * u - 0.4 * v + 0.1);
    }
  // integrals over the triangle of u^2 = 1/12, v = 1/6, u^4 = 1/30, v^2 = 1/12, u^2 v = 1/60
  EXPECT_NEAR(above, 0.5 - (0.3 / 12 - 0.4 / 6 + 0.1 / 2), 1e-15);
  const double square = 0.09 / 30 + 0.16 / 12 + 0.01 / 2 - 0.24 / 60 + 0.06 / 12 - 0.08 / 6;
  EXPECT_NEAR(moment, 0.25 - square / 2, 1e-15);
  EXPECT_EQ(layered_rule(tensor, 2, {{one(-1), VectorXd::Constant(6, 1), 0}}).line_points, 3);
  EXPECT_THROW(layered_rule(tensor, 2, {{one(-1), VectorXd::Ones(5), 0}}), std::logic_error);
}

TEST(MeshRules, AreSharedByEqualElements) {
  PrismMesh mesh = make_patch({4, 2}, {}, skin_plan(2, 0.1, StackKind::stack));
  MeshRules rules = mesh_rules(mesh, RuleKind::tensor);
  ASSERT_EQ(rules.rules.size(), 2u);
  EXPECT_EQ(rules.rules[0].line_points, 3);
  ASSERT_EQ(rules.rule_of_element.size(), 48u);
  for (int e = 0; e < 48; ++e) EXPECT_EQ(rules.rules[rules.rule_of_element[e]].layer[0], e % 3 == 2 ? 0 : 1);

  mesh = make_patch({4, 2}, {}, skin_plan(2, 0.1, StackKind::seed));
  rules = mesh_rules(mesh, RuleKind::exact);
  ASSERT_EQ(rules.rules.size(), 1u);
  EXPECT_EQ(rules.rules[0].weights.size(), 170);
  EXPECT_NEAR(rules.rules[0].weights.sum(), 1, 1e-15);
  mesh.sublayers[5][0].high[0] = mesh.sublayers[5][1].low[0] = 0.7;
  rules = mesh_rules(mesh, RuleKind::exact);
  EXPECT_EQ(rules.rules.size(), 2u);
  EXPECT_EQ(rules.rule_of_element[5], 1);
}

}  // namespace
}  // namespace furrow
