// Both laws at one material point: derivatives, frame indifference, the stress-free state, closed-form
// curves.
#include "forward/material/neo_hookean.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "tests/support/check_derivative.h"

namespace furrow {
namespace {

using testing::check_derivative;
using testing::random_vector;

constexpr double kYoung = 4e-3, kPoisson = 0.45;

Moduli moduli_of(Law law, double poisson = kPoisson) {
  const Moduli unit = unit_moduli(law, poisson);
  return {kYoung * unit.mu, kYoung * unit.k};
}
Mat3 matrix(const VectorXd& v) {
  return Eigen::Map<const Mat3>(v.data());
}
VectorXd vector(const Mat3& m) {
  return Eigen::Map<const VectorXd>(m.data(), 9);
}
Mat3 some_deformation() {
  return Mat3::Identity() + 0.25 * matrix(random_vector(9, 11)).array().sin().matrix();
}

class EveryLaw : public ::testing::TestWithParam<Law> {
 protected:
  Moduli moduli_ = moduli_of(GetParam());
};

TEST_P(EveryLaw, StressIsTheDerivativeOfEnergy) {
  check_derivative(
      [&](const VectorXd& F) {
        return VectorXd::Constant(1, evaluate_point(GetParam(), moduli_, matrix(F)).energy);
      },
      [&](const VectorXd& F, const VectorXd& d) {
        return VectorXd::Constant(
            1, evaluate_point(GetParam(), moduli_, matrix(F)).stress.cwiseProduct(matrix(d)).sum());
      },
      vector(some_deformation()), 0.02);
}

TEST_P(EveryLaw, StressIncrementIsTheDerivativeOfStress) {
  check_derivative(
      [&](const VectorXd& F) { return vector(evaluate_point(GetParam(), moduli_, matrix(F)).stress); },
      [&](const VectorXd& F, const VectorXd& d) {
        return vector(stress_increment(GetParam(), moduli_, matrix(F), matrix(d)));
      },
      vector(some_deformation()), 0.02);
}

TEST_P(EveryLaw, ModuliByPoissonsRatio) {
  const auto both = [](const Moduli& m) { return VectorXd(Eigen::Vector2d(m.mu, m.k)); };
  check_derivative([&](const VectorXd& nu) { return both(unit_moduli(GetParam(), nu[0])); },
                   [&](const VectorXd& nu, const VectorXd& d) {
                     return VectorXd(both(unit_moduli_by_poisson(GetParam(), nu[0])) * d[0]);
                   },
                   VectorXd::Constant(1, 0.4), 0.004);
}

TEST_P(EveryLaw, RotationsChangeNothing) {
  const Mat3 F = some_deformation();
  const Mat3 R = Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  const PointResponse at = evaluate_point(GetParam(), moduli_, F),
                      turned = evaluate_point(GetParam(), moduli_, R * F);
  EXPECT_NEAR(turned.energy, at.energy, 1e-14 * at.energy);
  EXPECT_LT((turned.stress - R * at.stress).norm(), 1e-14 * at.stress.norm());
  const PointResponse isotropic = evaluate_point(GetParam(), moduli_, F * R);
  EXPECT_NEAR(isotropic.energy, at.energy, 1e-14 * at.energy);
  EXPECT_LT((at.stress * F.transpose() - F * at.stress.transpose()).norm(),
            1e-15);  // Cauchy stress is symmetric
}

TEST_P(EveryLaw, RestIsFreeOfStressAndHookesLawFollows) {
  const PointResponse rest = evaluate_point(GetParam(), moduli_, Mat3::Identity());
  EXPECT_NEAR(rest.energy, 0, 1e-18);
  EXPECT_LT(rest.stress.norm(), 1e-17);
  const Mat3 e = matrix(random_vector(9, 12)), strain = 0.5 * (e + e.transpose());
  const double lambda = kYoung * kPoisson / ((1 + kPoisson) * (1 - 2 * kPoisson)),
               mu = kYoung / (2 * (1 + kPoisson));
  const Mat3 hooke = 2 * mu * strain + lambda * strain.trace() * Mat3::Identity();
  EXPECT_LT((stress_increment(GetParam(), moduli_, Mat3::Identity(), e) - hooke).norm(),
            1e-14 * hooke.norm());
}

TEST_P(EveryLaw, CollapsedStatesHaveInfiniteEnergy) {
  EXPECT_TRUE(
      std::isinf(evaluate_point(GetParam(), moduli_, Eigen::Vector3d(1, 1, -0.5).asDiagonal()).energy));
  EXPECT_TRUE(std::isinf(evaluate_point(GetParam(), moduli_, Mat3::Zero()).energy));
}

/// P_axial of F = diag(s, t, t), the width t chosen so that the sides are free (bisection on P_lateral).
double uniaxial_stress(Law law, const Moduli& moduli, double s) {
  double low = 0.3, high = 3;
  for (int k = 0; k < 200; ++k) {
    const double t = 0.5 * (low + high);
    (evaluate_point(law, moduli, Vec3(s, t, t).asDiagonal()).stress(1, 1) < 0 ? low : high) = t;
  }
  return evaluate_point(law, moduli, Vec3(s, low, low).asDiagonal()).stress(0, 0);
}

TEST_P(EveryLaw, NearlyIncompressibleTensionFollowsTheClosedForm) {
  const Moduli moduli = moduli_of(GetParam(), 0.499999);
  for (const double s : {0.6, 0.9, 1.2, 2.0}) {
    const double exact = moduli.mu * (s - 1 / (s * s));  // J = 1
    EXPECT_NEAR(uniaxial_stress(GetParam(), moduli, s), exact, 1e-5 * std::abs(exact)) << s;
  }
}

TEST(NeoHookeanLaw, TiedColumnFollowsTheClosedForm) {
  const Moduli m = moduli_of(Law::neo_hookean);
  for (const double s : {0.7, 1.3}) {
    const double exact = m.mu * (s - 1 / s) + m.k * std::log(s) / s;
    EXPECT_NEAR(evaluate_point(Law::neo_hookean, m, Vec3(1, 1, s).asDiagonal()).stress(2, 2), exact, 1e-15);
  }
}

TEST(Packs, LogarithmIsExactNearAndFarFromOne) {
  for (const double a : {1e-3, 0.5, 0.66, 0.67, 0.9, 1 - 1e-9, 1.0, 1 + 1e-12, 1.1, 1.49, 1.51, 7.0}) {
    const Pack log_near = pack_log(Pack{a, 1, 1, 1}), log_mixed = pack_log(Pack{a, 1, 9, 1});
    EXPECT_NEAR(log_near[0], std::log(a), 4e-16 * std::max(std::abs(std::log(a)), 1e-3)) << a;
    EXPECT_NEAR(log_mixed[0], std::log(a), 1e-16 * std::abs(std::log(a))) << a;
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, EveryLaw, ::testing::Values(Law::neo_hookean, Law::neo_hookean_isochoric));

}  // namespace
}  // namespace furrow
