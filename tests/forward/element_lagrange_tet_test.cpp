// Tetrahedra of order 1 and 2: shape functions, their rule, and the patch test.
#include "forward/element/lagrange_tet.h"

#include <gtest/gtest.h>

#include "tests/forward/tet_body.h"

namespace furrow {
namespace {

using testing::EveryTet;

constexpr double kCorner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

std::array<double, 3> node(int a) {
  if (a < 4) return {kCorner[a][0], kCorner[a][1], kCorner[a][2]};
  const auto [i, j] = kTetEdges[a - 4];
  return {0.5 * (kCorner[i][0] + kCorner[j][0]), 0.5 * (kCorner[i][1] + kCorner[j][1]),
          0.5 * (kCorner[i][2] + kCorner[j][2])};
}

TEST(LagrangeTet, ShapeFunctionsAreOneAtTheirNodeAndSumToOne) {
  for (const int n : {4, 10}) {
    double value[10], gradient[10][3];
    for (int a = 0; a < n; ++a) {
      const auto at = node(a);
      tet_shape(n, at[0], at[1], at[2], value, gradient);
      for (int b = 0; b < n; ++b) EXPECT_NEAR(value[b], a == b, 1e-15);
    }
    tet_shape(n, 0.1, 0.23, 0.41, value, gradient);
    double sum = 0;
    Vec3 slope = Vec3::Zero(), position = Vec3::Zero();
    for (int a = 0; a < n; ++a) {
      sum += value[a];
      slope += Vec3(gradient[a][0], gradient[a][1], gradient[a][2]);
      position += value[a] * Vec3(node(a)[0], node(a)[1], node(a)[2]);
    }
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_LT(slope.norm(), 1e-15);
    EXPECT_LT((position - Vec3(0.1, 0.23, 0.41)).norm(), 1e-15);
  }
}

TEST(LagrangeTet, DerivativesOfShapeFunctions) {
  const VectorXd at = Vec3(0.2, 0.15, 0.33);
  for (int a = 0; a < 10; ++a)
    testing::check_derivative(
        [&](const VectorXd& u) {
          double value[10], gradient[10][3];
          tet_shape(10, u[0], u[1], u[2], value, gradient);
          return VectorXd::Constant(1, value[a]);
        },
        [&](const VectorXd& u, const VectorXd& d) {
          double value[10], gradient[10][3];
          tet_shape(10, u[0], u[1], u[2], value, gradient);
          return VectorXd::Constant(1, gradient[a][0] * d[0] + gradient[a][1] * d[1] + gradient[a][2] * d[2]);
        },
        at, 0.05);
}

/// Integral of a function of (u, v, w) by a table's rule; the points are where the linear shape functions
/// say.
template <int N, int Q>
double integrate(const TetTable<N, Q>& table, double (*f)(double, double, double)) {
  double sum = 0;
  for (int q = 0; q < Q; ++q) {
    Vec3 at = Vec3::Zero();
    for (int a = 0; a < N; ++a) at += table.value[q][a] * Vec3(node(a)[0], node(a)[1], node(a)[2]);
    sum += table.weight[q] * f(at[0], at[1], at[2]);
  }
  return sum;
}

TEST(LagrangeTet, RulesAreExactToTheirDegree) {
  EXPECT_NEAR(integrate(linear_tet(), [](double, double, double) { return 1.0; }), 1.0 / 6, 1e-16);
  EXPECT_NEAR(integrate(linear_tet(), [](double u, double, double w) { return u + 2 * w; }), 3.0 / 24, 1e-16);
  EXPECT_NEAR(integrate(quadratic_tet(), [](double, double, double) { return 1.0; }), 1.0 / 6, 1e-16);
  EXPECT_NEAR(integrate(quadratic_tet(), [](double u, double, double) { return u * u; }), 2.0 / 120, 1e-16);
  EXPECT_NEAR(integrate(quadratic_tet(), [](double, double v, double w) { return v * w; }), 1.0 / 120, 1e-16);
}

TEST_P(EveryTet, PatchTest) {  // an affine motion has constant stress and no interior residual
  const testing::TetBody body = testing::tet_body(order(), 3, 0);  // straight edges: the rule is exact
  const Moduli unit = unit_moduli(law(), 0.45);
  const VectorXd ones = VectorXd::Constant(body.mesh.element_count(), 4e-3);
  const auto elastic = make_tet_elastic(law(), body.mesh.elements, body.mesh.nodes);
  Mat3 F;
  F << 1.1, 0.2, -0.1, 0.05, 0.9, 0.1, 0, 0.15, 1.05;
  const Positions x = (body.mesh.nodes * F.transpose()).rowwise() + Eigen::RowVector3d(3, -2, 1);
  const ElasticValue value = elastic->evaluate(body.mesh.nodes, x, {unit.mu * ones, unit.k * ones}, true);
  const PointResponse point = evaluate_point(law(), {4e-3 * unit.mu, 4e-3 * unit.k}, F);
  const double volume = elastic->nodal_volume(body.mesh.nodes).sum();
  EXPECT_NEAR(value.energy, point.energy * volume, 1e-13 * value.energy);
  EXPECT_NEAR(value.smallest_j, F.determinant(), 1e-13);
  // the virial sum_a f_a X_a' = integral of P
  EXPECT_LT((value.gradient.transpose() * body.mesh.nodes - volume * point.stress).norm(),
            1e-12 * volume * point.stress.norm());
  EXPECT_LT(value.gradient.colwise().sum().norm(), 1e-14);  // reactions balance

  std::vector<bool> boundary(body.mesh.node_count(), false);
  const BoundaryFaces faces = boundary_faces(body.mesh);
  for (std::size_t f = 0; f < faces.element.size(); ++f) {
    const auto corners = kTetFaces[faces.face[f]];
    for (const int c : corners) boundary[body.mesh.elements(faces.element[f], c)] = true;
    for (int edge = 0; order() == 2 && edge < 6; ++edge) {
      const auto on = [&](int c) { return std::find(corners.begin(), corners.end(), c) != corners.end(); };
      if (on(kTetEdges[edge][0]) && on(kTetEdges[edge][1]))
        boundary[body.mesh.elements(faces.element[f], 4 + edge)] = true;
    }
  }
  int interior = 0;
  for (int i = 0; i < body.mesh.node_count(); ++i) {
    if (boundary[i]) continue;
    ++interior;
    EXPECT_LT(value.gradient.row(i).norm(), 1e-12 * value.gradient.norm()) << i;
  }
  EXPECT_GE(interior, 1);
}

INSTANTIATE_TEST_SUITE_P(All, EveryTet,
                         ::testing::Combine(::testing::ValuesIn(testing::kLaws), ::testing::Values(1, 2)),
                         testing::tet_name);

}  // namespace
}  // namespace furrow
