// The projected tangent, and lanes that must be refused without disturbing the others.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "tests/forward/material_skin_points.h"

namespace furrow {
namespace {

using namespace testing;

double smallest_eigenvalue(const Mat9& A) {
  return Eigen::SelfAdjointEigenSolver<Mat9>(A, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

/// Negative eigenvalues set to 0.
Mat9 clamped(const Mat9& A) {
  const Eigen::SelfAdjointEigenSolver<Mat9> eigen(A);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

/// Far from rest: tension, compression, shear.
SkinCase strained(int branches, bool prestretched, unsigned seed) {
  SkinCase c = some_case(branches, prestretched, Volumetric::quadratic, seed);
  c.F = random_rotation(seed) * Vec3(0.5 + 0.1 * (seed % 7), 1.4, 0.7 + 0.05 * (seed % 5)).asDiagonal() *
        random_rotation(seed + 1);
  return c;
}

TEST(SkinProjection, NoNegativeEigenvalue) {
  double lowest_exact = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const SkinPack pack(
        {strained(seed % 4, seed % 2 == 1, seed), strained(seed % 4, seed % 2 == 1, seed + 60)});
    const SkinTangent exact = skin_tangent(pack.point, pack.moduli, false);
    const SkinTangent projected = skin_tangent(pack.point, pack.moduli, true);
    for (int l = 0; l < 2; ++l) {
      const Mat9 A = lane(projected.A, l);
      EXPECT_GE(smallest_eigenvalue(A), -1e-12) << seed;
      EXPECT_EQ(lane(projected.P, l), lane(exact.P, l));
      lowest_exact = std::min(lowest_exact, smallest_eigenvalue(lane(exact.A, l)));
    }
  }
  EXPECT_LT(lowest_exact, -0.1);  // there was something to project
}

TEST(SkinProjection, OneTermIsProjectedExactly) {
  int changed = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const SkinPack pack({strained(0, false, seed)});
    const Mat9 exact = lane(skin_tangent(pack.point, pack.moduli, false).A, 0);
    const Mat9 projected = lane(skin_tangent(pack.point, pack.moduli, true).A, 0);
    EXPECT_LE((projected - clamped(exact)).norm(), 1e-13 * exact.norm()) << seed;
    if (smallest_eigenvalue(exact) >= 0) {
      EXPECT_LE((projected - exact).norm(), 1e-14 * exact.norm());
    }
    changed += (projected - exact).norm() > 1e-3 * exact.norm();
  }
  EXPECT_GT(changed, 5);
}

/// Near rest and under outward pressure the single term is convex.
TEST(SkinProjection, PositiveTangentsStayAsTheyAre) {
  int positive = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SkinCase c = some_case(0, false, seed % 2 ? Volumetric::quadratic : Volumetric::logarithmic, seed);
    c.F = 1.02 * (Mat3::Identity() + random_matrix(seed, 0.02));
    const SkinPack pack({c});
    const Mat9 exact = lane(skin_tangent(pack.point, pack.moduli, false).A, 0);
    if (smallest_eigenvalue(exact) < 0) continue;
    ++positive;
    const Mat9 projected = lane(skin_tangent(pack.point, pack.moduli, true).A, 0);
    EXPECT_LE((projected - exact).norm(), 1e-14 * exact.norm()) << seed;
  }
  EXPECT_GT(positive, 5);
}

class RefusedLanes : public ::testing::TestWithParam<int> {
 protected:
  static SkinCase broken(int kind) {
    SkinCase c = some_case(1, true, Volumetric::logarithmic, 5);
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    switch (kind) {
      case 0:
        c.F = Vec3(1, 1, -0.1).asDiagonal();
        break;
      case 1:
        c.F = Mat3::Zero();
        break;
      case 2:
        c.F(1, 2) = nan;
        break;
      case 3:
        c.F(0, 0) = infinity;
        break;
      case 4:
        c.F = Vec3(100, 0.1, 0.1).asDiagonal();
        c.stiffening = 30;
        break;  // C q > 50
      case 5:
        c.fv[0] = Mat3::Zero();
        break;
      case 6:
        c.fv[0](2, 2) = nan;
        break;
      default:
        c.F *= -1;
        break;
    }
    return c;
  }
};

TEST_P(RefusedLanes, AreMarkedAndSpoilNoOther) {
  std::vector<SkinCase> cases;
  for (int l = 0; l < kLanes; ++l) cases.push_back(some_case(1, true, Volumetric::logarithmic, 50 + l));
  const SkinPack good(cases);
  cases[1] = broken(GetParam());
  const SkinPack mixed(cases);
  for (const bool projected : {false, true}) {
    const SkinTangent expected = skin_tangent(good.point, good.moduli, projected);
    const SkinTangent t = skin_tangent(mixed.point, mixed.moduli, projected);
    EXPECT_EQ(t.j[1], -1.0);
    for (const int l : {0, 2, 3}) {
      EXPECT_EQ(t.j[l], expected.j[l]);
      EXPECT_EQ(t.energy[l], expected.energy[l]);
      EXPECT_EQ(lane(t.P, l), lane(expected.P, l));  // to the last bit
      EXPECT_EQ(lane(t.A, l), lane(expected.A, l));
    }
    EXPECT_TRUE(lane(t.P, 1).allFinite());
    EXPECT_TRUE(lane(t.A, 1).allFinite());
    EXPECT_TRUE(std::isfinite(t.energy[1]));
  }
  EXPECT_EQ(skin_stress(mixed.point, mixed.moduli).j[1], -1.0);
  const Pack alpha = Pack{} + 0.5;
  const PackMat3 fv = viscous_update(mixed.point.F, mixed.point.fv[0], alpha);
  for (const int l : {0, 2, 3})
    EXPECT_EQ(lane(fv, l), lane(viscous_update(good.point.F, good.point.fv[0], alpha), l));
}

INSTANTIATE_TEST_SUITE_P(Kinds, RefusedLanes, ::testing::Range(0, 8));

TEST(RefusedLanes, TheLimitOfTheExponentIsFifty) {
  SkinCase c;
  c.F = Vec3(std::exp(1.0), std::exp(-0.5), std::exp(-0.5)).asDiagonal();  // q = 1.5
  c.stiffening = 33.3;
  SkinCase beyond = c;
  beyond.stiffening = 33.4;
  const SkinPack pack({c, beyond});
  const SkinStress s = skin_stress(pack.point, pack.moduli);
  EXPECT_NEAR(s.j[0], 1, 1e-15);
  EXPECT_NEAR(s.energy[0], 0.07 / 33.3 * std::expm1(1.5 * 33.3), 1e-12 * s.energy[0]);
  EXPECT_EQ(s.j[1], -1);
}

}  // namespace
}  // namespace furrow
