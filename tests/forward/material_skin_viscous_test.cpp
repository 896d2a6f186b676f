// The viscous update: its matrix-function form, derivatives, limits and invariants.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "tests/forward/material_skin_points.h"

namespace furrow {
namespace {

using namespace testing;

constexpr int kLane = 1;

struct History {
  Mat3 F, fv;
  double alpha;
};

VectorXd vector_of(const History& h) {
  VectorXd x(19);
  x << row_major(h.F), row_major(h.fv), h.alpha;
  return x;
}
History history_of(const VectorXd& x) {
  return {from_row_major(x.head(9)), from_row_major(x.segment(9, 9)), x[18]};
}

/// The history in one lane; the others hold something else.
struct HistoryPack {
  PackMat3 F, fv;
  Pack alpha;

  explicit HistoryPack(const History& h) {
    for (int l = 0; l < kLanes; ++l) {
      set_lane(F, l, l == kLane ? h.F : Mat3(Mat3::Identity() + random_matrix(90 + l, 0.3)));
      set_lane(fv, l, l == kLane ? h.fv : unimodular(Mat3::Identity() + random_matrix(95 + l, 0.3)));
      alpha[l] = l == kLane ? h.alpha : 0.3;
    }
  }
};

Mat3 updated(const History& h) {
  const HistoryPack pack(h);
  return lane(viscous_update(pack.F, pack.fv, pack.alpha), kLane);
}

MatrixXd jacobian(const History& h) {
  const HistoryPack pack(h);
  MatrixXd columns(9, 19);
  for (int i = 0; i < 19; ++i) {
    const History d = history_of(VectorXd::Unit(19, i));
    columns.col(i) = row_major(lane(viscous_update_increment(pack.F, pack.fv, pack.alpha, in_all_lanes(d.F),
                                                             in_all_lanes(d.fv), Pack{} + d.alpha),
                                    kLane));
  }
  return columns;
}

History some_history(unsigned seed, double alpha) {
  return {Mat3::Identity() + random_matrix(seed, 0.35),
          unimodular(Mat3::Identity() + random_matrix(seed + 1, 0.25)), alpha};
}

/// (iso C)^((1 - alpha)/2) Fv from an ordinary eigen-solver.
Mat3 plain_update(const History& h) {
  const Mat3 A = h.F * h.fv.inverse();
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(unimodular(A.transpose() * A));
  return eigen.eigenvectors() * eigen.eigenvalues().array().pow((1 - h.alpha) / 2).matrix().asDiagonal() *
         eigen.eigenvectors().transpose() * h.fv;
}

TEST(ViscousUpdate, IsAPowerOfTheElasticStretch) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const History h = some_history(seed, 0.05 * seed);
    EXPECT_LE((updated(h) - plain_update(h)).norm(), 1e-13) << seed;
  }
}

class ViscousDerivative : public ::testing::TestWithParam<double> {};

TEST_P(ViscousDerivative, EveryComponent) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const History h = some_history(seed, GetParam());
    const MatrixXd exact = jacobian(h);
    const MatrixXd difference = difference_jacobian(
        [](const VectorXd& x) { return VectorXd(row_major(updated(history_of(x)))); }, vector_of(h));
    for (int i = 0; i < 19; ++i)
      for (int r = 0; r < 9; ++r) EXPECT_NEAR(exact(r, i), difference(r, i), 3e-8) << r << " by " << i;
  }
}

TEST_P(ViscousDerivative, ErrorOrder) {
  const History h = some_history(20, GetParam());
  const MatrixXd exact = jacobian(h);
  check_derivative([](const VectorXd& x) { return VectorXd(row_major(updated(history_of(x)))); },
                   [&](const VectorXd&, const VectorXd& d) { return VectorXd(exact * d); }, vector_of(h),
                   0.01);
}

