#include "forward/potential/friction.h"
#include "forward/potential/surface_potentials.h"

namespace furrow {

namespace {

/// The law and slip of every point where friction acts, for one collider.
struct Slip {
  const ContactLag& lag;
  double coefficient, eps;
  Vec3 now, before;
  Mat3 turn;  ///< R_now R_before^T
  Positions x, start;

  Friction law(Eigen::Index q) const {
    return {coefficient, lag.pressure[q], lag.normal.row(q).transpose(), eps};
  }
  Vec3 of(Eigen::Index q) const {
    return x.row(q).transpose() - now - turn * (start.row(q).transpose() - before);
  }
};

/// visit(c, q, slip) for every point of every collider that touched at the lag and is still there.
template <class Visit>
void for_each_slip(const SurfacePoints& points, const std::vector<double>& slip_speeds, const Positions& x,
                   const StepInput& in, const Visit& visit) {
  const Frame& frame = in.frame;
  for (std::size_t c = 0; c < slip_speeds.size(); ++c) {
    if (!frame.now[c].present || !frame.before[c].present) continue;
    const ContactLag& lag = in.from.lag[c];
    if ((lag.pressure.array() == 0).all()) continue;
    const ColliderTheta& theta = in.theta.colliders[c];
    const Slip slip{lag,
                    theta.friction,
                    slip_speeds[c] * frame.dt,
                    frame.now[c].centre + theta.offset,
                    frame.before[c].centre + theta.offset,
                    frame.now[c].rotation * frame.before[c].rotation.transpose(),
                    points.at(x),
                    points.at(in.from.frame_start)};
    for (Eigen::Index q = 0; q < points.count(); ++q)
      if (lag.pressure[q] > 0) visit(c, q, slip);
  }
}

}  // namespace

FrictionPotential::FrictionPotential(const SurfacePoints& outer, std::vector<double> slip_speeds)
    : SurfacePotential(outer), slip_speeds_(std::move(slip_speeds)) {}

PotentialValue FrictionPotential::value(const Positions& x, const StepInput& in, Positions* gradient) const {
  PotentialValue sum;
  Positions force = Positions::Zero(points_.count(), 3);
  for_each_slip(points_, slip_speeds_, x, in, [&](std::size_t, Eigen::Index q, const Slip& slip) {
    const PointValue p = slip.law(q).value(slip.of(q));
    sum.energy += points_.weight()[q] * p.energy;
    force.row(q) += points_.weight()[q] * p.gradient.transpose();
  });
  if (gradient) points_.add_transposed(force, *gradient);
  return sum;
}

/// Convex: its own positive part.
std::vector<Mat3> FrictionPotential::point_hessians(const Positions& x, const StepInput& in, bool) const {
  std::vector<Mat3> H(points_.count(), Mat3::Zero());
  for_each_slip(points_, slip_speeds_, x, in, [&](std::size_t, Eigen::Index q, const Slip& slip) {
    H[q] += points_.weight()[q] * slip.law(q).value(slip.of(q)).hessian;
  });
  return H;
}

/// du = -(I - R) do - R dx_start; f_n and n come from the lag.
void FrictionPotential::add_gradient_jvp(const Positions& x, const StepInput& in, const ShellState& dfrom,
                                         const ShellTheta& dtheta, Positions& out) const {
  Positions force = Positions::Zero(points_.count(), 3);
  const Positions dstart = points_.at(dfrom.frame_start);
  for_each_slip(points_, slip_speeds_, x, in, [&](std::size_t c, Eigen::Index q, const Slip& slip) {
    const Friction law = slip.law(q);
    const Vec3 u = slip.of(q), offset = dtheta.colliders[c].offset;
    const Vec3 du = -offset - slip.turn * (dstart.row(q).transpose() - offset);
    const Vec3 df = law.value(u).hessian * du +
                    law.gradient_by_coefficient(u) * dtheta.colliders[c].friction +
                    law.gradient_by_pressure(u) * dfrom.lag[c].pressure[q] +
                    law.gradient_by_normal(u) * dfrom.lag[c].normal.row(q).transpose();
    force.row(q) += points_.weight()[q] * df.transpose();
  });
  points_.add_transposed(force, out);
}

void FrictionPotential::add_gradient_vjp(const Positions& x, const StepInput& in, const Positions& lambda,
                                         StepPullback& out) const {
  const Positions l = points_.at(lambda);
  Positions start_bar = Positions::Zero(points_.count(), 3);
  for_each_slip(points_, slip_speeds_, x, in, [&](std::size_t c, Eigen::Index q, const Slip& slip) {
    const Friction law = slip.law(q);
    const Vec3 u = slip.of(q), lq = points_.weight()[q] * l.row(q).transpose();
    const Vec3 u_bar = law.value(u).hessian * lq;
    const Vec3 turned = slip.turn.transpose() * u_bar;
    start_bar.row(q) -= turned.transpose();
    out.theta.colliders[c].offset += turned - u_bar;
    out.theta.colliders[c].friction += lq.dot(law.gradient_by_coefficient(u));
    out.state.lag[c].pressure[q] += lq.dot(law.gradient_by_pressure(u));
    out.state.lag[c].normal.row(q) += (law.gradient_by_normal(u).transpose() * lq).transpose();
  });
  points_.add_transposed(start_bar, out.state.frame_start);
}

Vec3 FrictionPotential::force_on(int c, const Positions& x, const StepInput& in) const {
  Vec3 force = Vec3::Zero();
  for_each_slip(points_, slip_speeds_, x, in, [&](std::size_t which, Eigen::Index q, const Slip& slip) {
    if (static_cast<int>(which) == c) force += points_.weight()[q] * slip.law(q).value(slip.of(q)).gradient;
  });
  return force;
}

}  // namespace furrow
