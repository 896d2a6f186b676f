#include "forward/material/neo_hookean.h"

#include <limits>

namespace furrow {

Moduli unit_moduli(Law law, double nu) {
  const double mu = 0.5 / (1 + nu);
  const double bulk = 1.0 / (3 * (1 - 2 * nu));
  return {mu, law == Law::neo_hookean ? bulk - 2 * mu / 3 : bulk};
}

Moduli unit_moduli_by_poisson(Law law, double nu) {
  const double mu = -0.5 / ((1 + nu) * (1 + nu));
  const double bulk = 2.0 / (3 * (1 - 2 * nu) * (1 - 2 * nu));
  return {mu, law == Law::neo_hookean ? bulk - 2 * mu / 3 : bulk};
}

namespace {
IsotropicResponse<double> respond(Law law, const Moduli& moduli, double i1, double j) {
  return law == Law::neo_hookean ? NeoHookean<double>::response(moduli.mu, moduli.k, i1, j)
                                 : NeoHookeanIsochoric<double>::response(moduli.mu, moduli.k, i1, j);
}
}  // namespace

PointResponse evaluate_point(Law law, const Moduli& moduli, const Mat3& F) {
  const double j = F.determinant();
  if (!(j > 0)) return {std::numeric_limits<double>::infinity(), Mat3::Zero()};
  const auto r = respond(law, moduli, F.squaredNorm(), j);
  return {r.energy, r.p0 * F + r.p1 * F.inverse().transpose()};
}

Mat3 stress_increment(Law law, const Moduli& moduli, const Mat3& F, const Mat3& dF) {
  const auto r = respond(law, moduli, F.squaredNorm(), F.determinant());
  const Mat3 Fit = F.inverse().transpose();
  const double along_inverse = Fit.cwiseProduct(dF).sum(), along_F = F.cwiseProduct(dF).sum();
  return r.p0 * dF + r.c1 * Fit * dF.transpose() * Fit + r.c2 * along_inverse * Fit +
         r.c3 * (along_F * Fit + along_inverse * F);
}

}  // namespace furrow
