#include <tbb/parallel_for.h>

#include <Eigen/Eigenvalues>

#include <algorithm>

#include "forward/potential/surface_potentials.h"

namespace furrow {

namespace {

/// Eigenvalues clamped at zero.
Mat3 positive_part(const Mat3& h) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(h);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

}  // namespace

SkullPotential::SkullPotential(const SurfacePoints& inner, ImlsSurface skull, double ramp,
                               bool subtract_rest_gap)
    : SurfacePotential(inner),
      skull_(std::move(skull)),
      ramp_(ramp),
      rest_gap_(VectorXd::Zero(inner.count())) {
  if (subtract_rest_gap)
    for (int q = 0; q < inner.count(); ++q)
      rest_gap_[q] = skull_.value(inner.rest().row(q).transpose(), false).g;
}

PotentialValue SkullPotential::value(const Positions& x, const StepInput& in, Positions* gradient) const {
  const ContactPenalty penalty{in.theta.skull_penalty, ramp_};
  const Positions at = points_.at(x);
  VectorXd energy(at.rows());
  Positions force = Positions::Zero(at.rows(), 3);
  tbb::parallel_for(Eigen::Index{0}, at.rows(), [&](Eigen::Index q) {
    const ImlsValue s = skull_.value(at.row(q).transpose(), false);
    const PenaltyValue p = penalty.at_gap(s.g - rest_gap_[q]);
    energy[q] = points_.weight()[q] * p.energy;
    force.row(q) = -points_.weight()[q] * p.first * s.gradient.transpose();
  });
  if (gradient) points_.add_transposed(force, *gradient);
  PotentialValue sum;
  sum.energy = energy.sum();
  return sum;
}

/// phi'' grad g grad g^T - phi' g''.
std::vector<Mat3> SkullPotential::point_hessians(const Positions& x, const StepInput& in,
                                                 bool projected) const {
  const ContactPenalty penalty{in.theta.skull_penalty, ramp_};
  const Positions at = points_.at(x);
  std::vector<Mat3> H(at.rows(), Mat3::Zero());
  tbb::parallel_for(Eigen::Index{0}, at.rows(), [&](Eigen::Index q) {
    const double gap = skull_.value(at.row(q).transpose(), false).g - rest_gap_[q];
    if (!(gap < 0)) return;
    const ImlsValue s = skull_.value(at.row(q).transpose(), true);
    const PenaltyValue p = penalty.at_gap(gap);
    const Mat3 h = p.second * s.gradient * s.gradient.transpose() - p.first * s.hessian;
    H[q] = points_.weight()[q] * (projected ? positive_part(h) : h);
  });
  return H;
}

void SkullPotential::add_gradient_jvp(const Positions& x, const StepInput&, const ShellState&,
                                      const ShellTheta& dtheta, Positions& out) const {
  const ContactPenalty unit{dtheta.skull_penalty, ramp_};  // the force is linear in kappa
  const Positions at = points_.at(x);
  Positions force = Positions::Zero(at.rows(), 3);
  for (Eigen::Index q = 0; q < at.rows(); ++q) {
    const ImlsValue s = skull_.value(at.row(q).transpose(), false);
    force.row(q) = -points_.weight()[q] * unit.at_gap(s.g - rest_gap_[q]).first * s.gradient.transpose();
  }
  points_.add_transposed(force, out);
}

void SkullPotential::add_gradient_vjp(const Positions& x, const StepInput&, const Positions& lambda,
                                      StepPullback& out) const {
  const ContactPenalty unit{1.0, ramp_};
  const Positions at = points_.at(x), l = points_.at(lambda);
  for (Eigen::Index q = 0; q < at.rows(); ++q) {
    const ImlsValue s = skull_.value(at.row(q).transpose(), false);
    out.theta.skull_penalty -=
        points_.weight()[q] * unit.at_gap(s.g - rest_gap_[q]).first * l.row(q).dot(s.gradient.transpose());
  }
}

double SkullPotential::deepest_penetration(const Positions& x) const {
  const Positions at = points_.at(x);
  double deepest = 0;
  for (Eigen::Index q = 0; q < at.rows(); ++q)
    deepest = std::max(deepest, rest_gap_[q] - skull_.value(at.row(q).transpose(), false).g);
  return deepest;
}

}  // namespace furrow
