#include "calibrate/free_rest_problem.h"

#include <cmath>

#include "inverse/linearized_equilibrium.h"

namespace furrow {

namespace {

std::vector<Vec3> gravities_of(const HeadData& data, const std::vector<int>& poses) {
  std::vector<Vec3> gravities{data.model->scene.gravity};
  for (const int p : poses) gravities.push_back(data.poses[p].gravity);
  return gravities;
}

EquilibriumOptions options_of(const Scene& scene) {
  return {scene.solver.tolerance, scene.solver.max_iterations, false};
}

}  // namespace

FreeRestProblem::FreeRestProblem(const HeadData& data, FrozenFactor& factor, const std::vector<int>& poses,
                                 const TissueTheta& prior_theta, const Positions& prior_rest, double alpha)
    : data_(data),
      factor_(factor),
      all_(*data.model->compiled, {RestMode::known, Vec3::Zero(), gravities_of(data, poses)},
           options_of(data.model->scene)),
      neutral_(*data.model->compiled, {RestMode::known, Vec3::Zero(), gravities_of(data, {})},
               options_of(data.model->scene)),
      prior_theta_(prior_theta),
      prior_rest_(prior_rest),
      alpha_(alpha) {
  const TetModel& model = *data.model;
  all_.krylov.tolerance = neutral_.krylov.tolerance = 1e-7;
  auto add = [&](const std::vector<int>& vertices, const Positions& points, double sigma) {
    Observed observed{rows_to_scan(model.attachment.weights, vertices, model.compiled->dofs()),
                      VectorXd(3 * vertices.size()), sigma};
    const Positions fixed_part =
        model.compiled->reference() -
        model.compiled->dofs().spread(model.compiled->dofs().gather(model.compiled->reference()));
    const Positions constant = model.attachment.apply(fixed_part);
    for (std::size_t i = 0; i < vertices.size(); ++i)
      observed.offset.segment<3>(3 * i) = (constant.row(vertices[i]) - points.row(vertices[i])).transpose();
    observed_.push_back(std::move(observed));
  };
  const HeadPose& first = data.poses[poses.front()];
  add(first.vertices, model.scan.vertices, data.neutral_sigma > 0 ? data.neutral_sigma : first.sigma);
  for (const int p : poses) add(data.poses[p].vertices, data.poses[p].points, data.poses[p].sigma);
}

VectorXd FreeRestProblem::misfit(int k) const {
  return observed_[k].to_scan * data_.model->compiled->dofs().gather(solution_.x[k]) + observed_[k].offset;
}

std::optional<FreeRestProblem::Value> FreeRestProblem::evaluate(const TissueTheta& theta, const Positions& X,
                                                                bool neutral_only) {
  const CompiledScene& scene = *data_.model->compiled;
  const ElasticValue prior = scene.elastic().evaluate(prior_rest_, X, scene.moduli(prior_theta_), true);
  if (!(prior.smallest_j > 0)) return std::nullopt;
  const GravityExperiment& experiment = neutral_only ? neutral_ : all_;
  ExperimentStart start = start_;
  if (start.x.size() != experiment.gravity_case().gravities.size()) start.x.clear();
  solution_ = experiment.solve_at_rest(theta, X, start, factor_);
  if (!solution_.ok) return std::nullopt;
  start_ = experiment.start_from(solution_, factor_);

  Value value;
  value.cost = alpha_ * prior.energy;
  std::vector<VectorXd> bars;
  for (std::size_t k = 0; k < solution_.x.size(); ++k) {
    const VectorXd whitened = misfit(static_cast<int>(k)) / observed_[k].sigma;
    value.cost += 0.5 * whitened.squaredNorm();
    bars.push_back(observed_[k].to_scan.transpose() * (whitened / observed_[k].sigma));
  }
  std::vector<int> which(scene.cluster_count());
  for (int c = 0; c < scene.cluster_count(); ++c) which[c] = c;
  try {
    const ExperimentPullback back =
        experiment.pullback(solution_, experiment.gravity_case().gravities, bars, which, factor_);
    value.young = back.theta.head(scene.cluster_count());
    value.rest = scene.dofs().gather(back.X) + alpha_ * scene.dofs().gather(prior.gradient);
  } catch (const NoDerivative&) {
    return std::nullopt;
  }
  return value;
}

MatrixXd FreeRestProblem::jacobian_by_log_young(const std::vector<int>& clusters) const {
  const ExperimentTangent tangent =
      all_.tangent(solution_, all_.gravity_case().gravities, clusters, {}, factor_);
  Eigen::Index rows = 0;
  for (const Observed& o : observed_) rows += o.to_scan.rows();
  MatrixXd J(rows, clusters.size());
  Eigen::Index first = 0;
  for (std::size_t k = 0; k < observed_.size(); ++k) {
    J.middleRows(first, observed_[k].to_scan.rows()) =
        observed_[k].to_scan * tangent.x[k] / observed_[k].sigma;
    first += observed_[k].to_scan.rows();
  }
  for (std::size_t c = 0; c < clusters.size(); ++c) J.col(c) *= solution_.theta.young[clusters[c]];
  return J;
}

MatrixXd FreeRestProblem::multiply_rest(const MatrixXd& v) const {
  const CompiledScene& scene = *data_.model->compiled;
  std::vector<MatrixXd> rhs;
  for (std::size_t k = 0; k < observed_.size(); ++k)
    rhs.push_back(-LinearizedRestShape(scene, solution_.theta, solution_.X, solution_.x[k],
                                       all_.gravity_case().gravities[k], factor_, all_.krylov)
                       .multiply(v));
  const auto dx =
      LinearizedEquilibria(scene, solution_.theta, solution_.X, solution_.x, factor_, all_.krylov).solve(rhs);
  Eigen::Index rows = 0;
  for (const Observed& o : observed_) rows += o.to_scan.rows();
  MatrixXd out(rows, v.cols());
  Eigen::Index first = 0;
  for (std::size_t k = 0; k < observed_.size(); ++k) {
    out.middleRows(first, observed_[k].to_scan.rows()) = observed_[k].to_scan * dx[k] / observed_[k].sigma;
    first += observed_[k].to_scan.rows();
  }
  return out;
}

MatrixXd FreeRestProblem::multiply_rest_transposed(const MatrixXd& r) const {
  const CompiledScene& scene = *data_.model->compiled;
  std::vector<MatrixXd> bars;
  Eigen::Index first = 0;
  for (const Observed& o : observed_) {
    bars.push_back(o.to_scan.transpose() * r.middleRows(first, o.to_scan.rows()) / o.sigma);
    first += o.to_scan.rows();
  }
  const auto lambda =
      LinearizedEquilibria(scene, solution_.theta, solution_.X, solution_.x, factor_, all_.krylov)
          .solve(bars);
  MatrixXd out = MatrixXd::Zero(scene.dofs().free_count, r.cols());
  for (std::size_t k = 0; k < observed_.size(); ++k)
    out -= LinearizedRestShape(scene, solution_.theta, solution_.X, solution_.x[k],
                               all_.gravity_case().gravities[k], factor_, all_.krylov)
               .multiply_transposed(lambda[k]);
  return out;
}

}  // namespace furrow
