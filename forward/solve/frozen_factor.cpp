#include "forward/solve/frozen_factor.h"

#include <cmath>
#include <stdexcept>

namespace furrow {

FrozenFactor::FrozenFactor(const CompiledScene& scene)
    : scene_(scene), solver_(scene.symmetric_pattern(), scene.dofs()) {}

void FrozenFactor::refresh(const TissueTheta& theta) {
  std::vector<double> values;
  const Positions& X = scene_.reference();
  scene_.elastic().hessian(X, X, scene_.moduli(theta), scene_.dofs(), scene_.symmetric_pattern(), values);
  if (!solver_.factorize(values))
    throw std::runtime_error(
        "the stiffness matrix of the undeformed body is not positive definite: is every part of the mesh "
        "connected to fixed nodes, "
        "and are all stiffnesses positive?");
  theta_ = theta;
  ++refreshes_;
}

double FrozenFactor::scale_to(const TissueTheta& theta) const {
  return std::exp((theta.young.array() / theta_.young.array()).log().mean());
}

bool FrozenFactor::stale(const CompiledScene& scene, const TissueTheta& made_for, const TissueTheta& theta) {
  // The condition number of the preconditioned matrix grows by at most the contrast c, hence the iterations
  // by about sqrt(c).
  constexpr double kContrastLimit = 1.5;
  const Eigen::ArrayXd ratio = theta.young.array() / made_for.young.array();
  const double bulk =
      unit_moduli(scene.law(), theta.poisson).k / unit_moduli(scene.law(), made_for.poisson).k;
  return ratio.maxCoeff() / ratio.minCoeff() * std::max(bulk, 1 / bulk) > kContrastLimit;
}

MatrixXd FrozenFactor::apply(const MatrixXd& r, const TissueTheta& theta) const {
  return solver_.solve(r) / scale_to(theta);
}

}  // namespace furrow
