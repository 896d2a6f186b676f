// Lagged smooth friction: the polynomial against golden/contact.json, derivatives by error order, convexity,
// and that no slip means no force.
#include "forward/potential/friction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/forward/point_law_checks.h"

namespace furrow {
namespace {

using testing::check_by_scalar;
using testing::check_components;
using testing::check_point_law;
using testing::golden;
using testing::smallest_eigenvalue;
using testing::some_rotation;

constexpr double eps = 0.2;
const Vec3 normal = Vec3(0.2, -0.4, 0.9).normalized();
const Friction law{0.8, 1.3, normal, eps};

/// Creeping, sticking, just under and over the slip distance, sliding.
const std::vector<Vec3> slips{Vec3(0.004, -0.002, 0.5), Vec3(0.05, 0.03, -0.02), Vec3(0.12, 0.09, 0.03),
                              Vec3(0.25, 0.2, 0.1), Vec3(-3, 2, 1)};

TEST(FrictionPolynomial, EqualsTheGoldenTable) {
  const auto g = golden("contact.json")["friction_poly"];
  for (std::size_t k = 0; k < g["delta"].size(); ++k) {
    const FrictionPolynomial f = friction_polynomial(g["delta"][k], g["eps"]);
    EXPECT_NEAR(f.value, g["f"][k].get<double>(), 1e-12);
    EXPECT_NEAR(f.first, g["f1"][k].get<double>(), 1e-12);
    EXPECT_NEAR(f.second, g["f2"][k].get<double>(), 1e-12);
  }
}

TEST(FrictionPolynomial, JoinsSlidingWithThreeDerivatives) {
  const FrictionPolynomial below = friction_polynomial(eps * (1 - 1e-6), eps),
                           at = friction_polynomial(eps, eps);
  EXPECT_NEAR(below.value, at.value - 1e-6 * eps, 1e-15);
  EXPECT_NEAR(below.first, at.first, 1e-14);
  EXPECT_NEAR(below.second, 0, 1e-9);  // 30 (1 - s)^2/eps: its slope is 0 too
  EXPECT_NEAR(friction_polynomial(eps / 2, eps).second, 1.875 / eps, 1e-12);
}

TEST(Friction, DerivativesHaveTheRightOrder) {
  for (const Vec3& u : slips) {
    check_point_law([&](const Vec3& y) { return law.value(y); }, u, 1e-3 * std::max(1.0, u.norm()));
    check_components([&](const Vec3& y) { return law.value(y).gradient; }, law.value(u).hessian, u, 1e-6,
                     1e-7);
  }
}

TEST(Friction, ParameterDerivativesHaveTheRightOrder) {
  for (const Vec3& u : slips) {
    check_by_scalar(
        [&](double mu) {
          return Friction{mu, 1.3, normal, eps}.value(u).gradient;
        },
        [&](double mu) {
          return Friction{mu, 1.3, normal, eps}.gradient_by_coefficient(u);
        },
        0.8, 0.1);
    check_by_scalar(
        [&](double f) {
          return Friction{0.8, f, normal, eps}.value(u).gradient;
        },
        [&](double f) {
          return Friction{0.8, f, normal, eps}.gradient_by_pressure(u);
        },
        1.3, 0.1);
  }
}

/// Along the sphere of unit normals, n(s) = normalised (n + s t): the derivative by n then acts on dn = T t.
TEST(Friction, NormalDerivativeHasTheRightOrder) {
  const Mat3 T = Mat3::Identity() - normal * normal.transpose();
  for (const Vec3& u : slips) {
    const double h = 2e-4;
    testing::check_derivative(
        [&](const VectorXd& t) {
          return VectorXd(Friction{0.8, 1.3, (normal + Vec3(t)).normalized(), eps}.value(u).gradient);
        },
        [&](const VectorXd& t, const VectorXd& v) {
          const Vec3 m = normal + Vec3(t), n = m.normalized();
          const Vec3 dn = (v - n * n.dot(Vec3(v))) / m.norm();
          return VectorXd(Friction{0.8, 1.3, n, eps}.gradient_by_normal(u) * dn);
        },
        VectorXd::Zero(3), h, 7, 3, 0.08);
    check_components(
        [&](const Vec3& t) {
          return Friction{0.8, 1.3, (normal + t).normalized(), eps}.value(u).gradient;
        },
        law.gradient_by_normal(u) * T, Vec3::Zero(), 1e-6, 1e-6);
  }
}

TEST(Friction, NoSlipMeansNoForceAndNoStiffness) {
  for (const Vec3& u : {Vec3(Vec3::Zero()), Vec3(0.7 * normal)}) {
    const PointValue value = law.value(u);
    EXPECT_LT(std::abs(value.energy), 1e-60);
    EXPECT_LT(value.gradient.norm(), 1e-40);
    EXPECT_LT(value.hessian.norm(), 1e-25);
    EXPECT_TRUE(law.gradient_by_normal(u).allFinite());
    EXPECT_LT(law.gradient_by_coefficient(u).norm(), 1e-40);
    EXPECT_LT(law.gradient_by_pressure(u).norm(), 1e-40);
  }
}

TEST(Friction, ZeroCoefficientOrPressureIsNothing) {
  for (const Friction& none : {Friction{0, 1.3, normal, eps}, Friction{0.8, 0, normal, eps}}) {
    EXPECT_EQ(none.value(slips[1]).energy, 0);
    EXPECT_EQ(none.value(slips[1]).hessian, Mat3(Mat3::Zero()));
  }
  EXPECT_GT((Friction{0, 1.3, normal, eps}).gradient_by_coefficient(slips[1]).norm(), 0);
}

TEST(Friction, ForceIsTangentialAndAtMostCoulombs) {
  for (const Vec3& u : slips) {
    const Vec3 force = law.value(u).gradient;
    EXPECT_NEAR(force.dot(normal), 0, 1e-15);
    EXPECT_LE(force.norm(), 0.8 * 1.3 * (1 + 1e-14));
  }
  EXPECT_NEAR(law.value(slips.back()).gradient.norm(), 0.8 * 1.3, 1e-14);
}

TEST(Friction, ConvexInTheSlip) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Vec3 u = testing::random_vector(3, seed, std::pow(10.0, seed % 5 - 3.0));
    const Mat3 hessian = law.value(u).hessian;
    EXPECT_GE(smallest_eigenvalue(hessian), -1e-14 * hessian.norm() - 1e-15);
  }
}

TEST(Friction, TurnsWithTheBody) {
  const Mat3 Q = some_rotation();
  for (const Vec3& u : slips) {
    const PointValue value = law.value(u), turned = Friction{0.8, 1.3, Q * normal, eps}.value(Q * u);
    EXPECT_NEAR(turned.energy, value.energy, 1e-14);
    EXPECT_LT((turned.gradient - Q * value.gradient).norm(), 1e-13);
    EXPECT_LT((turned.hessian - Q * value.hessian * Q.transpose()).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace furrow
