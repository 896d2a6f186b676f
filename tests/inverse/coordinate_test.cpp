// Every map satisfies its identity and its derivative; rotations by their vector.
#include "inverse/parameter_map/coordinate.h"

#include <gtest/gtest.h>

#include "forward/base/rigid_motion.h"
#include "inverse/rotation_derivative.h"
#include "tests/support/check_derivative.h"

namespace furrow {
namespace {

class Maps : public ::testing::TestWithParam<CoordinateMap> {};

TEST_P(Maps, GoThereAndBack) {
  const CoordinateMap& map = GetParam();
  for (double t = 0.02; t < 1; t += 0.12) {
    const double theta = map.kind == MapKind::logit ? map.range[0] + t * (map.range[1] - map.range[0])
                                                    : map.range[0] * std::pow(map.range[1] / map.range[0], t);
    const double p = map.to_coordinate(theta);
    EXPECT_NEAR(map.to_physical(p), theta, 1e-13 * theta);
    EXPECT_NEAR(map.to_coordinate(map.to_physical(p)), p, 1e-12);
    EXPECT_NEAR(map.position(theta), map.kind == MapKind::log ? 0.5 : t, 1e-12);
    testing::check_derivative(
        [&](const VectorXd& q) { return VectorXd::Constant(1, map.to_physical(q[0])); },
        [&](const VectorXd& q, const VectorXd& d) { return VectorXd(map.derivative(q[0]) * d); },
        VectorXd::Constant(1, p), map.kind == MapKind::logit ? 2e-3 : 2e-2, 7, 1, 0.05, 1e-5);
  }
}

TEST_P(Maps, BoundsAreNeverReached) {
  const CoordinateMap& map = GetParam();
  if (map.kind == MapKind::log) return;  // has no range
  for (const double p : {-5.0, 5.0}) {
    const double theta = map.to_physical(p * map.range[1] / map.range[0]);
    EXPECT_GE(theta, map.range[0]);
    EXPECT_LE(theta, map.range[1]);
  }
  for (const double outside : {0.5 * map.range[0], map.range[0], map.range[1], 2 * map.range[1]}) {
    const double p = map.to_coordinate(outside);
    EXPECT_TRUE(std::isfinite(p));
    EXPECT_GT(map.derivative(p), 0);  // moved just inside, so that it can move back
  }
}

INSTANTIATE_TEST_SUITE_P(All, Maps,
                         ::testing::Values(CoordinateMap{MapKind::log, {1e-3, 2.0}},
                                           CoordinateMap{MapKind::logit_of_log, {1e-3, 0.2}},
                                           CoordinateMap{MapKind::logit_of_log, {1e-3, 2e-3}},
                                           CoordinateMap{MapKind::logit, {0.3, 0.49}}));

TEST(RotationDerivative, OfAVectorByTheRotationVector) {
  const Vec3 v(3, -1, 2);
  for (const VectorXd& omega :
       {VectorXd(Vec3(0.7, -1.1, 0.4)), VectorXd(Vec3(1e-5, 2e-5, -1e-5)), VectorXd(Vec3::Zero())})
    testing::check_derivative(
        [&](const VectorXd& w) { return VectorXd(rotation_from_vector(Vec3(w)) * v); },
        [&](const VectorXd& w, const VectorXd& d) { return VectorXd(rotated_by_omega(Vec3(w), v) * d); },
        omega, 0.01);
}

TEST(RotationDerivative, LeftJacobianComposes) {
  const Vec3 omega(0.7, -1.1, 0.4), d = 1e-5 * Vec3(1, 2, -3);
  const Mat3 together = rotation_from_vector(omega + d),
             apart = rotation_from_vector(left_jacobian(omega) * d) * rotation_from_vector(omega);
  EXPECT_LT((together - apart).norm(), 1e-9);
  EXPECT_LT((left_jacobian(Vec3::Zero()) - Mat3::Identity()).norm(), 1e-15);
  EXPECT_LT((cross_matrix(omega) * d - omega.cross(d)).norm(), 1e-20);
}

}  // namespace
}  // namespace furrow
