// The penalty of a gap and the sphere pressed into the skin, against golden/contact.json, by error order, and
// where they stop being smooth.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "forward/potential/contact_penalty.h"
#include "forward/potential/contact_sphere.h"
#include "tests/forward/point_law_checks.h"

namespace furrow {
namespace {

using testing::check_by_scalar;
using testing::check_components;
using testing::check_derivative;
using testing::check_point_law;
using testing::clamped;
using testing::golden;
using testing::mat3;
using testing::smallest_eigenvalue;
using testing::some_rotation;
using testing::vec3;

const std::vector<double> ramps{0.0, 0.1, 0.5};

SphereContact sphere(double ramp, double kappa = 10) {
  return {Vec3(0.1, 0.2, 6.1), 6.0, {kappa, ramp}};
}

/// Outside, in the ramp, past it, deep.
const std::vector<Vec3> touching{Vec3(0.5, 0.3, 0.15), Vec3(1.0, 0.0, 0.3), Vec3(0.0, -0.4, 1.2),
                                 Vec3(0.0, 0.0, 5.0)};

TEST(ContactPenalty, DerivativesHaveTheRightOrder) {
  for (const double w : ramps) {
    const ContactPenalty law{7, w};
    for (const double d : {0.02, 0.07, 0.3, 0.7, 2.0}) {
      const auto component = [&](double PenaltyValue::*member) {
        return [&law, member](const VectorXd& y) {
          return VectorXd::Constant(1, law.at_gap(-y[0]).*member).eval();
        };
      };
      const auto slope = [&](double PenaltyValue::*member) {
        return [&law, member](const VectorXd& y, const VectorXd& v) {
          return VectorXd::Constant(1, law.at_gap(-y[0]).*member * v[0]).eval();
        };
      };
      const VectorXd at = VectorXd::Constant(1, d);
      check_derivative(component(&PenaltyValue::energy), slope(&PenaltyValue::first), at, 0.01, 7, 1);
      check_derivative(component(&PenaltyValue::first), slope(&PenaltyValue::second), at, 0.01, 7, 1);
    }
  }
}

TEST(ContactPenalty, RampIsTwiceContinuouslyDifferentiable) {
  const double w = 0.1;
  const ContactPenalty law{7, w};
  for (const double d : {0.0, w}) {
    const PenaltyValue below = law.at_gap(-(d - 1e-9)), above = law.at_gap(-(d + 1e-9));
    EXPECT_NEAR(below.energy, above.energy, 1e-8);
    EXPECT_NEAR(below.first, above.first, 1e-7);
    EXPECT_NEAR(below.second, above.second, 1e-6);
  }
  EXPECT_EQ(law.at_gap(0).energy, 0);
  EXPECT_EQ(law.at_gap(0.3).first, 0);
  EXPECT_DOUBLE_EQ(law.at_gap(-1).second, 14);             // the contact stiffness is 2 kappa
  EXPECT_EQ(ContactPenalty{7}.at_gap(-1e-12).second, 14);  // published: it jumps at contact
  EXPECT_DOUBLE_EQ(ContactPenalty{7}.at_gap(-0.3).energy, 7 * 0.09);
}

TEST(SphereContact, EqualsTheGoldenRows) {
  const auto g = golden("contact.json")["sphere"];
  const SphereContact law{vec3(g["c"]), g["R"].get<double>(), {g["kappa"].get<double>(), 0}};
  for (const auto& row : g["rows"]) {
    const PointValue value = law.value(vec3(row["x"]));
    EXPECT_NEAR(value.energy, row["psi"].get<double>(), 1e-12 * std::max(1.0, row["psi"].get<double>()));
    EXPECT_LT((value.gradient - vec3(row["grad"])).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((value.hessian - mat3(row["hess"])).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(SphereContact, DerivativesHaveTheRightOrder) {
  for (const double w : ramps) {
    const SphereContact law = sphere(w);
    for (const Vec3& x : touching) {
      SCOPED_TRACE("ramp " + std::to_string(w) + ", gap " + std::to_string(law.gap(x)));
      check_point_law([&](const Vec3& y) { return law.value(y); }, x, 2e-3);
      check_components([&](const Vec3& y) { return law.value(y).gradient; }, law.value(x).hessian, x, 1e-5,
                       2e-8);
    }
  }
}

TEST(SphereContact, ParameterDerivativesHaveTheRightOrder) {
  for (const double w : ramps) {
    for (const Vec3& x : touching) {
      const auto with = [&](double kappa, double radius, const Vec3& centre) {
        return SphereContact{centre, radius, {kappa, w}};
      };
      const Vec3 c = sphere(w).centre;
      check_by_scalar([&](double k) { return with(k, 6, c).value(x).gradient; },
                      [&](double k) { return with(k, 6, c).gradient_by_kappa(x); }, 10, 0.1);
      check_by_scalar([&](double R) { return with(10, R, c).value(x).gradient; },
                      [&](double R) { return with(10, R, c).gradient_by_radius(x); }, 6, 2e-3);
      check_components([&](const Vec3& y) { return with(10, 6, y).value(x).gradient; },
                       with(10, 6, c).gradient_by_centre(x), c, 1e-5, 2e-8);
    }
  }
}

TEST(SphereContact, LagDerivativesHaveTheRightOrder) {
  for (const double w : ramps) {
    for (const Vec3& x : touching) {
      const SphereContact law = sphere(w);
      const auto lag = law.lag_derivative(x);
      check_components([&](const Vec3& y) { return law.normal(y); }, lag.normal_by_x, x, 1e-5, 1e-9);
      check_components([&](const Vec3& y) { return Vec3(law.pressure(y), 0, 0); },
                       Vec3::UnitX() * lag.pressure_by_x.transpose(), x, 1e-5, 1e-8);
      EXPECT_NEAR((sphere(w, 11).pressure(x) - sphere(w, 9).pressure(x)) / 2, lag.pressure_by_kappa, 1e-12);
      SphereContact larger = law, smaller = law;
      larger.radius += 1e-5, smaller.radius -= 1e-5;
      EXPECT_NEAR((larger.pressure(x) - smaller.pressure(x)) / 2e-5, lag.pressure_by_radius, 1e-8);
    }
  }
}

TEST(SphereContact, ProjectedHessianIsTheClosestConvexOne) {
  for (const double w : ramps) {
    const SphereContact law = sphere(w);
    for (const Vec3& x : touching) {
      EXPECT_LT(smallest_eigenvalue(law.value(x).hessian), 0);
      EXPECT_LT((law.value(x, true).hessian - clamped(law.value(x).hessian)).norm(), 1e-12);
      EXPECT_EQ(law.value(x, true).gradient, law.value(x).gradient);
    }
  }
}

TEST(SphereContact, NothingOutsideAndFiniteAtTheCentre) {
  const SphereContact law = sphere(0.1);
  const Vec3 outside(0, 0, -0.2);
  EXPECT_GT(law.gap(outside), 0);
  EXPECT_EQ(law.value(outside).energy, 0);
  EXPECT_EQ(law.value(outside).hessian, Mat3(Mat3::Zero()));
  EXPECT_EQ(law.pressure(outside), 0);
  EXPECT_EQ(law.lag_derivative(outside).pressure_by_x, Vec3(Vec3::Zero()));
  const PointValue centre = law.value(law.centre);
  EXPECT_TRUE(std::isfinite(centre.energy) && centre.gradient.allFinite() && centre.hessian.allFinite());
  EXPECT_TRUE(law.lag_derivative(law.centre).normal_by_x.allFinite());
}

TEST(SphereContact, ReadyStiffnessScalesEverything) {
  const Vec3 x = touching[1];
  EXPECT_NEAR(sphere(0.1, 20).value(x).energy, 2 * sphere(0.1).value(x).energy, 1e-14);
  EXPECT_EQ(sphere(0.1, 0).value(x).energy, 0);
  EXPECT_GT(sphere(0.1, 0).gradient_by_kappa(x).norm(), 0);  // a derivative at kappa = 0 too
}

TEST(SphereContact, TurnsWithTheBody) {
  const Mat3 Q = some_rotation();
  const SphereContact law = sphere(0.1);
  SphereContact turned_law = law;
  turned_law.centre = Q * law.centre;
  for (const Vec3& x : touching) {
    const PointValue value = law.value(x), turned = turned_law.value(Q * x);
    EXPECT_NEAR(turned.energy, value.energy, 1e-11);
    EXPECT_LT((turned.gradient - Q * value.gradient).norm(), 1e-12);
    EXPECT_LT((turned.hessian - Q * value.hessian * Q.transpose()).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace furrow
