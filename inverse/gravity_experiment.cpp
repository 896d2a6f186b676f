#include "inverse/gravity_experiment.h"

#include <fmt/format.h>

#include "forward/base/error.h"
#include "inverse/linearized_equilibrium.h"
#include "inverse/rest_shape.h"

namespace furrow {

GravityExperiment::GravityExperiment(const CompiledScene& scene, GravityCase gravity_case,
                                     const EquilibriumOptions& options)
    : scene_(scene), case_(std::move(gravity_case)), options_(options) {}

void GravityExperiment::prepare(FrozenFactor& factor, const TissueTheta& theta,
                                const ExperimentStart& start) const {
  const bool keep =
      start.factor_theta.young.size() > 0 && !FrozenFactor::stale(scene_, start.factor_theta, theta);
  const TissueTheta& wanted = keep ? start.factor_theta : theta;
  if (!factor.ready() || factor.theta().flat() != wanted.flat()) factor.refresh(wanted);
}

ExperimentSolution GravityExperiment::solve(const TissueTheta& theta, const ExperimentStart& start,
                                            FrozenFactor& factor) const {
  return solve(theta, start, factor, case_.gravities);
}

ExperimentSolution GravityExperiment::solve(const TissueTheta& theta, const ExperimentStart& start,
                                            FrozenFactor& factor, const std::vector<Vec3>& gravities) const {
  prepare(factor, theta, start);
  ExperimentSolution solution;
  solution.theta = theta;
  solution.X = scene_.reference();
  if (case_.rest == RestMode::inverse) {
    const Positions& first = start.X.rows() > 0 ? start.X : scene_.reference();
    RecoveredRest rest =
        solve_rest_shape(scene_, theta, scene_.reference(), case_.neutral_gravity, first, factor, options_);
    solution.iterations = rest.iterations;
    solution.largest_residual = rest.residual;
    if (rest.failure != SolveFailure::none) {
      solution.failure = "rest shape: " + describe(rest.failure);
      return solution;
    }
    solution.X = std::move(rest.X);
  }
  return solve_poses(std::move(solution), start, factor, gravities);
}

ExperimentSolution GravityExperiment::solve_at_rest(const TissueTheta& theta, const Positions& X,
                                                    const ExperimentStart& start,
                                                    FrozenFactor& factor) const {
  prepare(factor, theta, start);
  ExperimentSolution solution;
  solution.theta = theta;
  solution.X = X;
  return solve_poses(std::move(solution), start, factor, case_.gravities);
}

ExperimentSolution GravityExperiment::solve_poses(ExperimentSolution solution, const ExperimentStart& start,
                                                  const FrozenFactor& factor,
                                                  const std::vector<Vec3>& gravities) const {
  std::vector<Positions> starts = start.x;
  if (starts.empty()) starts.assign(gravities.size(), solution.X);
  for (Positions& x : starts) {  // fixed dofs stay where the reference has them
    Positions at = scene_.reference();
    scene_.dofs().scatter(scene_.dofs().gather(x), at);
    x = std::move(at);
  }
  std::vector<Equilibrium> poses =
      solve_lockstep(scene_, solution.theta, solution.X, gravities, starts, factor, options_);
  std::unique_ptr<CholmodSolver> newton;  // a pose that defeats the frozen factor gets its own factorisations
  for (std::size_t p = 0; p < poses.size(); ++p) {
    if (poses[p].failure == SolveFailure::none || poses[p].failure == SolveFailure::inverted_start) continue;
    if (!newton) newton = std::make_unique<CholmodSolver>(scene_.symmetric_pattern(), scene_.dofs());
    poses[p] = solve_newton(scene_, solution.theta, solution.X, gravities[p], poses[p].x, *newton, options_);
  }
  solution.ok = true;
  for (std::size_t p = 0; p < poses.size(); ++p) {
    solution.iterations += poses[p].iterations;
    solution.smallest_j = std::min(solution.smallest_j, poses[p].smallest_j);
    solution.largest_residual = std::max(solution.largest_residual, poses[p].residual);
    if (poses[p].failure != SolveFailure::none && solution.ok) {
      solution.ok = false;
      solution.failure = fmt::format("pose {}: {} (relative residual {:.1e})", p, describe(poses[p].failure),
                                     poses[p].residual);
    }
    solution.x.push_back(std::move(poses[p].x));
  }
  return solution;
}

ExperimentTangent GravityExperiment::tangent(const ExperimentSolution& solution,
                                             const std::vector<Vec3>& gravities,
                                             const std::vector<int>& which,
                                             const std::vector<bool>& with_gravity,
                                             const FrozenFactor& factor) const {
  require(solution.ok, "tangent: there is no equilibrium");
  const Eigen::Index columns = static_cast<Eigen::Index>(which.size());
  ExperimentTangent tangent;
  if (case_.rest == RestMode::inverse) {
    const LinearizedRestShape D(scene_, solution.theta, solution.X, scene_.reference(), case_.neutral_gravity,
                                factor, krylov);
    tangent.X = -D.solve(scene_.residual_by_theta(solution.X, scene_.reference(), solution.theta,
                                                  case_.neutral_gravity, which));
  }
  const VectorXd volume = scene_.elastic().nodal_volume(solution.X);
  std::vector<MatrixXd> rhs;
  for (std::size_t p = 0; p < gravities.size(); ++p) {
    const bool gravity = p < with_gravity.size() && with_gravity[p];
    rhs.emplace_back(scene_.dofs().free_count, columns + (gravity ? 3 : 0));
    rhs[p].leftCols(columns) =
        -scene_.residual_by_theta(solution.X, solution.x[p], solution.theta, gravities[p], which);
    if (case_.rest == RestMode::inverse) {
      const LinearizedRestShape D(scene_, solution.theta, solution.X, solution.x[p], gravities[p], factor,
                                  krylov);
      rhs[p].leftCols(columns) -= D.multiply(tangent.X);
    }
    for (int c = 0; gravity && c < 3; ++c)
      rhs[p].col(columns + c) =
          scene_.dofs().gather(solution.theta.density * volume * Vec3::Unit(c).transpose());
  }
  tangent.x = LinearizedEquilibria(scene_, solution.theta, solution.X, solution.x, factor, krylov).solve(rhs);
  return tangent;
}

ExperimentPullback GravityExperiment::pullback(const ExperimentSolution& solution,
                                               const std::vector<Vec3>& gravities,
                                               const std::vector<VectorXd>& bars,
                                               const std::vector<int>& which,
                                               const FrozenFactor& factor) const {
  require(solution.ok && bars.size() == gravities.size(), "pullback: one bar a pose of a solved experiment");
  ExperimentPullback out{VectorXd::Zero(scene_.theta_size()),
                         std::vector<Vec3>(gravities.size(), Vec3::Zero()),
                         Positions::Zero(scene_.node_count(), 3)};
  const ElementModuli moduli = scene_.moduli(solution.theta);
  const VectorXd volume = scene_.elastic().nodal_volume(solution.X);
  auto add_theta = [&](const Positions& x, const Vec3& gravity, const Positions& lambda) {
    const VectorXd work = scene_.residual_by_theta_transposed(solution.X, x, solution.theta, gravity, lambda);
    for (const int k : which) out.theta[k] -= work[k];
  };
  const LinearizedEquilibria K(scene_, solution.theta, solution.X, solution.x, factor, krylov);
  const std::vector<MatrixXd> lambdas = K.solve({bars.begin(), bars.end()});
  for (std::size_t p = 0; p < gravities.size(); ++p) {
    const VectorXd lambda = lambdas[p].col(0);
    const Positions full = scene_.dofs().spread(lambda);
    add_theta(solution.x[p], gravities[p], full);
    out.gravity[p] = solution.theta.density * full.transpose() * volume;
    out.X -= scene_.elastic().rest_pullback(solution.X, solution.x[p], moduli,
                                            solution.theta.density * gravities[p], full);
  }
  if (case_.rest == RestMode::inverse) {
    const LinearizedRestShape D(scene_, solution.theta, solution.X, scene_.reference(), case_.neutral_gravity,
                                factor, krylov);
    const VectorXd nu = D.solve_transposed(scene_.dofs().gather(out.X)).col(0);
    add_theta(scene_.reference(), case_.neutral_gravity, scene_.dofs().spread(nu));
  }
  return out;
}

ExperimentStart GravityExperiment::start_from(const ExperimentSolution& solution,
                                              const FrozenFactor& factor) const {
  return {factor.theta(), solution.X, solution.x};
}

}  // namespace furrow
