#include "forward/potential/surface_potentials.h"

namespace furrow {

PotentialValue GravityPotential::value(const Positions& x, const StepInput& in, Positions* gradient) const {
  const Vec3 load = in.theta.density * in.frame.gravity;
  if (gradient) *gradient -= volume_ * load.transpose();
  PotentialValue sum;
  sum.energy = -(volume_.transpose() * (x - rest_)).dot(load);
  return sum;
}

void GravityPotential::add_gradient_jvp(const Positions&, const StepInput& in, const ShellState&,
                                        const ShellTheta& dtheta, Positions& out) const {
  out -= volume_ * (dtheta.density * in.frame.gravity).transpose();
}

void GravityPotential::add_gradient_vjp(const Positions&, const StepInput& in, const Positions& lambda,
                                        StepPullback& out) const {
  out.theta.density -= (volume_.transpose() * lambda).dot(in.frame.gravity);
}

}  // namespace furrow
