#include "forward/potential/surface_potentials.h"

namespace furrow {

LigamentPotential::LigamentPotential(const SurfacePoints& inner, LigamentVariant variant, double smoothing)
    : SurfacePotential(inner), variant_(variant), smoothing_(smoothing) {}

PotentialValue LigamentPotential::value(const Positions& x, const StepInput& in, Positions* gradient) const {
  const Positions r = points_.at(x) - points_.rest();
  const VectorXd b = points_.interpolate(in.theta.ligament_b);
  PotentialValue sum;
  Positions force = Positions::Zero(gradient ? r.rows() : 0, 3);
  for (Eigen::Index q = 0; q < r.rows(); ++q) {
    const PointValue p = law(in.theta, b[q]).value(r.row(q).transpose());
    sum.energy += points_.weight()[q] * p.energy;
    if (gradient) force.row(q) = points_.weight()[q] * p.gradient.transpose();
  }
  if (gradient) points_.add_transposed(force, *gradient);
  return sum;
}

std::vector<Mat3> LigamentPotential::point_hessians(const Positions& x, const StepInput& in,
                                                    bool projected) const {
  const Positions r = points_.at(x) - points_.rest();
  const VectorXd b = points_.interpolate(in.theta.ligament_b);
  std::vector<Mat3> H(r.rows());
  for (Eigen::Index q = 0; q < r.rows(); ++q) {
    const Ligament point = law(in.theta, b[q]);
    const Vec3 rq = r.row(q).transpose();
    H[q] = points_.weight()[q] * (projected ? point.projected_hessian(rq) : point.value(rq).hessian);
  }
  return H;
}

void LigamentPotential::add_gradient_jvp(const Positions& x, const StepInput& in, const ShellState&,
                                         const ShellTheta& dtheta, Positions& out) const {
  const Positions r = points_.at(x) - points_.rest();
  const VectorXd b = points_.interpolate(in.theta.ligament_b), db = points_.interpolate(dtheta.ligament_b);
  Positions force(r.rows(), 3);
  for (Eigen::Index q = 0; q < r.rows(); ++q) {
    const Ligament point = law(in.theta, b[q]);
    const Vec3 rq = r.row(q).transpose();
    force.row(q) = points_.weight()[q] * (dtheta.ligament_stiffness * point.gradient_by_stiffness(rq) +
                                          db[q] * point.gradient_by_b(rq))
                                             .transpose();
  }
  points_.add_transposed(force, out);
}

void LigamentPotential::add_gradient_vjp(const Positions& x, const StepInput& in, const Positions& lambda,
                                         StepPullback& out) const {
  const Positions r = points_.at(x) - points_.rest(), l = points_.at(lambda);
  const VectorXd b = points_.interpolate(in.theta.ligament_b);
  VectorXd b_bar(r.rows());
  for (Eigen::Index q = 0; q < r.rows(); ++q) {
    const Ligament point = law(in.theta, b[q]);
    const Vec3 rq = r.row(q).transpose(), lq = points_.weight()[q] * l.row(q).transpose();
    out.theta.ligament_stiffness += lq.dot(point.gradient_by_stiffness(rq));
    b_bar[q] = lq.dot(point.gradient_by_b(rq));
  }
  points_.add_interpolated_transposed(b_bar, out.theta.ligament_b);
}

}  // namespace furrow
