#include "forward/potential/ligament.h"

#include <cmath>
#include <limits>

namespace furrow {
namespace {

constexpr double largest_exponent = 690;  // e^690 = 1e299: room for the factors in front of it
constexpr double kink = 1e-12;            // [mm] the seed variant's d = 0
constexpr double kink_width = 1e-6;       // [mm]

/// expm1(z)/z, 1 at z = 0.
double expm1_over(double z) {
  return std::abs(z) < 1e-300 ? 1.0 : std::expm1(z) / z;
}

/// A function of d = |r| in the form that needs no division by d:
/// psi, grad = c1 r, Hessian = c1 I + c2 r r^T, and d(grad)/dk = c1_k r, d(grad)/db = c1_b r.
struct Radial {
  double psi = 0, c1 = 0, c2 = 0, c1_k = 0, c1_b = 0;
};

/// psi = k s expm1(b s)/(b s),  s = D - eps = d^2/(D + eps),  D = sqrt(d^2 + eps^2),  e = exp(b s):
/// c1 = k e/D,  c2 = k e (b D - 1)/D^3,  dc1/db = s c1.
Radial exponential(double k, double b, double d2, double eps) {
  const double D = std::sqrt(d2 + eps * eps), s = d2 / (D + eps), z = b * s;
  if (!(z <= largest_exponent)) return {.psi = std::numeric_limits<double>::infinity()};
  const double e = std::exp(z), c1_k = e / D;
  return {k * s * expm1_over(z), k * c1_k, k * c1_k * (b * D - 1) / (D * D), c1_k, k * c1_k * s};
}

/// psi = k/2 d^2 expm1(b d^2)/(b d^2),  e = exp(b d^2):  c1 = k e,  c2 = 2 b k e,  dc1/db = d^2 c1.
Radial quadratic(double k, double b, double d2) {
  const double z = b * d2;
  if (!(z <= largest_exponent)) return {.psi = std::numeric_limits<double>::infinity()};
  const double e = std::exp(z);
  return {k / 2 * d2 * expm1_over(z), k * e, 2 * b * k * e, e, k * e * d2};
}

/// The seed variant is the smoothed one with eps = 0.
double rounding(const Ligament& law) {
  return law.variant == LigamentVariant::seed ? 0 : law.smoothing;
}

/// Where D = 0: no derivative there.
bool at_kink(const Ligament& law, double d2) {
  return law.variant != LigamentVariant::quadratic && d2 < kink * kink && rounding(law) < kink;
}

Radial radial(const Ligament& law, double d2) {
  if (at_kink(law, d2)) return {};
  if (law.variant == LigamentVariant::quadratic) return quadratic(law.stiffness, law.b, d2);
  return exponential(law.stiffness, law.b, d2, rounding(law));
}

Mat3 kink_hessian(const Ligament& law) {
  return law.stiffness / kink_width * Mat3::Identity();
}

Mat3 isotropic_plus(double c1, double c2, const Vec3& r) {
  Mat3 hessian = (c2 * r) * r.transpose();
  hessian.diagonal().array() += c1;
  return hessian;
}

}  // namespace

PointValue Ligament::value(const Vec3& r) const {
  const double d2 = r.squaredNorm();
  if (at_kink(*this, d2)) return {0, Vec3::Zero(), kink_hessian(*this)};
  const Radial law = radial(*this, d2);
  return {law.psi, law.c1 * r, isotropic_plus(law.c1, law.c2, r)};
}

/// Eigenvalues: c1 twice across r, c1 + c2 d^2 along it.
Mat3 Ligament::projected_hessian(const Vec3& r) const {
  const double d2 = r.squaredNorm();
  if (at_kink(*this, d2)) return kink_hessian(*this);
  const Radial law = radial(*this, d2);
  const bool convex = law.c1 + law.c2 * d2 >= 0;
  return isotropic_plus(law.c1, convex ? law.c2 : -law.c1 / d2, r);
}

Vec3 Ligament::gradient_by_stiffness(const Vec3& r) const {
  return radial(*this, r.squaredNorm()).c1_k * r;
}

Vec3 Ligament::gradient_by_b(const Vec3& r) const {
  return radial(*this, r.squaredNorm()).c1_b * r;
}

}  // namespace furrow
