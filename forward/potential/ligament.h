// Ligaments: the inner surface is tied to where it was by a traction that grows exponentially (THEORY 8),
// d = |x - X|:
//
//   smoothed   psi = k/b expm1(b (D - eps)), D = sqrt(d^2 + eps^2)           the default; k [MPa], b [1/mm]
//   seed       psi = k/b expm1(b d)                                          as published: kink at d = 0
//   quadratic  psi = k/(2 b) expm1(b d^2)                                    k [MPa/mm], b [1/mm^2]
//
// b -> 0 is taken through expm1(z)/z; b < 0 is refused by the reader of scenes. Where the exponent passes 690
// the energy is +inf and every derivative 0: such a state is refused by its energy.
#pragma once

#include "forward/potential/point_law.h"

namespace furrow {

enum class LigamentVariant { smoothed, seed, quadratic };

struct Ligament {
  LigamentVariant variant = LigamentVariant::smoothed;
  double stiffness = 0;     ///< k >= 0
  double b = 0;             ///< >= 0
  double smoothing = 0.05;  ///< eps > 0 [mm], smoothed only

  /// r = x - X [mm]. The seed variant has no gradient at its kink: for |r| < 1e-12 mm the gradient returned
  /// is 0 (the tie holds up to the traction k) and the Hessian k/1e-6 mm I, the stiffness of a kink a
  /// nanometre wide.
  PointValue value(const Vec3& r) const;
  /// The Hessian with its eigenvalues clamped at 0 (all three variants are convex for b >= 0: unchanged
  /// then).
  Mat3 projected_hessian(const Vec3& r) const;
  Vec3 gradient_by_stiffness(const Vec3& r) const;  ///< [–]; [mm] for `quadratic`
  Vec3 gradient_by_b(const Vec3& r) const;          ///< [N/mm]; [N] for `quadratic`
};

}  // namespace furrow
