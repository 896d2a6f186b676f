#include "inverse/rotation_derivative.h"

#include <cmath>

#include "forward/base/rigid_motion.h"

namespace furrow {

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

Mat3 left_jacobian(const Vec3& omega) {
  // J_l = I + (1 - cos t)/t^2 [w]x + (t - sin t)/t^3 [w]x^2
  const double t = omega.norm();
  const Mat3 W = cross_matrix(omega);
  const double a = t < 1e-4 ? 0.5 - t * t / 24 : (1 - std::cos(t)) / (t * t);
  const double b = t < 1e-4 ? 1.0 / 6 - t * t / 120 : (t - std::sin(t)) / (t * t * t);
  return Mat3::Identity() + a * W + b * W * W;
}

Mat3 rotated_by_omega(const Vec3& omega, const Vec3& v) {
  return -cross_matrix(rotation_from_vector(omega) * v) * left_jacobian(omega);
}

}  // namespace furrow
