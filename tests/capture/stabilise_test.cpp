// Stabilisation on a face-like dome whose soft part sags by millimetres.
#include "capture/stabilise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace furrow {
namespace {

constexpr int kSide = 40;        // vertices along each side of the dome's grid
constexpr double kNoise = 0.05;  // [mm]

struct Dome {
  Positions neutral;
  Triangles triangles;
};

Dome make_dome() {
  Dome dome{Positions(kSide * kSide, 3), Triangles(2 * (kSide - 1) * (kSide - 1), 3)};
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      const double u = 2.0 * i / (kSide - 1) - 1, v = 2.0 * j / (kSide - 1) - 1;
      dome.neutral.row(i * kSide + j) << 70 * u, 90 * v, 60 * std::cos(u) * std::cos(0.8 * v);
    }
  int row = 0;
  for (int i = 0; i + 1 < kSide; ++i)
    for (int j = 0; j + 1 < kSide; ++j) {
      const int a = i * kSide + j, b = a + kSide;
      dome.triangles.row(row++) << a, b, b + 1;
      dome.triangles.row(row++) << a, b + 1, a + 1;
    }
  return dome;
}

// Zero above y = 45 mm (the forehead, a quarter of the vertices), up to 3 mm below.
Positions forehead_sag(const Positions& points) {
  Positions sag = Positions::Zero(points.rows(), 3);
  for (int i = 0; i < points.rows(); ++i) {
    const double depth = std::max(0.0, 45 - points(i, 1)) / 135;
    sag.row(i) << 1.5 * std::sqrt(depth), -2.5 * std::sqrt(depth), 0.4 * std::sqrt(depth);
  }
  return sag;
}

// Zero on the dome's boundary only.
Positions inner_sag(const Positions& points) {
  Positions sag = Positions::Zero(points.rows(), 3);
  for (int i = 0; i < points.rows(); ++i) {
    const double u = points(i, 0) / 70, v = points(i, 1) / 90;
    sag.row(i) << 0.5 * (1 - u * u) * (1 - v * v), -2 * (1 - u * u) * (1 - v * v), 0;
  }
  return sag;
}

Positions add_noise(Positions points, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, kNoise);
  for (int i = 0; i < points.size(); ++i) points.data()[i] += normal(generator);
  return points;
}

RigidMotion some_world_from_head() {
  return {rotation_from_vector(Vec3(0.4, -1.1, 0.7)), Vec3(120, 1100, 480)};
}

// Error at the vertices, rms [mm].
double alignment_error(const Stabilised& result, const RigidMotion& world_from_head,
                       const Positions& points) {
  const RigidMotion error = result.head_from_world * world_from_head;
  return std::sqrt((error.apply(points) - points).rowwise().squaredNorm().mean());
}

Positions world_pose(const Dome& dome, const Positions& sag, unsigned seed = 3) {
  return some_world_from_head().apply(add_noise(dome.neutral + sag, seed));
}

