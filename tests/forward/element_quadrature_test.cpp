#include "forward/element/quadrature.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/forward/prism_stiffness.h"

namespace furrow {
namespace {

using testing::read_golden;

/// Integral of u^a v^b over the triangle: a! b! / (a + b + 2)!
double triangle_moment(int a, int b) {
  return std::exp(std::lgamma(a + 1) + std::lgamma(b + 1) - std::lgamma(a + b + 3));
}
double prism_moment(int a, int b, int c) {
  return c % 2 == 1 ? 0 : triangle_moment(a, b) * 2 / (c + 1);
}

/// Sums in long double, so that only the tables' own rounding is seen.
using Long = Eigen::Array<long double, Eigen::Dynamic, 1>;
double sum(const TriangleRule& rule, int a, int b) {
  const Long u = rule.points.col(0).cast<long double>(), v = rule.points.col(1).cast<long double>();
  return static_cast<double>((rule.weights.cast<long double>().array() * u.pow(a) * v.pow(b)).sum());
}
double sum(const PrismRule& rule, int a, int b, int c) {
  const Long u = rule.points.col(0).cast<long double>(), v = rule.points.col(1).cast<long double>(),
             w = rule.points.col(2).cast<long double>();
  return static_cast<double>(
      (rule.weights.cast<long double>().array() * u.pow(a) * v.pow(b) * w.pow(c)).sum());
}

/// The largest error among the monomials of one degree.
double error_of_degree(const TriangleRule& rule, int degree) {
  double error = 0;
  for (int a = 0; a <= degree; ++a)
    error = std::max(error, std::abs(sum(rule, a, degree - a) - triangle_moment(a, degree - a)));
  return error;
}
double error_of_degree(const PrismRule& rule, int degree) {
  double error = 0;
  for (int a = 0; a <= degree; ++a)
    for (int b = 0; a + b <= degree; ++b)
      error = std::max(error, std::abs(sum(rule, a, b, degree - a - b) - prism_moment(a, b, degree - a - b)));
  return error;
}

template <class Rule>
void expect_degree(const Rule& rule, const std::string& name) {
  for (int degree = 0; degree <= rule.degree; ++degree)
    EXPECT_LT(error_of_degree(rule, degree), 1e-15) << name << ", degree " << degree;
  EXPECT_GT(error_of_degree(rule, rule.degree + 1), 5e-10) << name;
}

template <class Rule>
void expect_entry(const Rule& rule, const nlohmann::json& entry, const std::string& name) {
  EXPECT_EQ(rule.points.rows(), entry["n"].get<int>()) << name;
  EXPECT_EQ(rule.degree, entry["degree"].get<int>()) << name;
  EXPECT_NEAR(rule.weights.sum(), entry["wsum"].get<double>(), 1e-12) << name;
  EXPECT_NEAR(rule.weights.minCoeff(), entry["min_w"].get<double>(), 1e-12) << name;
  const auto u = rule.points.col(0).array(), v = rule.points.col(1).array();
  bool inside = (u > 0).all() && (v > 0).all() && (u + v < 1).all();
  if constexpr (std::is_same_v<Rule, PrismRule>) {
    const auto w = rule.points.col(2).array().abs();
    inside = inside && (w < 1).all();
    EXPECT_EQ((w == 1).count(), entry["points_on_caps"].get<int>()) << name;
  }
  EXPECT_EQ(inside, entry["strictly_inside"].get<bool>()) << name;
}

TEST(Quadrature, TablesAreTheGoldenOnes) {
  const nlohmann::json golden = read_golden("quadrature_report.json");
  int prisms = 0, triangles = 0;
  for (const auto& [name, entry] : golden.items()) {
    const int degree = entry["degree"].get<int>();
    if (name.starts_with("prism")) {
      expect_entry(prism_rule(degree), entry, name);
      expect_degree(prism_rule(degree), name);
      ++prisms;
    } else {
      expect_entry(triangle_rule(degree), entry, name);
      expect_degree(triangle_rule(degree), name);
      ++triangles;
    }
  }
  EXPECT_EQ(prisms, 10);
  EXPECT_EQ(triangles, 11);
}

TEST(Quadrature, TakesTheSmallestDegreeThatSuffices) {
  EXPECT_EQ(triangle_rule(3).degree, 4);
  EXPECT_EQ(triangle_rule(0).degree, 1);
  EXPECT_EQ(prism_rule(10).weights.size(), 85);
  EXPECT_EQ(prism_rule_two_points().weights.size(), 2);
  EXPECT_THROW(triangle_rule(13), std::invalid_argument);
  EXPECT_THROW(prism_rule(11), std::invalid_argument);
}

TEST(Quadrature, TensorRulesAreExactInPlaneAndInThickness) {
  for (const int line_points : {1, 2, 3, 4}) {
    const TriangleRule triangle = triangle_rule(8);
    const PrismRule rule = tensor_rule(triangle, line_points);
    ASSERT_EQ(rule.line_points, line_points);
    ASSERT_EQ(rule.weights.size(), 16 * line_points);
    for (int a = 0; a <= 8; ++a)
      for (int b = 0; a + b <= 8; ++b)
        for (int c = 0; c < 2 * line_points; ++c)
          EXPECT_NEAR(sum(rule, a, b, c), prism_moment(a, b, c), 1e-15);
    EXPECT_GT(std::abs(sum(rule, 0, 0, 2 * line_points) - prism_moment(0, 0, 2 * line_points)), 1e-3);
    for (int t = 0; t < 16; ++t)
      for (int l = 0; l < line_points; ++l)
        EXPECT_EQ(rule.points.row(t * line_points + l).head(2), triangle.points.row(t));
  }
}

TEST(Quadrature, SubTrianglesKeepTheDegree) {
  for (const int n : {1, 2, 3, 8}) {
    const TriangleRule rule = subdivide_rule(triangle_rule(4), n);
    EXPECT_EQ(rule.weights.size(), 6 * n * n);
    EXPECT_GT(rule.points.minCoeff(), 0);
    EXPECT_LT(rule.points.rowwise().sum().maxCoeff(), 1);
    for (int degree = 0; degree <= 4; ++degree) EXPECT_LT(error_of_degree(rule, degree), 1e-15);
  }
}

TEST(Quadrature, EveryOrderHasItsRules) {
  const auto points = [](int p, int q, RuleKind kind) { return rule_for({p, q}, kind).weights.size(); };
  EXPECT_EQ(points(1, 1, RuleKind::exact), 5);
  EXPECT_EQ(points(2, 2, RuleKind::exact), 28);
  EXPECT_EQ(points(3, 2, RuleKind::exact), 46);
  EXPECT_EQ(points(4, 2, RuleKind::exact), 85);
  EXPECT_EQ(points(4, 2, RuleKind::tensor), 75);
  EXPECT_EQ(points(1, 1, RuleKind::seed), 2);
  EXPECT_EQ(points(2, 2, RuleKind::seed), 11);
  EXPECT_EQ(points(3, 2, RuleKind::seed), 16);
  EXPECT_EQ(points(4, 2, RuleKind::seed), 28);
}

PrismRule rule_named(const std::string& name) {
  return name == "prism_2pt" ? prism_rule_two_points()
                             : prism_rule(std::stoi(name.substr(name.rfind('d') + 1)));
}

TEST(Quadrature, StiffnessHasTheGoldenRank) {
  const nlohmann::json golden = read_golden("composite_and_rank.json")["element_stiffness_rank"];
  ASSERT_GT(golden.size(), 10u);
  for (const auto& [name, entry] : golden.items()) {
    const PrismOrder order{name[1] - '0', name[3] - '0'};
    const MatrixXd K = testing::affine_stiffness(order, rule_named(name.substr(5)));
    EXPECT_EQ(K.rows(), entry["ndof"].get<int>()) << name;
    EXPECT_EQ(testing::zero_modes(K), entry["zero_modes"].get<int>()) << name;
  }
}

TEST(Quadrature, RulesOfAnOrderAreExactAtRest) {
  for (int p = 1; p <= 4; ++p)
    for (int q = 1; q <= 2; ++q) {
      const MatrixXd most = testing::affine_stiffness({p, q}, tensor_rule(triangle_rule(12), 6));
      for (const RuleKind kind : {RuleKind::tensor, RuleKind::exact}) {
        const MatrixXd K = testing::affine_stiffness({p, q}, rule_for({p, q}, kind));
        EXPECT_LT((K - most).norm(), 1e-13 * most.norm()) << p << q;
        EXPECT_EQ(testing::zero_modes(K), 6) << p << q;
      }
      const MatrixXd seed = testing::affine_stiffness({p, q}, rule_for({p, q}, RuleKind::seed));
      const bool suffices = p == 2 && q == 1;
      EXPECT_EQ((seed - most).norm() < 1e-3 * most.norm(), suffices) << p << q;
    }
}

}  // namespace
}  // namespace furrow
