#include "inverse/identifiability.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace furrow {

namespace {

struct Inverse {
  MatrixXd covariance;
  MatrixXd vectors;
  VectorXd variances;  ///< per eigenvector, infinite along undetermined ones
};

/// Pseudo-inverse of the information with its undetermined directions kept apart.
Inverse invert_information(const MatrixXd& information) {
  Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(information);
  const VectorXd& values = eigen.eigenvalues();
  const double floor = 1e-14 * std::max(values.maxCoeff(), 1e-300);
  Inverse out;
  out.vectors = eigen.eigenvectors();
  out.variances =
      values.unaryExpr([&](double v) { return v > floor ? 1 / v : std::numeric_limits<double>::infinity(); });
  const VectorXd finite = values.unaryExpr([&](double v) { return 1 / std::max(v, floor); });
  out.covariance = out.vectors * finite.asDiagonal() * out.vectors.transpose();
  return out;
}

std::vector<WeakCombination> weak_combinations(const MatrixXd& covariance,
                                               const std::vector<std::string>& names, double above) {
  // principal axes of the marginal covariance: the worst-determined combinations of the parameters alone
  Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(covariance);
  std::vector<WeakCombination> weak;
  for (Eigen::Index k = covariance.rows() - 1; k >= 0; --k) {
    const double std = std::sqrt(std::max(eigen.eigenvalues()[k], 0.0));
    if (std <= above) break;
    WeakCombination combination;
    combination.log_std = std;
    VectorXd v = eigen.eigenvectors().col(k);
    Eigen::Index largest;
    v.cwiseAbs().maxCoeff(&largest);
    if (v[largest] < 0) v = -v;
    for (Eigen::Index i = 0; i < v.size(); ++i)
      if (std::abs(v[i]) > 0.1) combination.parts.emplace_back(names[i], v[i]);
    std::stable_sort(combination.parts.begin(), combination.parts.end(),
                     [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
    weak.push_back(std::move(combination));
  }
  return weak;
}

}  // namespace

Identifiability analyse_identifiability(const MatrixXd& J_data, const MatrixXd& J_prior,
                                        const std::vector<std::string>& names, double inflation,
                                        double report_above) {
  const Eigen::Index n = static_cast<Eigen::Index>(names.size());
  const MatrixXd data = J_data.transpose() * J_data / (inflation * inflation);
  MatrixXd information = data;
  if (J_prior.rows() > 0) information += J_prior.transpose() * J_prior;
  const MatrixXd C = invert_information(information).covariance;
  Identifiability out;
  out.covariance = C.topLeftCorner(n, n);
  out.log_std = out.covariance.diagonal().cwiseSqrt();
  out.prior_share = VectorXd::Zero(n);
  if (J_prior.rows() > 0) {
    const MatrixXd by_prior = J_prior * C;
    out.prior_share =
        (by_prior.colwise().squaredNorm().transpose().head(n).array() / out.covariance.diagonal().array())
            .matrix();
  }
  double largest = 0;
  for (Eigen::Index k = 0; k < n; ++k) largest = std::max(largest, std::sqrt(information(k, k)));
  for (Eigen::Index k = 0; k < n; ++k) {
    const bool dead = !(std::sqrt(data(k, k)) > 1e-9 * std::max(largest, 1.0));
    out.dead.push_back(dead);
    if (dead && J_prior.rows() == 0) out.log_std[k] = std::numeric_limits<double>::infinity();
  }
  out.weakest = weak_combinations(out.covariance, names, report_above);
  return out;
}

}  // namespace furrow