TEST_P(ViscousDerivative, TransposeAgreesWithIncrement) {
  const History h = some_history(30, GetParam());
  const HistoryPack pack(h);
  const Mat3 bar = random_matrix(31, 1);
  const ViscousPullback back = viscous_update_transposed(pack.F, pack.fv, pack.alpha, in_all_lanes(bar));
  VectorXd pulled(19);
  pulled << row_major(lane(back.F, kLane)), row_major(lane(back.fv, kLane)), back.alpha[kLane];
  const MatrixXd exact = jacobian(h);
  const VectorXd expected = exact.transpose() * row_major(bar);
  EXPECT_LE((pulled - expected).norm(), 1e-13 * (expected.norm() + bar.norm()));
}

INSTANTIATE_TEST_SUITE_P(Alphas, ViscousDerivative,
                         ::testing::Values(0.0, 0.3, 0.6065306597126334, 0.99, 1.0));

TEST(ViscousUpdate, NothingMovesForAlphaOne) {
  const History h = some_history(3, 1.0);
  EXPECT_EQ(updated(h), h.fv);
  const MatrixXd exact = jacobian(h);
  EXPECT_EQ(exact.leftCols(9).norm(), 0);
  EXPECT_LE((exact.middleCols(9, 9) - MatrixXd::Identity(9, 9)).norm(), 1e-14);
}

TEST(ViscousUpdate, AlphaZeroRelaxesAllShape) {
  History h = some_history(4, 0.0);
  h.fv = updated(h);
  const Mat3 A = h.F * h.fv.inverse();
  const double volume = std::pow(h.F.determinant(), 2.0 / 3);
  EXPECT_LE((A.transpose() * A - volume * Mat3::Identity()).norm(), 1e-14);
}

/// e' = alpha e for the trial strain e: what the update is for.
TEST(ViscousUpdate, ShrinksTheElasticStrainByAlpha) {
  const History h = some_history(5, 0.7);
  const auto strain = [&](const Mat3& fv) {
    const Mat3 A = h.F * fv.inverse();
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(unimodular(A * A.transpose()));
    return Mat3(eigen.eigenvectors() * (0.5 * eigen.eigenvalues().array().log()).matrix().asDiagonal() *
                eigen.eigenvectors().transpose());
  };
  EXPECT_LE((strain(updated(h)) - 0.7 * strain(h.fv)).norm(), 1e-14);
}

TEST(ViscousUpdate, RepeatedAndNearlyRepeatedStretches) {
  const Mat3 Q = random_rotation(1), R = random_rotation(2);
  for (const int equal : {2, 3}) {
    const auto at = [&](double gap) {
      History h;
      h.F = Q * Vec3(1.2, 1.2 + gap, equal == 3 ? 1.2 - 0.5 * gap : 0.8).asDiagonal() * R.transpose();
      h.fv = random_rotation(3);
      h.alpha = 0.6;
      return jacobian(h);
    };
    const MatrixXd exact = at(0);
    EXPECT_GT(exact.norm(), 1);
    for (const double gap : {1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5})
      EXPECT_LE((at(gap) - exact).norm(), 20 * gap + 2e-14) << gap << ", " << equal << " equal";
  }
}

/// F -> Q F changes nothing; Fv -> R Fv gives R Fv'.
TEST(ViscousUpdate, IsObjective) {
  const History h = some_history(6, 0.4);
  const Mat3 Q = random_rotation(7), R = random_rotation(8);
  EXPECT_LE((updated({Q * h.F, h.fv, h.alpha}) - updated(h)).norm(), 1e-14);
  EXPECT_LE((updated({h.F, R * h.fv, h.alpha}) - R * updated(h)).norm(), 1e-14);
}

TEST(ViscousUpdate, KeepsItsVolumeOverAThousandSteps) {
  Mat3 fv = Mat3::Identity();
  double worst = 0;
  for (int n = 0; n < 1000; ++n) {
    const Mat3 F = Mat3::Identity() + 0.5 * std::sin(0.1 * n) * random_matrix(n % 17, 0.5);
    fv = updated({F, fv, 0.6});
    worst = std::max(worst, std::abs(fv.determinant() - 1));
  }
  EXPECT_LE(worst, 1e-12);
}

}  // namespace
}  // namespace furrow
