// Rigid motions: x_to = R x_from + t, and the best one between two sets of corresponding points.
#pragma once

#include "forward/base/types.h"

namespace furrow {

struct RigidMotion {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation = Vec3::Zero();  ///< [mm]

  Positions apply(const Positions& points) const;
  RigidMotion inverse() const;
  RigidMotion operator*(const RigidMotion& first) const;  ///< first, then this
};

/// exp of a rotation vector [rad].
Mat3 rotation_from_vector(const Vec3& omega);
Vec3 vector_from_rotation(const Mat3& rotation);

/// Least squares motion from `from` to `to` (Kabsch/Umeyama without scale), weights per point (>= 0, empty:
/// all 1). Throws std::logic_error for fewer than three points of positive weight.
RigidMotion fit_rigid_motion(const Positions& from, const Positions& to, const VectorXd& weights = {});

}  // namespace furrow
