#include <ceres/ceres.h>
#include <glog/logging.h>

#include "forward/base/error.h"
#include "inverse/least_squares.h"

namespace furrow {

namespace {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Everything in one residual block: one simulation serves all residuals.
class WholeCost final : public ceres::CostFunction {
 public:
  WholeCost(LeastSquares& problem, MinimizeReport& report) : problem_(problem), report_(report) {
    set_num_residuals(problem.residual_count());
    mutable_parameter_block_sizes()->push_back(problem.size());
  }

  bool Evaluate(double const* const* parameters, double* residuals, double** jacobians) const override {
    const Eigen::Map<const VectorXd> p(parameters[0], problem_.size());
    const bool with_jacobian = jacobians && jacobians[0];
    ++report_.evaluations;
    report_.jacobians += with_jacobian;
    const std::optional<ResidualValue> value = problem_.evaluate(p, with_jacobian);
    if (!value) {
      ++report_.failed;
      return false;
    }
    Eigen::Map<VectorXd>(residuals, num_residuals()) = value->residual;
    if (with_jacobian)
      Eigen::Map<RowMajorMatrix>(jacobians[0], num_residuals(), problem_.size()) = value->jacobian;
    return true;
  }

 private:
  LeastSquares& problem_;
  MinimizeReport& report_;
};

class ScalarFunction final : public ceres::FirstOrderFunction {
 public:
  ScalarFunction(const ScalarProblem& problem, MinimizeReport& report) : problem_(problem), report_(report) {}
  int NumParameters() const override { return problem_.size; }
  bool Evaluate(const double* parameters, double* cost, double* gradient) const override {
    ++report_.evaluations;
    report_.jacobians += gradient != nullptr;
    VectorXd g;
    const auto value =
        problem_.evaluate(Eigen::Map<const VectorXd>(parameters, problem_.size), gradient ? &g : nullptr);
    if (!value) {
      ++report_.failed;
      return false;
    }
    *cost = *value;
    if (gradient) Eigen::Map<VectorXd>(gradient, problem_.size) = g;
    return true;
  }

 private:
  const ScalarProblem& problem_;
  MinimizeReport& report_;
};

class Progress final : public ceres::IterationCallback {
 public:
  explicit Progress(const std::function<bool(const IterationReport&)>& tell) : tell_(tell) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary& s) override {
    if (!tell_) return ceres::SOLVER_CONTINUE;
    const bool go_on =
        tell_({s.iteration, s.cost, s.cost_change, s.step_norm, s.iteration == 0 || s.step_is_successful});
    return go_on ? ceres::SOLVER_CONTINUE : ceres::SOLVER_TERMINATE_SUCCESSFULLY;
  }

 private:
  const std::function<bool(const IterationReport&)>& tell_;
};

/// Ceres talks through glog; libraries never print.
void silence_ceres() {
  FLAGS_minloglevel = google::GLOG_FATAL;
}

Termination termination_of(ceres::TerminationType type) {
  switch (type) {
    case ceres::CONVERGENCE:
      return Termination::converged;
    case ceres::NO_CONVERGENCE:
      return Termination::iterations;
    case ceres::USER_SUCCESS:
      return Termination::interrupted;
    default:
      return Termination::failed;
  }
}

MinimizeReport minimize_trust_region(LeastSquares& problem, const VectorXd& start,
                                     const MinimizeOptions& options,
                                     const std::function<bool(const IterationReport&)>& progress) {
  silence_ceres();
  MinimizeReport report;
  report.p = start;
  ceres::Problem ceres_problem;
  ceres_problem.AddResidualBlock(new WholeCost(problem, report), nullptr, report.p.data());
  Progress callback(progress);
  ceres::Solver::Options ceres_options;
  ceres_options.minimizer_type = ceres::TRUST_REGION;
  ceres_options.linear_solver_type = ceres::DENSE_QR;
  ceres_options.initial_trust_region_radius =
      3;  // displacements go with 1/E: a full first step from far off overshoots in log E
  ceres_options.max_num_iterations = options.max_iterations;
  ceres_options.function_tolerance = options.function_tolerance;
  ceres_options.parameter_tolerance = options.parameter_tolerance;
  ceres_options.gradient_tolerance = options.gradient_tolerance;
  ceres_options.max_num_consecutive_invalid_steps = 12;
  ceres_options.jacobi_scaling = false;  // coordinates are logarithms: already of one scale
  ceres_options.num_threads = 1;         // the simulation has its own threads
  ceres_options.logging_type = ceres::SILENT;
  ceres_options.update_state_every_iteration = true;
  ceres_options.callbacks.push_back(&callback);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres_options, &ceres_problem, &summary);
  report.initial_cost = summary.initial_cost;
  report.cost = summary.final_cost;
  report.iterations = static_cast<int>(summary.iterations.size());
  report.termination = termination_of(summary.termination_type);
  report.message = report.termination == Termination::interrupted ? "stopped on request" : summary.message;
  return report;
}

}  // namespace

std::optional<ValueGradient> LeastSquares::evaluate_gradient(const VectorXd& p) {
  const auto value = evaluate(p, true);
  if (!value) return std::nullopt;
  return ValueGradient{0.5 * value->residual.squaredNorm(), value->jacobian.transpose() * value->residual};
}

MinimizeReport minimize(const ScalarProblem& problem, const VectorXd& start, const MinimizeOptions& options,
                        Descent method, const std::function<bool(const IterationReport&)>& progress) {
  require(problem.size == start.size(), "minimize: the start has another size");
  silence_ceres();
  MinimizeReport report;
  report.p = start;
  const ceres::GradientProblem ceres_problem(new ScalarFunction(problem, report));
  Progress callback(progress);
  ceres::GradientProblemSolver::Options ceres_options;
  ceres_options.line_search_direction_type = method == Descent::steepest ? ceres::STEEPEST_DESCENT
                                             : method == Descent::bfgs   ? ceres::BFGS
                                                                         : ceres::LBFGS;
  ceres_options.line_search_type = ceres::WOLFE;
  ceres_options.max_num_iterations = options.max_iterations;
  ceres_options.function_tolerance = options.function_tolerance;
  ceres_options.parameter_tolerance = options.parameter_tolerance;
  ceres_options.gradient_tolerance = options.gradient_tolerance;
  ceres_options.logging_type = ceres::SILENT;
  ceres_options.callbacks.push_back(&callback);
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(ceres_options, ceres_problem, report.p.data(), &summary);
  report.initial_cost = summary.initial_cost;
  report.cost = summary.final_cost;
  report.iterations = static_cast<int>(summary.iterations.size());
  report.termination = termination_of(summary.termination_type);
  report.message = report.termination == Termination::interrupted ? "stopped on request" : summary.message;
  return report;
}

MinimizeReport minimize(LeastSquares& problem, const VectorXd& start, const MinimizeOptions& options,
                        const std::function<bool(const IterationReport&)>& progress) {
  require(problem.size() == start.size(), "minimize: the start has another size");
  if (!options.lbfgs) return minimize_trust_region(problem, start, options, progress);
  ScalarProblem scalar;
  scalar.size = problem.size();
  scalar.evaluate = [&](const VectorXd& p, VectorXd* gradient) -> std::optional<double> {
    if (!gradient) {
      const auto value = problem.evaluate(p, false);
      return value ? std::optional<double>(0.5 * value->residual.squaredNorm()) : std::nullopt;
    }
    const auto value = problem.evaluate_gradient(p);
    if (!value) return std::nullopt;
    *gradient = value->gradient;
    return value->value;
  };
  return minimize(scalar, start, options, Descent::lbfgs, progress);
}

}  // namespace furrow
