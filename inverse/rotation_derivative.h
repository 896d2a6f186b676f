// Derivatives of a rotated vector by its rotation vector.
#pragma once

#include "forward/base/types.h"

namespace furrow {

/// [v]x, so that [v]x w = v x w.
Mat3 cross_matrix(const Vec3& v);
/// J_l(omega): exp(omega + d) = exp(J_l d) exp(omega) to first order.
Mat3 left_jacobian(const Vec3& omega);
/// d(exp(omega) v)/d omega = -[exp(omega) v]x J_l(omega).
Mat3 rotated_by_omega(const Vec3& omega, const Vec3& v);

}  // namespace furrow
