#include "forward/base/rigid_motion.h"

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>

#include "forward/base/error.h"

namespace furrow {

Positions RigidMotion::apply(const Positions& points) const {
  return (points * rotation.transpose()).rowwise() + translation.transpose();
}

RigidMotion RigidMotion::inverse() const {
  return {rotation.transpose(), -(rotation.transpose() * translation)};
}

RigidMotion RigidMotion::operator*(const RigidMotion& first) const {
  return {rotation * first.rotation, rotation * first.translation + translation};
}

/// R = I + a [w]x + b [w]x^2,  a = sin t / t,  b = (1 - cos t) / t^2 = (sin(t/2) / (t/2))^2 / 2,  t = |w|
/// (Rodrigues)
Mat3 rotation_from_vector(const Vec3& omega) {
  const double t = omega.norm();
  const auto sinc = [](double x) { return std::abs(x) < 1e-4 ? 1 - x * x / 6 : std::sin(x) / x; };
  const double a = sinc(t), b = sinc(t / 2) * sinc(t / 2) / 2;
  Mat3 cross;
  cross << 0, -omega.z(), omega.y(), omega.z(), 0, -omega.x(), -omega.y(), omega.x(), 0;
  return Mat3::Identity() + a * cross + b * cross * cross;
}

/// Through the quaternion (w, v) with w >= 0: angle = 2 atan2(|v|, w), accurate at 0 and at pi.
Vec3 vector_from_rotation(const Mat3& rotation) {
  Eigen::Quaterniond q(rotation);
  if (q.w() < 0) q.coeffs() *= -1;
  const double sine = q.vec().norm();
  if (sine < 1e-12) return 2 * q.vec();
  return 2 * std::atan2(sine, q.w()) / sine * q.vec();
}

/// min sum_i w_i |R a_i + t - b_i|^2:  H = sum w (a - a0)(b - b0)' = U S V',  R = V diag(1, 1, det VU') U',
/// t = b0 - R a0.
RigidMotion fit_rigid_motion(const Positions& from, const Positions& to, const VectorXd& weights) {
  require(from.rows() == to.rows(), "fit_rigid_motion: as many points from as to");
  require(weights.size() == 0 || weights.size() == from.rows(), "fit_rigid_motion: one weight a point");
  const VectorXd w = weights.size() ? weights : VectorXd::Ones(from.rows());
  require((w.array() >= 0).all(), "fit_rigid_motion: weights are not negative");
  require((w.array() > 0).count() >= 3, "fit_rigid_motion: three points of positive weight");

  const Eigen::RowVector3d from_centre = w.transpose() * from / w.sum(),
                           to_centre = w.transpose() * to / w.sum();
  const Positions a = from.rowwise() - from_centre, b = to.rowwise() - to_centre;
  const Mat3 covariance = a.transpose() * w.asDiagonal() * b;
  const Eigen::JacobiSVD<Mat3> svd(covariance, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Mat3 u = svd.matrixU(), v = svd.matrixV();
  const Vec3 signs(1, 1, (v * u.transpose()).determinant() < 0 ? -1 : 1);

  RigidMotion motion;
  motion.rotation = v * signs.asDiagonal() * u.transpose();
  motion.translation = to_centre.transpose() - motion.rotation * from_centre.transpose();
  return motion;
}

}  // namespace furrow
