// Singular values of four matrices at once, against the same in extended precision.
#include "forward/material/spectral.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "tests/forward/material_skin_points.h"

namespace furrow {
namespace {

using namespace testing;
using LongMat3 = Eigen::Matrix<long double, 3, 3>;
using LongVec3 = Eigen::Matrix<long double, 3, 1>;

/// ln s in ascending order, of A = I + H.
LongVec3 exact_logarithms(const Mat3& H) {
  const LongMat3 h = H.cast<long double>();
  const Eigen::SelfAdjointEigenSolver<LongMat3> eigen(LongMat3(h + h.transpose() + h.transpose() * h));
  LongVec3 logs;
  for (int i = 0; i < 3; ++i) logs[i] = std::log1p(eigen.eigenvalues()[i]) / 2;
  return logs;
}

struct Errors {
  double logarithm = 0, orthogonality = 0, reconstruction = 0;
};

/// Largest absolute errors, of A = I + H in every lane.
Errors errors_of(const std::array<Mat3, kLanes>& H) {
  PackMat3 packed{};
  for (int l = 0; l < kLanes; ++l) set_lane(packed, l, H[l]);
  const Spectral a = decompose(packed);
  Errors worst;
  for (int l = 0; l < kLanes; ++l) {
    std::array<double, 3> logs{a.log_s[0][l], a.log_s[1][l], a.log_s[2][l]};
    std::sort(logs.begin(), logs.end());
    const LongVec3 exact = exact_logarithms(H[l]);
    for (int i = 0; i < 3; ++i)
      worst.logarithm = std::max(worst.logarithm, static_cast<double>(std::abs(logs[i] - exact[i])));
    const Mat3 U = lane(a.U, l), V = lane(a.V, l), one = Mat3::Identity();
    const Mat3 back = U * Vec3(a.s[0][l], a.s[1][l], a.s[2][l]).asDiagonal() * V.transpose();
    worst.orthogonality =
        std::max({worst.orthogonality, (U.transpose() * U - one).norm(), (V.transpose() * V - one).norm(),
                  std::abs(U.determinant() - 1), std::abs(V.determinant() - 1)});
    worst.reconstruction = std::max(worst.reconstruction, (back - one - H[l]).norm() / (one + H[l]).norm());
  }
  return worst;
}

TEST(Spectral, ModerateStretchesToRounding) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::array<Mat3, kLanes> H;
    for (int l = 0; l < kLanes; ++l) H[l] = random_matrix(10 * seed + l, 0.4);
    const Errors e = errors_of(H);
    EXPECT_LE(e.logarithm, 3e-15) << seed;
    EXPECT_LE(e.orthogonality, 2e-14) << seed;
    EXPECT_LE(e.reconstruction, 1e-14) << seed;
  }
}

TEST(Spectral, SmallStrainsHaveRelativeAccuracy) {
  for (const double size : {1e-2, 1e-5, 1e-8, 1e-12, 1e-15})
    for (unsigned seed = 0; seed < 20; ++seed) {
      std::array<Mat3, kLanes> H;
      for (int l = 0; l < kLanes; ++l) H[l] = random_matrix(10 * seed + l, size);
      EXPECT_LE(errors_of(H).logarithm, 2e-15 * size) << size;
    }
}

/// Condition numbers up to 1e6: errors of some roundings times the condition number.
TEST(Spectral, StrongStretches) {
  for (const double ratio : {1e1, 1e2, 1e4, 1e6})
    for (unsigned seed = 0; seed < 20; ++seed) {
      std::array<Mat3, kLanes> H;
      for (int l = 0; l < kLanes; ++l)
        H[l] = random_rotation(seed + l) * Vec3(std::sqrt(ratio), 1.3, 1 / std::sqrt(ratio)).asDiagonal() *
                   random_rotation(seed + l + 50) -
               Mat3::Identity();
      const Errors e = errors_of(H);
      // the long double reference squares the condition number
      EXPECT_LE(e.logarithm, 1e-15 * ratio + 1e-19 * ratio * ratio * 10) << ratio;
      EXPECT_LE(e.orthogonality, 4e-14) << ratio;
      EXPECT_LE(e.reconstruction, 4e-14) << ratio;
    }
}

TEST(Spectral, RepeatedValuesAndDiagonalMatrices) {
  const Mat3 one = Mat3::Identity(), Q = random_rotation(3), R = random_rotation(4);
  const Errors e = errors_of({Mat3::Zero(), Q * R - one, Q * Vec3(2, 2, 0.5).asDiagonal() * R - one,
                              Mat3(Vec3(-0.5, 1, 0).asDiagonal())});
  EXPECT_LE(e.logarithm, 2e-15);
  EXPECT_LE(e.orthogonality, 1e-14);
  EXPECT_LE(e.reconstruction, 1e-14);
}

TEST(Spectral, LogarithmicSlopeOfAPair) {
  for (const double ratio : {1 + 1e-14, 1 + 1e-7, 1.1, 1.49, 1.51, 3.0, 50.0}) {
    PackMat3 H = in_all_lanes(Mat3(Vec3(ratio - 1, 0, 0).asDiagonal()));
    const Spectral a = decompose(H);
    const SpectralPair pair = spectral_pair(a, 2);  // of values 0 and 1
    const long double x = static_cast<long double>(ratio) - 1;
    const double slope = static_cast<double>(std::log1p(x) / x);
    EXPECT_NEAR(2 * pair.g[0] / (a.s[0][0] + a.s[1][0]), slope, 2e-15 * slope) << ratio;
  }
}

TEST(Spectral, TwoAtOnceEqualOneAtATime) {
  const PackMat3 H[2]{in_all_lanes(random_matrix(1, 0.3)), in_all_lanes(random_matrix(2, 0.3))};
  Spectral both[2];
  decompose_two(H[0], H[1], both[0], both[1]);
  for (int n = 0; n < 2; ++n) {
    const Spectral one = decompose(H[n]);
    EXPECT_LE((lane(both[n].U, 0) - lane(one.U, 0)).norm(), 1e-15);
    EXPECT_NEAR(both[n].q[0], one.q[0], 1e-16);
  }
}

}  // namespace
}  // namespace furrow
