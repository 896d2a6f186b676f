#include "inverse/linearized_equilibrium.h"

#include <fmt/format.h>

namespace furrow {

namespace {
void demand(const KrylovResult& result, const char* what) {
  if (result.indefinite)
    throw NoDerivative("the Hessian is indefinite at this equilibrium (a saddle or a bifurcation): there is no derivative");
  if (!result.converged && result.residual > 1e-6)
    throw NoDerivative(fmt::format("{} stopped at a relative residual of {:.1e} after {} iterations", what, result.residual,
                                   result.iterations));
}
}  // namespace

LinearizedEquilibrium::LinearizedEquilibrium(const CompiledScene& scene, const TissueTheta& theta, const Positions& X,
                                             const Positions& x, const FrozenFactor& factor, const KrylovOptions& options)
    : scene_(scene), theta_(theta), factor_(factor), options_(options) {
  scene.elastic().hessian(X, x, scene.moduli(theta), scene.dofs(), scene.symmetric_pattern(), K_);
}

MatrixXd LinearizedEquilibrium::solve(const MatrixXd& b) const {
  const auto multiply = [&](const MatrixXd& v) { return multiply_symmetric(scene_.symmetric_pattern(), K_, v); };
  const auto precondition = [&](const MatrixXd& r) { return factor_.apply(r, theta_); };
  KrylovResult result = conjugate_gradients(multiply, precondition, b, options_);
  demand(result, "the tangent solve");
  iterations_ += result.iterations;
  return std::move(result.x);
}

LinearizedRestShape::LinearizedRestShape(const CompiledScene& scene, const TissueTheta& theta, const Positions& X, const Positions& x,
                                         const Vec3& gravity, const FrozenFactor& factor, const KrylovOptions& options)
    : scene_(scene), theta_(theta), factor_(factor), options_(options) {
  scene.elastic().rest_derivative(X, x, scene.moduli(theta), theta.density * gravity, scene.dofs(), scene.general_pattern(), D_);
}

MatrixXd LinearizedRestShape::multiply(const MatrixXd& b) const { return multiply_general(scene_.general_pattern(), D_, b); }

MatrixXd LinearizedRestShape::multiply_transposed(const MatrixXd& b) const {
  return multiply_general_transposed(scene_.general_pattern(), D_, b);
}

MatrixXd LinearizedRestShape::iterate(const MatrixXd& b, bool transposed) const {
  const auto apply = [&](const MatrixXd& v) { return transposed ? multiply_transposed(v) : multiply(v); };
  const auto precondition = [&](const MatrixXd& r) { return MatrixXd(-factor_.apply(r, theta_)); };
  constexpr Eigen::Index kGroup = 8;  // bounds the memory of the Krylov bases
  MatrixXd x(b.rows(), b.cols());
  for (Eigen::Index first = 0; first < b.cols(); first += kGroup) {
    const Eigen::Index count = std::min(kGroup, b.cols() - first);
    const KrylovResult result = gmres(apply, precondition, b.middleCols(first, count), options_);
    demand(result, "the rest-shape solve");
    x.middleCols(first, count) = result.x;
  }
  return x;
}

MatrixXd LinearizedRestShape::solve(const MatrixXd& b) const { return iterate(b, false); }
MatrixXd LinearizedRestShape::solve_transposed(const MatrixXd& b) const { return iterate(b, true); }

}  // namespace furrow
