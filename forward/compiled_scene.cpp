#include "forward/compiled_scene.h"

#include "forward/base/error.h"

namespace furrow {

VectorXd TissueTheta::flat() const {
  VectorXd theta(size());
  theta << young, poisson, density;
  return theta;
}

TissueTheta TissueTheta::from_flat(const VectorXd& theta) {
  const Eigen::Index clusters = theta.size() - 2;
  return {theta.head(clusters), theta[clusters], theta[clusters + 1]};
}

CompiledScene::CompiledScene(Elements elements, Positions reference, SparseRows weights,
                             const FixedFlags& fixed, Law law)
    : elements_(std::move(elements)),
      reference_(std::move(reference)),
      weights_(std::move(weights)),
      law_(law) {
  require(weights_.rows() == elements_.rows(), "cluster weights need one row an element");
  require(fixed.rows() == reference_.rows(), "fixed flags need one row a node");
  dofs_ = DofMap::from_fixed(fixed);
  elastic_ = make_tet_elastic(law, elements_, reference_);
  symmetric_ = make_symmetric_pattern(elements_, node_count(), dofs_);
}

const GeneralPattern& CompiledScene::general_pattern() const {
  if (!general_)
    general_ = std::make_unique<GeneralPattern>(make_general_pattern(elements_, node_count(), dofs_));
  return *general_;
}

VectorXd CompiledScene::young_per_element(const TissueTheta& theta) const {
  return weights_ * theta.young;
}

ElementModuli CompiledScene::moduli(const TissueTheta& theta) const {
  const Moduli unit = unit_moduli(law_, theta.poisson);
  const VectorXd young = young_per_element(theta);
  return {unit.mu * young, unit.k * young};
}

Positions CompiledScene::gravity_force(const Positions& X, double density, const Vec3& gravity) const {
  return (density * elastic_->nodal_volume(X)) * gravity.transpose();
}

MatrixXd CompiledScene::residual_by_theta(const Positions& X, const Positions& x, const TissueTheta& theta,
                                          const Vec3& gravity, const std::vector<int>& which) const {
  MatrixXd forces;  // by cluster, made when a cluster is asked for
  MatrixXd out(dofs_.free_count, which.size());
  auto free_part = [&](const double* full) {
    return dofs_.gather(Eigen::Map<const Positions>(full, node_count(), 3));
  };
  for (std::size_t k = 0; k < which.size(); ++k) {
    if (which[k] < cluster_count()) {
      if (forces.size() == 0)
        forces = elastic_->cluster_forces(X, x, unit_moduli(law_, theta.poisson), weights_);
      out.col(k) = free_part(forces.col(which[k]).data());
    } else if (which[k] == cluster_count()) {
      const Moduli by_poisson = unit_moduli_by_poisson(law_, theta.poisson);
      const VectorXd young = young_per_element(theta);
      out.col(k) = dofs_.gather(
          elastic_->evaluate(X, x, {by_poisson.mu * young, by_poisson.k * young}, true).gradient);
    } else {
      out.col(k) = -dofs_.gather(gravity_force(X, 1.0, gravity));
    }
  }
  return out;
}

VectorXd CompiledScene::residual_by_theta_transposed(const Positions& X, const Positions& x,
                                                     const TissueTheta& theta, const Vec3& gravity,
                                                     const Positions& lambda) const {
  VectorXd out(theta_size());
  out.head(cluster_count()) =
      weights_.transpose() * elastic_->element_work(X, x, unit_moduli(law_, theta.poisson), lambda);
  out[cluster_count()] = young_per_element(theta).dot(
      elastic_->element_work(X, x, unit_moduli_by_poisson(law_, theta.poisson), lambda));
  out[cluster_count() + 1] = -gravity_force(X, 1.0, gravity).cwiseProduct(lambda).sum();
  return out;
}

}  // namespace furrow
