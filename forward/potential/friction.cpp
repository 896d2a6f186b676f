#include "forward/potential/friction.h"

namespace furrow {
namespace {

/// With s = d/e:  c1 = f'(d)/d,  c2 = (f''(d) - c1)/d^2, both smooth at d = 0:
///   d < e:  c1 = s^2 (6 s^2 - 15 s + 10)/e,  c2 = (24 s^2 - 45 s + 20)/e^3      d >= e:  c1 = 1/d,  c2 =
///   -1/d^3
struct Slope {
  double c1, c2;
};

Slope slope(double d, double eps) {
  if (d >= eps) return {1 / d, -1 / (d * d * d)};
  const double s = d / eps;
  return {s * s * (s * (6 * s - 15) + 10) / eps, (s * (24 * s - 45) + 20) / (eps * eps * eps)};
}

Vec3 across(const Vec3& n, const Vec3& u) {
  return u - n * n.dot(u);
}

}  // namespace

/// With s = d/e:  f = e s^4 (s^2 - 3 s + 5/2),  f' = s^3 (6 s^2 - 15 s + 10),  f'' = 30 s^2 (1 - s)^2/e
FrictionPolynomial friction_polynomial(double d, double eps) {
  if (d >= eps) return {d - eps / 2, 1, 0};
  const double s = d / eps, s2 = s * s;
  return {eps * s2 * s2 * (s * (s - 3) + 2.5), s2 * s * (s * (6 * s - 15) + 10),
          30 * s2 * (1 - s) * (1 - s) / eps};
}

/// grad = mu f_n c1 T u,  Hessian = mu f_n (c1 T + c2 (T u)(T u)^T)
PointValue Friction::value(const Vec3& u) const {
  const double force = coefficient * pressure;
  if (force == 0) return {};
  const Vec3 w = across(normal, u);
  const double d = w.norm();
  const auto [c1, c2] = slope(d, eps);
  Mat3 hessian = (force * c2 * w) * w.transpose() - (force * c1 * normal) * normal.transpose();
  hessian.diagonal().array() += force * c1;
  return {force * friction_polynomial(d, eps).value, force * c1 * w, hessian};
}

Vec3 Friction::gradient_by_coefficient(const Vec3& u) const {
  const Vec3 w = across(normal, u);
  return pressure * slope(w.norm(), eps).c1 * w;
}

Vec3 Friction::gradient_by_pressure(const Vec3& u) const {
  const Vec3 w = across(normal, u);
  return coefficient * slope(w.norm(), eps).c1 * w;
}

/// w = u - n (n.u):  dw/dn = -(n.u) I - n u^T,  d(c1 w)/dw = c1 I + c2 w w^T
Mat3 Friction::gradient_by_normal(const Vec3& u) const {
  const Vec3 w = across(normal, u);
  const auto [c1, c2] = slope(w.norm(), eps);
  Mat3 by_slip = (c2 * w) * w.transpose();
  by_slip.diagonal().array() += c1;
  Mat3 slip_by_normal = -normal * u.transpose();
  slip_by_normal.diagonal().array() -= normal.dot(u);
  return coefficient * pressure * by_slip * slip_by_normal;
}

}  // namespace furrow
