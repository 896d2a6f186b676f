// Lagged smooth friction (THEORY 0.5 and 7): per reference area
//
//   psi(u) = mu f_n f(|T u|; eps),  T = I - n n^T,  eps = slip_speed x dt
//   f(d)   = d^6/e^5 - 3 d^5/e^4 + 5/2 d^4/e^3  for d < e,  d - e/2 + const continuous for d >= e
//
// u is the slip of the point against the collider in this frame; f_n [MPa] and n are those of the lag.
#pragma once

#include "forward/potential/point_law.h"

namespace furrow {

/// f, f', f'' of the polynomial.
struct FrictionPolynomial {
  double value, first, second;
};
FrictionPolynomial friction_polynomial(double d, double eps);

struct Friction {
  double coefficient = 0;  ///< mu
  double pressure = 0;     ///< f_n [MPa]
  Vec3 normal = Vec3::UnitZ();
  double eps = 0;  ///< [mm] > 0

  PointValue value(const Vec3& u) const;  ///< convex: the Hessian is positive semi-definite
  Vec3 gradient_by_coefficient(const Vec3& u) const;
  Vec3 gradient_by_pressure(const Vec3& u) const;
  /// d(gradient) for dn (n is not required to stay of unit length to first order), and transposed.
  Mat3 gradient_by_normal(const Vec3& u) const;
};

}  // namespace furrow
