#include "forward/potential/contact_sphere.h"

#include <algorithm>
#include <cmath>

namespace furrow {
namespace {

constexpr double smallest_distance = 1e-12;  // [mm] nearer to the centre the normal is taken as +z

/// x as the sphere sees it: distance to the centre, outward normal.
struct Seen {
  double distance;
  Vec3 normal;
};

Seen seen(const SphereContact& sphere, const Vec3& x) {
  const Vec3 r = x - sphere.centre;
  const double d = r.norm();
  if (d < smallest_distance) return {smallest_distance, Vec3::UnitZ()};
  return {d, r / d};
}

/// a n n^T + b (I - n n^T)
Mat3 along_and_across(const Vec3& n, double a, double b) {
  Mat3 m = ((a - b) * n) * n.transpose();
  m.diagonal().array() += b;
  return m;
}

}  // namespace

double SphereContact::gap(const Vec3& x) const {
  return (x - centre).norm() - radius;
}

Vec3 SphereContact::normal(const Vec3& x) const {
  return seen(*this, x).normal;
}

PointValue SphereContact::value(const Vec3& x, bool projected) const {
  const PenaltyValue phi = penalty.at_gap(gap(x));
  if (phi.energy == 0) return {};
  const auto [d, n] = seen(*this, x);
  return {phi.energy, -phi.first * n, along_and_across(n, phi.second, projected ? 0 : -phi.first / d)};
}

double SphereContact::pressure(const Vec3& x) const {
  return penalty.at_gap(gap(x)).first;
}

Vec3 SphereContact::gradient_by_kappa(const Vec3& x) const {
  return -ContactPenalty{1, penalty.ramp}.at_gap(gap(x)).first * normal(x);
}

/// The depth grows with R as fast as with -|x - c|.
Vec3 SphereContact::gradient_by_radius(const Vec3& x) const {
  return -penalty.at_gap(gap(x)).second * normal(x);
}

Mat3 SphereContact::gradient_by_centre(const Vec3& x) const {
  return -value(x).hessian;
}

/// df_n/dx = -phi'' n,  dn/dx = (I - n n^T)/|x - c|
SphereContact::LagDerivative SphereContact::lag_derivative(const Vec3& x) const {
  const auto [d, n] = seen(*this, x);
  const double g = gap(x), second = penalty.at_gap(g).second;
  return {.pressure_by_x = -second * n,
          .normal_by_x = along_and_across(n, 0, 1 / d),
          .pressure_by_kappa = ContactPenalty{1, penalty.ramp}.at_gap(g).first,
          .pressure_by_radius = second};
}

}  // namespace furrow
