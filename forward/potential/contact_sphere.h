// A sphere pressed into the skin: gap g(x) = |x - c| - R, n = (x - c)/|x - c|, psi = phi(-g).
//   grad = -phi' n,  Hessian = phi'' n n^T - phi'/d (I - n n^T)   (indefinite while penetrating: projected
//   variant)
#pragma once

#include "forward/potential/contact_penalty.h"
#include "forward/potential/point_law.h"

namespace furrow {

struct SphereContact {
  Vec3 centre = Vec3::Zero();
  double radius = 0;
  ContactPenalty penalty;

  double gap(const Vec3& x) const;
  Vec3 normal(const Vec3& x) const;
  PointValue value(const Vec3& x, bool projected = false) const;
  double pressure(const Vec3& x) const;  ///< f_n = phi'(-g) >= 0 [MPa]
  /// Derivatives of the gradient.
  Vec3 gradient_by_kappa(const Vec3& x) const;
  Vec3 gradient_by_radius(const Vec3& x) const;
  Mat3 gradient_by_centre(const Vec3& x) const;  ///< = - Hessian
  /// What friction remembers of a contact, and its derivative: f_n and n by x (and c = minus that), kappa, R.
  struct LagDerivative {
    Vec3 pressure_by_x;
    Mat3 normal_by_x;
    double pressure_by_kappa, pressure_by_radius;
  };
  LagDerivative lag_derivative(const Vec3& x) const;
};

}  // namespace furrow
