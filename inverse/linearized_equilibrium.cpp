#include "inverse/linearized_equilibrium.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>

namespace furrow {

namespace {
void demand(const KrylovResult& result, const char* what) {
  if (result.indefinite)
    throw NoDerivative(
        "the Hessian is indefinite at this equilibrium (a saddle or a bifurcation): there is no derivative");
  if (!result.converged && result.residual > 1e-6)
    throw NoDerivative(fmt::format("{} stopped at a relative residual of {:.1e} after {} iterations", what,
                                   result.residual, result.iterations));
}
}  // namespace

LinearizedEquilibria::LinearizedEquilibria(const CompiledScene& scene, const TissueTheta& theta,
                                           const Positions& X, const std::vector<Positions>& x,
                                           const FrozenFactor& factor, const KrylovOptions& options)
    : scene_(scene),
      theta_(theta),
      moduli_(scene.moduli(theta)),
      X_(X),
      x_(x),
      factor_(factor),
      options_(options) {}

MatrixXd LinearizedEquilibria::multiply(const MatrixXd& v, const std::vector<Column>& columns) const {
  MatrixXd out(v.rows(), v.cols());
  if (K_.empty()) {
    for (Eigen::Index k = 0; k < v.cols(); ++k)
      out.col(k) = scene_.dofs().gather(
          scene_.elastic().hessian_product(X_, x_[columns[k].pose], moduli_, scene_.dofs().spread(v.col(k))));
    return out;
  }
  tbb::parallel_for(Eigen::Index{0}, v.cols(), [&](Eigen::Index k) {
    out.col(k) = multiply_symmetric(scene_.symmetric_pattern(), K_[columns[k].pose], v.col(k));
  });
  return out;
}

std::vector<MatrixXd> LinearizedEquilibria::solve(const std::vector<MatrixXd>& b) const {
  constexpr std::size_t kGroup = 32;  // bounds the memory of the iteration's vectors
  std::vector<Column> all;
  std::vector<MatrixXd> x;
  for (std::size_t p = 0; p < b.size(); ++p) {
    x.emplace_back(b[p].rows(), b[p].cols());
    for (int k = 0; k < b[p].cols(); ++k) all.push_back({static_cast<int>(p), k});
  }
  if (all.size() > 3 * b.size() && K_.empty()) {
    K_.resize(b.size());
    for (std::size_t p = 0; p < b.size(); ++p)
      scene_.elastic().hessian(X_, x_[p], moduli_, scene_.dofs(), scene_.symmetric_pattern(), K_[p]);
  }
  for (std::size_t first = 0; first < all.size(); first += kGroup) {
    const std::vector<Column> group(all.begin() + first, all.begin() + std::min(all.size(), first + kGroup));
    MatrixXd rhs(scene_.dofs().free_count, group.size());
    for (std::size_t k = 0; k < group.size(); ++k) rhs.col(k) = b[group[k].pose].col(group[k].index);
    const auto apply = [&](const MatrixXd& v, const std::vector<int>& active) {
      std::vector<Column> columns;
      for (const int c : active) columns.push_back(group[c]);
      return multiply(v, columns);
    };
    const auto precondition = [&](const MatrixXd& r, const std::vector<int>&) {
      return factor_.apply(r, theta_);
    };
    const KrylovResult result = conjugate_gradients(apply, precondition, rhs, options_);
    demand(result, "the tangent solve");
    for (std::size_t k = 0; k < group.size(); ++k) x[group[k].pose].col(group[k].index) = result.x.col(k);
  }
  return x;
}

LinearizedRestShape::LinearizedRestShape(const CompiledScene& scene, const TissueTheta& theta,
                                         const Positions& X, const Positions& x, const Vec3& gravity,
                                         const FrozenFactor& factor, const KrylovOptions& options)
    : scene_(scene), theta_(theta), factor_(factor), options_(options) {
  scene.elastic().rest_derivative(X, x, scene.moduli(theta), theta.density * gravity, scene.dofs(),
                                  scene.general_pattern(), D_);
}

MatrixXd LinearizedRestShape::multiply(const MatrixXd& b) const {
  return multiply_general(scene_.general_pattern(), D_, b);
}

MatrixXd LinearizedRestShape::multiply_transposed(const MatrixXd& b) const {
  return multiply_general_transposed(scene_.general_pattern(), D_, b);
}

MatrixXd LinearizedRestShape::iterate(const MatrixXd& b, bool transposed) const {
  const auto apply = [&](const MatrixXd& v, const std::vector<int>&) {
    return transposed ? multiply_transposed(v) : multiply(v);
  };
  const auto precondition = [&](const MatrixXd& r, const std::vector<int>&) {
    return MatrixXd(-factor_.apply(r, theta_));
  };
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

MatrixXd LinearizedRestShape::solve(const MatrixXd& b) const {
  return iterate(b, false);
}
MatrixXd LinearizedRestShape::solve_transposed(const MatrixXd& b) const {
  return iterate(b, true);
}

}  // namespace furrow
