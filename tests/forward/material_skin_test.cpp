// Stress, tangent and every derivative of the skin's material against differences: by error order and per
// component, with 0-3 branches, both volumetric energies, with and without prestretch.
#include <gtest/gtest.h>

#include "tests/forward/material_skin_points.h"

namespace furrow {
namespace {

using namespace testing;

constexpr int kLane = 2;

struct Setup {
  int branches;
  bool prestretched;
  Volumetric volumetric;
  double stiffening;
};

void PrintTo(const Setup& s, std::ostream* out) {
  *out << s.branches << " branches" << (s.prestretched ? ", prestretched" : "")
       << (s.volumetric == Volumetric::quadratic ? ", quadratic" : ", logarithmic") << ", C " << s.stiffening;
}

class SkinDerivatives : public ::testing::TestWithParam<Setup> {
 protected:
  SkinCase base(unsigned seed = 100) const {
    SkinCase c = some_case(GetParam().branches, GetParam().prestretched, GetParam().volumetric, seed);
    c.stiffening = GetParam().stiffening;
    return c;
  }
  /// The case in one lane, others elsewhere.
  std::vector<SkinCase> lanes(const SkinCase& c) const {
    std::vector<SkinCase> all;
    for (int l = 0; l < kLanes; ++l) all.push_back(l == kLane ? c : base(200 + l));
    return all;
  }
  Vec9 stress_at(const SkinCase& c) const {
    const SkinPack pack(lanes(c));
    return row_major(lane(skin_stress(pack.point, pack.moduli).P, kLane));
  }
  double energy_at(const SkinCase& c) const {
    const SkinPack pack(lanes(c));
    return skin_stress(pack.point, pack.moduli).energy[kLane];
  }
};

/// dP by every parameter (parameters(case)), from the analytic derivatives.
MatrixXd stress_jacobian(const SkinCase& c, const SkinPack& pack) {
  MatrixXd jacobian(9, parameters(c).size());
  int at = 0;
  const auto add = [&](const PackMat3& dP) { jacobian.col(at++) = row_major(lane(dP, kLane)); };
  const auto unit = [](int i) { return in_all_lanes(from_row_major(VectorXd::Unit(9, i))); };
  for (int i = 0; i < 9; ++i) add(skin_stress_increment(pack.point, pack.moduli, unit(i)));
  for (int k = 0; k < c.branches(); ++k)
    for (int i = 0; i < 9; ++i) add(skin_stress_by_fv(pack.point, pack.moduli, k, unit(i)));
  for (int i = 0; c.prestretch && i < 9; ++i)
    add(skin_stress_by_prestretch(pack.point, pack.moduli, unit(i)));
  const SkinModuliDerivative d = skin_stress_by_moduli(pack.point, pack.moduli);
  add(d.mu_inf);
  add(d.stiffening);
  add(d.bulk);
  for (int k = 0; k < c.branches(); ++k) add(d.branch[k]);
  return jacobian;
}

TEST_P(SkinDerivatives, StressIsTheDerivativeOfEnergy) {
  const SkinCase c = base();
  check_derivative(
      [&](const VectorXd& F) {
        SkinCase moved = c;
        moved.F = from_row_major(F);
        return VectorXd::Constant(1, energy_at(moved));
      },
      [&](const VectorXd& F, const VectorXd& d) { return VectorXd::Constant(1, stress_at(c).dot(d)); },
      row_major(c.F), 0.02);
}

TEST_P(SkinDerivatives, EveryComponentOfTheStressDerivative) {
  const SkinCase c = base();
  const SkinPack pack(lanes(c));
  const MatrixXd exact = stress_jacobian(c, pack);
  const MatrixXd difference = difference_jacobian(
      [&](const VectorXd& x) { return VectorXd(stress_at(with_parameters(c, x))); }, parameters(c));
  for (Eigen::Index i = 0; i < exact.cols(); ++i)
    for (int r = 0; r < 9; ++r)
      EXPECT_NEAR(exact(r, i), difference(r, i), 2e-8 * std::max(1.0, exact.col(i).norm()))
          << "component " << r << " by parameter " << i;
}

TEST_P(SkinDerivatives, StressDerivativeHasSecondOrderError) {
  const SkinCase c = base();
  const SkinPack pack(lanes(c));
  const MatrixXd exact = stress_jacobian(c, pack);
  check_derivative([&](const VectorXd& x) { return VectorXd(stress_at(with_parameters(c, x))); },
                   [&](const VectorXd&, const VectorXd& d) { return VectorXd(exact * d); }, parameters(c),
                   0.01);
}

TEST_P(SkinDerivatives, TangentIsTheIncrementForEveryDirection) {
  const SkinCase c = base();
  const SkinPack pack(lanes(c));
  const SkinTangent t = skin_tangent(pack.point, pack.moduli, false);
  const SkinStress s = skin_stress(pack.point, pack.moduli);
  for (int l = 0; l < kLanes; ++l) {
    EXPECT_EQ(t.energy[l], s.energy[l]);
    EXPECT_EQ(lane(t.P, l), lane(s.P, l));
    for (unsigned seed = 0; seed < 4; ++seed) {
      const Mat3 direction = random_matrix(300 + seed, 1.0);
      const PackMat3 dP = skin_stress_increment(pack.point, pack.moduli, in_all_lanes(direction));
      const Vec9 by_matrix = lane(t.A, l) * row_major(direction);
      EXPECT_LE((row_major(lane(dP, l)) - by_matrix).norm(), 1e-13 * by_matrix.norm());
    }
  }
}

TEST_P(SkinDerivatives, TransposesAgreeWithIncrements) {
  const SkinCase c = base();
  const SkinPack pack(lanes(c));
  const PackMat3 L = in_all_lanes(random_matrix(41, 1)), d = in_all_lanes(random_matrix(42, 1));
  const auto same = [&](const PackMat3& increment, const PackMat3& pulled) {
    for (int l = 0; l < kLanes; ++l) {
      const double left = lane(L, l).cwiseProduct(lane(increment, l)).sum();
      const double size = lane(L, l).norm() * lane(increment, l).norm();
      EXPECT_NEAR(left, lane(pulled, l).cwiseProduct(lane(d, l)).sum(), 1e-13 * size);
    }
  };
  same(skin_stress_increment(pack.point, pack.moduli, d), skin_stress_increment(pack.point, pack.moduli, L));
  for (int k = 0; k < c.branches(); ++k)
    same(skin_stress_by_fv(pack.point, pack.moduli, k, d),
         skin_stress_by_fv_transposed(pack.point, pack.moduli, k, L));
  if (c.prestretch)
    same(skin_stress_by_prestretch(pack.point, pack.moduli, d),
         skin_stress_by_prestretch_transposed(pack.point, pack.moduli, L));
}

TEST_P(SkinDerivatives, RotationsOfSpaceTurnTheStress) {
  const SkinCase c = base();
  const Mat3 Q = random_rotation(7);
  SkinCase turned = c;
  turned.F = Q * c.F;
  for (Mat3& fv : turned.fv) fv = random_rotation(8) * fv;  // a gauge
  EXPECT_NEAR(energy_at(turned), energy_at(c), 1e-14 * energy_at(c));
  const Mat3 expected = Q * from_row_major(stress_at(c));
  EXPECT_LE((from_row_major(stress_at(turned)) - expected).norm(), 2e-14 * (1 + expected.norm()));
}

constexpr Volumetric kQuadratic = Volumetric::quadratic, kLog = Volumetric::logarithmic;
INSTANTIATE_TEST_SUITE_P(Setups, SkinDerivatives,
                         ::testing::Values(Setup{0, false, kQuadratic, 1.3}, Setup{1, false, kQuadratic, 1.3},
                                           Setup{1, true, kLog, 1.3}, Setup{2, false, kLog, 0.0},
                                           Setup{2, true, kQuadratic, 0.0}, Setup{3, true, kLog, 4.0},
                                           Setup{4, true, kQuadratic, 1.3}));

/// Tangent of a state with principal stretches that differ by `gap`, against the smooth tangent nearby.
TEST(SkinMaterial, RepeatedAndNearlyRepeatedStretches) {
  const Mat3 Q = random_rotation(1), R = random_rotation(2);
  for (const Volumetric volumetric : {kQuadratic, kLog})
    for (const int equal : {2, 3}) {
      const auto tangent_at = [&](double gap) {
        SkinCase c = some_case(1, false, volumetric, 3);
        c.F = Q * Vec3(1.2, 1.2 + gap, equal == 3 ? 1.2 - 0.5 * gap : 0.8).asDiagonal() * R.transpose();
        c.fv[0] = unimodular(Vec3(1, 1, equal == 3 ? 1 : 1.5).asDiagonal()) * R.transpose();
        const SkinPack pack({c});
        return lane(skin_tangent(pack.point, pack.moduli, false).A, 0);
      };
      const Mat9 exact = tangent_at(0);
      for (const double gap : {1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5}) {
        const double difference = (tangent_at(gap) - exact).norm() / exact.norm();
        EXPECT_LE(difference, 20 * gap + 2e-14) << gap << ", " << equal << " equal";
      }
    }
}

/// Hooke's law at strains of 1e-3 .. 1e-12: P = 2 (mu_inf + m) dev e + K tr e I, with the next order dropped.
TEST(SkinMaterial, SmallStrainsKeepTheirDigits) {
  SkinCase c;
  c.branch = {0.3};
  c.fv = {Mat3::Identity()};
  for (const double size : {1e-5, 1e-8, 1e-11}) {
    const Mat3 wanted = Mat3::Identity() + size * from_row_major(random_vector(9, 5));
    const Mat3 H = wanted - Mat3::Identity();  // what the rounded F holds
    c.F = wanted;
    const SkinPack pack({c});
    const SkinStress s = skin_stress(pack.point, pack.moduli);
    // second order in H, exact to H^3: E = sym H + (H^T H)/2, ln U = E - E^2
    using LongMat3 = Eigen::Matrix<long double, 3, 3>;
    const LongMat3 h = H.cast<long double>(), one = LongMat3::Identity();
    const LongMat3 E = (h + h.transpose() + h.transpose() * h) / 2.0L, log_u = E - E * E;
    const LongMat3 e = log_u - log_u.trace() / 3.0L * one;
    const LongMat3 cof = (one + h).inverse().transpose() * (one + h).determinant();
    const long double change = h.trace() + (h.trace() * h.trace() - (h * h).trace()) / 2.0L + h.determinant();
    // P = F S, S = U^-1 (2 mu e) U^-1 + ..., e coaxial with U: 2 mu (I - 2 E) e to this order
    const LongMat3 P = (one + h) * (one - 2.0L * E) * e * (2 * (0.07L + 0.3L)) + 2.5L * change * cof;
    const double error = static_cast<double>((lane(s.P, 0).cast<long double>() - P).norm() / P.norm());
    EXPECT_LE(error, 10 * size * size + 1e-14) << size;
  }
}

TEST(SkinMaterial, UndeformedIsFreeOfStressAndOfTheReferenceModuli) {
  SkinCase c;
  c.branch = {0.3};
  c.fv = {random_rotation(4)};
  c.F = random_rotation(5);
  const SkinPack pack({c});
  const SkinTangent t = skin_tangent(pack.point, pack.moduli, true);
  EXPECT_NEAR(t.energy[0], 0, 1e-28);
  EXPECT_LE(lane(t.P, 0).norm(), 1e-14);
  const Mat3 strain = random_matrix(6, 1) + random_matrix(6, 1).transpose();
  const Vec9 along = row_major(c.F * strain);  // F (I + strain)
  const double hooke = 2 * (0.07 + 0.3) * (strain - strain.trace() / 3 * Mat3::Identity()).squaredNorm() +
                       2.5 * strain.trace() * strain.trace();
  EXPECT_NEAR(along.dot(lane(t.A, 0) * along), hooke, 1e-13 * hooke);
}

}  // namespace
}  // namespace furrow
