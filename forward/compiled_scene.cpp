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

CompiledScene::CompiledScene(Elements elements, Positions reference, SparseRows weights, const FixedFlags& fixed, Law law)
    : elements_(std::move(elements)), reference_(std::move(reference)), weights_(std::move(weights)), law_(law) {
  require(weights_.rows() == elements_.rows(), "cluster weights need one row an element");
  require(fixed.rows() == reference_.rows(), "fixed flags need one row a node");
  dofs_ = DofMap::from_fixed(fixed);
  elastic_ = make_tet_elastic(law, elements_, reference_);
  symmetric_ = make_symmetric_pattern(elements_, node_count(), dofs_);
}

const GeneralPattern& CompiledScene::general_pattern() const {
  if (!general_) general_ = std::make_unique<GeneralPattern>(make_general_pattern(elements_, node_count(), dofs_));
  return *general_;
}

VectorXd CompiledScene::young_per_element(const TissueTheta& theta) const { return weights_ * theta.young; }

ElementModuli CompiledScene::moduli(const TissueTheta& theta) const {
  const Moduli unit = unit_moduli(law_, theta.poisson);
  const VectorXd young = young_per_element(theta);
  return {unit.mu * young, unit.k * young};
}

Positions CompiledScene::gravity_force(const Positions& X, double density, const Vec3& gravity) const {
  return (density * elastic_->nodal_volume(X)) * gravity.transpose();
}

MatrixXd CompiledScene::residual_by_theta(const Positions& X, const Positions& x, const TissueTheta& theta, const Vec3& gravity,
                                          const std::vector<int>& which) const {
  const Moduli unit = unit_moduli(law_, theta.poisson), by_poisson = unit_moduli_by_poisson(law_, theta.poisson);
  MatrixXd out(dofs_.free_count, which.size());
  for (std::size_t k = 0; k < which.size(); ++k) {
    if (which[k] == cluster_count() + 1) {  // density
      out.col(k) = -dofs_.gather(gravity_force(X, 1.0, gravity));
      continue;
    }
    const bool poisson = which[k] == cluster_count();
    const VectorXd amount = poisson ? young_per_element(theta) : VectorXd(weights_.col(which[k]));
    const Moduli& per = poisson ? by_poisson : unit;
    out.col(k) = dofs_.gather(elastic_->evaluate(X, x, {per.mu * amount, per.k * amount}, true).gradient);
  }
  return out;
}

}  // namespace furrow
