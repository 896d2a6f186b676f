#include "forward/element/lagrange_prism.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/check_derivative.h"

namespace furrow {
namespace {

const std::vector<PrismOrder> kOrders{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 1}, {3, 2}, {4, 1}, {4, 2}};

nlohmann::json golden() {
  std::ifstream in(std::string(FURROW_SOURCE_DIR) + "/tests/golden/elements.json");
  return nlohmann::json::parse(in);
}

Points3 some_points(int count) {
  Points3 points(count, 3);
  const VectorXd numbers = testing::random_vector(3 * count, 11);
  for (int i = 0; i < count; ++i) {
    const double a = std::abs(std::sin(numbers[3 * i])), b = std::abs(std::sin(numbers[3 * i + 1]));
    points.row(i) << a * (1 - b), a * b, std::sin(numbers[3 * i + 2]);
  }
  return points;
}

TEST(LagrangePrism, EqualsTheGoldenShapeFunctions) {
  const auto entry = golden()["golden_p4q2_at_(0.2,0.3,-0.4)"];
  const PrismBasis basis = prism_basis({4, 2}, (Points3(1, 3) << 0.2, 0.3, -0.4).finished());
  ASSERT_EQ(entry["N"].size(), 45u);
  for (int n = 0; n < 45; ++n) {
    EXPECT_NEAR(basis.value(0, n), entry["N"][n].get<double>(), 1e-13) << n;
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(basis.derivative[c](0, n), entry["dN"][n][c].get<double>(), 1e-13) << n << ", " << c;
  }
}

TEST(LagrangePrism, NumbersItsNodesAsTheGoldenListsSay) {
  const auto entry = golden();
  for (const PrismOrder order : kOrders) {
    const std::string name = "p" + std::to_string(order.in_plane) + "q" + std::to_string(order.thickness);
    EXPECT_EQ(native_to_vtk(order), entry["native_to_vtk"][name].get<std::vector<int>>()) << name;
    EXPECT_EQ(order.nodes(), entry[name]["n"].get<int>()) << name;
  }
}

TEST(LagrangePrism, IsOneAtItsNodeAndZeroAtTheOthers) {
  for (const PrismOrder order : kOrders) {
    const MatrixXd value = prism_basis(order, prism_nodes(order)).value;
    EXPECT_LT((value - MatrixXd::Identity(order.nodes(), order.nodes())).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(LagrangePrism, SumsToOneEverywhere) {
  for (const PrismOrder order : kOrders) {
    const PrismBasis basis = prism_basis(order, some_points(50));
    EXPECT_LT((basis.value.rowwise().sum().array() - 1).abs().maxCoeff(), 5e-15);
    for (const MatrixXd& derivative : basis.derivative)
      EXPECT_LT(derivative.rowwise().sum().cwiseAbs().maxCoeff(), 2e-14);
  }
}

TEST(LagrangePrism, ReproducesThePolynomialsOfItsOrder) {
  for (const PrismOrder order : kOrders) {
    const Points3 points = some_points(50), nodes = prism_nodes(order);
    const MatrixXd value = prism_basis(order, points).value;
    const int p = order.in_plane, q = order.thickness;
    const auto polynomial = [&](const Points3& at) -> VectorXd {
      const auto u = at.col(0).array(), v = at.col(1).array(), w = at.col(2).array();
      return (0.3 + (u - 0.7 * v + 0.2).pow(p) - 0.5 * u.pow(p - 1) * v) * (1 - 0.4 * w.pow(q));
    };
    EXPECT_LT((value * polynomial(nodes) - polynomial(points)).cwiseAbs().maxCoeff(), 2e-14);
  }
}

TEST(LagrangePrism, DerivativesHaveTheOrderOfCentralDifferences) {
  for (const PrismOrder order : kOrders) {
    const auto row = [](const VectorXd& at) -> Points3 { return at.transpose(); };
    testing::check_derivative(
        [&](const VectorXd& at) { return prism_basis(order, row(at)).value.transpose(); },
        [&](const VectorXd& at, const VectorXd& v) -> VectorXd {
          const PrismBasis basis = prism_basis(order, row(at));
          VectorXd sum = VectorXd::Zero(order.nodes());
          for (int c = 0; c < 3; ++c) sum += basis.derivative[c].transpose() * v[c];
          return sum;
        },
        Vec3(0.21, 0.37, -0.3), 1e-2);
  }
}

TEST(LagrangePrism, SubdivisionTilesTheTriangle) {
  for (int p = 1; p <= 4; ++p) {
    const Triangles triangles = triangle_subdivision(p);
    const Points2 nodes = triangle_nodes(p);
    ASSERT_EQ(triangles.rows(), p * p);
    std::set<std::array<double, 2>> middles;
    for (int t = 0; t < p * p; ++t) {
      const Eigen::RowVector2d a = nodes.row(triangles(t, 1)) - nodes.row(triangles(t, 0)),
                               b = nodes.row(triangles(t, 2)) - nodes.row(triangles(t, 0));
      EXPECT_NEAR(a[0] * b[1] - a[1] * b[0], 1.0 / (p * p), 1e-15);
      const Eigen::RowVector2d middle =
          nodes.row(triangles(t, 0)) + nodes.row(triangles(t, 1)) + nodes.row(triangles(t, 2));
      middles.insert({std::round(1e6 * middle[0]), std::round(1e6 * middle[1])});
    }
    EXPECT_EQ(static_cast<int>(middles.size()), p * p);
  }
}

TEST(LagrangePrism, RefusesOtherOrders) {
  EXPECT_THROW(triangle_nodes(0), std::logic_error);
  EXPECT_THROW(triangle_nodes(5), std::logic_error);
  EXPECT_THROW(prism_nodes({2, 3}), std::logic_error);
  EXPECT_THROW(native_to_vtk({0, 1}), std::logic_error);
}

}  // namespace
}  // namespace furrow