TEST(Stabilise, ExactMotionWithoutNoiseOrSag) {
  const Dome dome = make_dome();
  const Stabilised result =
      stabilise(dome.neutral, some_world_from_head().apply(dome.neutral), {.noise = kNoise});
  EXPECT_LT((result.aligned - dome.neutral).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT(result.stable_rms, 1e-9);
}

TEST(Stabilise, ExactCopiesNeedNoNoise) {
  const Dome dome = make_dome();
  const Stabilised result = stabilise(dome.neutral, some_world_from_head().apply(dome.neutral));
  EXPECT_LT((result.aligned - dome.neutral).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_TRUE(result.covariance.allFinite());
}

TEST(Stabilise, FindsTheForeheadThatStaysPut) {
  const Dome dome = make_dome();
  const Positions pose = world_pose(dome, forehead_sag(dome.neutral));
  const Stabilised result = stabilise(dome.neutral, pose);
  EXPECT_EQ(result.source, StableSource::search);
  EXPECT_NEAR(result.noise, kNoise, 0.1 * kNoise);
  EXPECT_LT(alignment_error(result, some_world_from_head(), dome.neutral), 0.05);
  for (int i = 0; i < pose.rows(); ++i)
    if (dome.neutral(i, 1) < 30) {
      EXPECT_LT(result.weights[i], 0.5) << "vertex " << i << " sags but counts as stable";
    }
  // Least squares over all would be wrong by the mean sag.
  const Stabilised all =
      stabilise(dome.neutral, pose, {.stable = std::vector<bool>(pose.rows(), true), .trust_mask = true});
  EXPECT_GT(alignment_error(all, some_world_from_head(), dome.neutral), 0.5);
  EXPECT_GT(all.stable_rms, 3 * all.noise);
}

TEST(Stabilise, UsesTheBoundaryWhenOnlyThatIsFixed) {
  const Dome dome = make_dome();
  const Stabilised result =
      stabilise(dome.neutral, world_pose(dome, inner_sag(dome.neutral)), {.triangles = dome.triangles});
  EXPECT_EQ(result.source, StableSource::boundary);
  EXPECT_EQ(result.stable_count, 4 * (kSide - 1));
  EXPECT_LT(alignment_error(result, some_world_from_head(), dome.neutral), 0.02);
}

TEST(Stabilise, ABoundaryThatMovesIsNotUsed) {
  const Dome dome = make_dome();
  const Stabilised result =
      stabilise(dome.neutral, world_pose(dome, forehead_sag(dome.neutral)), {.triangles = dome.triangles});
  EXPECT_EQ(result.source, StableSource::search);
  EXPECT_LT(alignment_error(result, some_world_from_head(), dome.neutral), 0.05);
}

TEST(Stabilise, AMaskThatHoldsIsUsedWhole) {
  const Dome dome = make_dome();
  std::vector<bool> forehead(dome.neutral.rows());
  for (int i = 0; i < dome.neutral.rows(); ++i) forehead[i] = dome.neutral(i, 1) > 45;
  const Stabilised result =
      stabilise(dome.neutral, world_pose(dome, forehead_sag(dome.neutral)), {.stable = forehead});
  EXPECT_EQ(result.source, StableSource::mask);
  EXPECT_EQ(result.stable_count, std::count(forehead.begin(), forehead.end(), true));
  EXPECT_NEAR(result.stable_rms, kNoise, 0.1 * kNoise);
}

TEST(Stabilise, StaysInsideAMaskThatSagsInPart) {
  const Dome dome = make_dome();
  std::vector<bool> upper(dome.neutral.rows());
  for (int i = 0; i < dome.neutral.rows(); ++i) upper[i] = dome.neutral(i, 1) > 0;
  const Stabilised result =
      stabilise(dome.neutral, world_pose(dome, forehead_sag(dome.neutral)), {.stable = upper});
  EXPECT_EQ(result.source, StableSource::search);
  EXPECT_LT(alignment_error(result, some_world_from_head(), dome.neutral), 0.06);
  for (int i = 0; i < dome.neutral.rows(); ++i)
    if (!upper[i]) {
      EXPECT_EQ(result.weights[i], 0);
    }
}

TEST(Stabilise, CovarianceDescribesTheErrorsOverManyNoises) {
  const Dome dome = make_dome();
  const Positions sag = inner_sag(dome.neutral);
  constexpr int kRuns = 60;
  double chi_squared = 0;
  for (int run = 0; run < kRuns; ++run) {
    const Stabilised result =
        stabilise(dome.neutral, world_pose(dome, sag, 100 + run), {.triangles = dome.triangles});
    const RigidMotion error = (result.head_from_world * some_world_from_head()).inverse();
    Eigen::Matrix<double, 6, 1> z;
    z << vector_from_rotation(error.rotation), error.translation;
    chi_squared += z.dot(result.covariance.ldlt().solve(z));
  }
  // 6 degrees a run; four standard deviations of the mean.
  EXPECT_NEAR(chi_squared / kRuns, 6, 4 * std::sqrt(12.0 / kRuns));
}

TEST(Stabilise, SameSeedSameDigits) {
  const Dome dome = make_dome();
  const Positions pose = world_pose(dome, forehead_sag(dome.neutral));
  const Stabilised a = stabilise(dome.neutral, pose, {.seed = 5}),
                   b = stabilise(dome.neutral, pose, {.seed = 5});
  EXPECT_EQ((a.aligned - b.aligned).cwiseAbs().maxCoeff(), 0);
  const Stabilised c = stabilise(dome.neutral, pose, {.seed = 6});
  EXPECT_LT((a.aligned - c.aligned).cwiseAbs().maxCoeff(), 0.05);  // another seed finds the same set
}

TEST(Stabilise, PositionDeviationOfAPureTranslation) {
  Eigen::Matrix<double, 6, 6> covariance = Eigen::Matrix<double, 6, 6>::Zero();
  covariance.bottomRightCorner<3, 3>() = 0.04 * Mat3::Identity();
  EXPECT_NEAR(position_deviation(covariance, make_dome().neutral), std::sqrt(3 * 0.04), 1e-12);
}

TEST(Stabilise, GravityTurnsWithTheHead) {
  const RigidMotion head_from_world{rotation_from_vector(Vec3(0, 0, std::numbers::pi / 2)), Vec3(1, 2, 3)};
  EXPECT_LT((gravity_in_head(head_from_world, Vec3(0, -9810, 0)) - Vec3(9810, 0, 0)).norm(), 1e-9);
}

TEST(Stabilise, RefusesWhatItCannotUse) {
  const Dome dome = make_dome();
  const Positions pose = dome.neutral;
  EXPECT_THROW(stabilise(dome.neutral, pose.topRows(20)), std::logic_error);
  EXPECT_THROW(stabilise(dome.neutral.topRows(5), pose.topRows(5)), std::logic_error);
  EXPECT_THROW(stabilise(dome.neutral, pose, {.stable = {true, false}}), std::logic_error);
  std::vector<bool> few(pose.rows(), false);
  few[0] = few[5] = few[9] = true;
  EXPECT_THROW(stabilise(dome.neutral, pose, {.stable = few, .trust_mask = true}), std::logic_error);
}

}  // namespace
}  // namespace furrow
