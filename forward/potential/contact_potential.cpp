#include <algorithm>

#include "forward/base/error.h"
#include "forward/potential/surface_potentials.h"

namespace furrow {

ContactPotential::ContactPotential(const SurfacePoints& outer, std::vector<double> ramps)
    : SurfacePotential(outer), ramps_(std::move(ramps)) {}

SphereContact ContactPotential::sphere(int c, const ColliderPose& pose, const ShellTheta& theta) const {
  const ColliderTheta& t = theta.colliders[c];
  return {pose.centre + t.offset, pose.radius + t.radius_change, {t.penalty, ramps_[c]}};
}

PotentialValue ContactPotential::value(const Positions& x, const StepInput& in, Positions* gradient) const {
  const Positions at = points_.at(x);
  PotentialValue sum;
  Positions force = Positions::Zero(at.rows(), 3);
  for (std::size_t c = 0; c < ramps_.size(); ++c) {
    if (!in.frame.now[c].present) continue;
    const SphereContact s = sphere(static_cast<int>(c), in.frame.now[c], in.theta);
    for (Eigen::Index q = 0; q < at.rows(); ++q) {
      const Vec3 xq = at.row(q).transpose();
      if (!(s.gap(xq) < 0)) continue;
      const PointValue p = s.value(xq);
      sum.energy += points_.weight()[q] * p.energy;
      force.row(q) += points_.weight()[q] * p.gradient.transpose();
    }
  }
  if (gradient) points_.add_transposed(force, *gradient);
  return sum;
}

std::vector<Mat3> ContactPotential::point_hessians(const Positions& x, const StepInput& in,
                                                   bool projected) const {
  const Positions at = points_.at(x);
  std::vector<Mat3> H(at.rows(), Mat3::Zero());
  for (std::size_t c = 0; c < ramps_.size(); ++c) {
    if (!in.frame.now[c].present) continue;
    const SphereContact s = sphere(static_cast<int>(c), in.frame.now[c], in.theta);
    for (Eigen::Index q = 0; q < at.rows(); ++q) {
      const Vec3 xq = at.row(q).transpose();
      if (s.gap(xq) < 0) H[q] += points_.weight()[q] * s.value(xq, projected).hessian;
    }
  }
  return H;
}

void ContactPotential::add_gradient_jvp(const Positions& x, const StepInput& in, const ShellState&,
                                        const ShellTheta& dtheta, Positions& out) const {
  const Positions at = points_.at(x);
  Positions force = Positions::Zero(at.rows(), 3);
  for (std::size_t c = 0; c < ramps_.size(); ++c) {
    if (!in.frame.now[c].present) continue;
    const SphereContact s = sphere(static_cast<int>(c), in.frame.now[c], in.theta);
    const ColliderTheta& d = dtheta.colliders[c];
    for (Eigen::Index q = 0; q < at.rows(); ++q) {
      const Vec3 xq = at.row(q).transpose();
      if (!(s.gap(xq) < 0)) continue;
      const Vec3 df = d.penalty * s.gradient_by_kappa(xq) + d.radius_change * s.gradient_by_radius(xq) +
                      s.gradient_by_centre(xq) * d.offset;
      force.row(q) += points_.weight()[q] * df.transpose();
    }
  }
  points_.add_transposed(force, out);
}

void ContactPotential::add_gradient_vjp(const Positions& x, const StepInput& in, const Positions& lambda,
                                        StepPullback& out) const {
  const Positions at = points_.at(x), l = points_.at(lambda);
  for (std::size_t c = 0; c < ramps_.size(); ++c) {
    if (!in.frame.now[c].present) continue;
    const SphereContact s = sphere(static_cast<int>(c), in.frame.now[c], in.theta);
    ColliderTheta& bar = out.theta.colliders[c];
    for (Eigen::Index q = 0; q < at.rows(); ++q) {
      const Vec3 xq = at.row(q).transpose(), lq = points_.weight()[q] * l.row(q).transpose();
      if (!(s.gap(xq) < 0)) continue;
      bar.penalty += lq.dot(s.gradient_by_kappa(xq));
      bar.radius_change += lq.dot(s.gradient_by_radius(xq));
      bar.offset += s.gradient_by_centre(xq).transpose() * lq;
    }
  }
}

Vec3 ContactPotential::force_on(int c, const Positions& x, const StepInput& in) const {
  Vec3 force = Vec3::Zero();
  if (!in.frame.now[c].present) return force;
  const Positions at = points_.at(x);
  const SphereContact s = sphere(c, in.frame.now[c], in.theta);
  for (Eigen::Index q = 0; q < at.rows(); ++q) {
    const Vec3 xq = at.row(q).transpose();
    if (s.gap(xq) < 0) force += points_.weight()[q] * s.value(xq).gradient;
  }
  return force;
}

double ContactPotential::deepest_penetration(const Positions& x, const StepInput& in) const {
  const Positions at = points_.at(x);
  double deepest = 0;
  for (std::size_t c = 0; c < ramps_.size(); ++c) {
    if (!in.frame.now[c].present) continue;
    const SphereContact s = sphere(static_cast<int>(c), in.frame.now[c], in.theta);
    for (Eigen::Index q = 0; q < at.rows(); ++q) deepest = std::max(deepest, -s.gap(at.row(q).transpose()));
  }
  return deepest;
}

std::vector<ContactLag> ContactPotential::no_lag() const {
  return std::vector<ContactLag>(ramps_.size(),
                                 {VectorXd::Zero(points_.count()), Positions::Zero(points_.count(), 3)});
}

std::vector<ContactLag> ContactPotential::lag(const Positions& x, const Frame& frame,
                                              const ShellTheta& theta) const {
  std::vector<ContactLag> out = no_lag();
  const Positions at = points_.at(x);
  for (std::size_t c = 0; c < ramps_.size(); ++c) {
    if (!frame.now[c].present) continue;
    const SphereContact s = sphere(static_cast<int>(c), frame.now[c], theta);
    for (Eigen::Index q = 0; q < at.rows(); ++q) {
      const Vec3 xq = at.row(q).transpose();
      if (!(s.gap(xq) < 0)) continue;
      out[c].pressure[q] = s.pressure(xq);
      out[c].normal.row(q) = s.normal(xq).transpose();
    }
  }
  return out;
}

std::vector<ContactLag> ContactPotential::lag_jvp(const Positions& x, const Frame& frame,
                                                  const ShellTheta& theta, const Positions& dx,
                                                  const ShellTheta& dtheta) const {
  std::vector<ContactLag> out = no_lag();
  const Positions at = points_.at(x), dat = points_.at(dx);
  for (std::size_t c = 0; c < ramps_.size(); ++c) {
    if (!frame.now[c].present) continue;
    const SphereContact s = sphere(static_cast<int>(c), frame.now[c], theta);
    const ColliderTheta& d = dtheta.colliders[c];
    for (Eigen::Index q = 0; q < at.rows(); ++q) {
      const Vec3 xq = at.row(q).transpose();
      if (!(s.gap(xq) < 0)) continue;
      const SphereContact::LagDerivative by = s.lag_derivative(xq);
      const Vec3 relative = dat.row(q).transpose() - d.offset;
      out[c].pressure[q] = by.pressure_by_x.dot(relative) + by.pressure_by_kappa * d.penalty +
                           by.pressure_by_radius * d.radius_change;
      out[c].normal.row(q) = (by.normal_by_x * relative).transpose();
    }
  }
  return out;
}

void ContactPotential::add_lag_vjp(const Positions& x, const Frame& frame, const ShellTheta& theta,
                                   const std::vector<ContactLag>& bar, Positions& x_bar,
                                   ShellTheta& theta_bar) const {
  const Positions at = points_.at(x);
  Positions at_bar = Positions::Zero(at.rows(), 3);
  for (std::size_t c = 0; c < ramps_.size(); ++c) {
    if (!frame.now[c].present) continue;
    const SphereContact s = sphere(static_cast<int>(c), frame.now[c], theta);
    ColliderTheta& t = theta_bar.colliders[c];
    for (Eigen::Index q = 0; q < at.rows(); ++q) {
      const Vec3 xq = at.row(q).transpose();
      if (!(s.gap(xq) < 0)) continue;
      const SphereContact::LagDerivative by = s.lag_derivative(xq);
      const double pressure_bar = bar[c].pressure[q];
      const Vec3 relative =
          pressure_bar * by.pressure_by_x + by.normal_by_x.transpose() * bar[c].normal.row(q).transpose();
      at_bar.row(q) += relative.transpose();
      t.offset -= relative;
      t.penalty += pressure_bar * by.pressure_by_kappa;
      t.radius_change += pressure_bar * by.pressure_by_radius;
    }
  }
  points_.add_transposed(at_bar, x_bar);
}

}  // namespace furrow
