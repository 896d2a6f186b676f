#include "calibrate/seed_scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "calibrate/free_rest_problem.h"
#include "forward/base/error.h"
#include "forward/base/json_file.h"
#include "forward/solve/krylov.h"

namespace furrow {

namespace {

constexpr double kLowest = 0.001, kHighest = 0.5;  ///< the paper's bounds [MPa]

/// The neutral with gravity reversed: the paper's first guess of the rest shape.
Positions reversed_gravity(const HeadData& data, const TissueTheta& theta, FrozenFactor& factor) {
  const GravityExperiment experiment(*data.model->compiled,
                                     {RestMode::known, Vec3::Zero(), {-data.model->scene.gravity}},
                                     {1e-8, data.model->scene.solver.max_iterations, false});
  const ExperimentSolution solution = experiment.solve(theta, {}, factor);
  if (!solution.ok)
    throw InputError(data.model->scene.file.string(),
                     "reversed gravity has no equilibrium: " + solution.failure);
  return solution.x[0];
}

/// alpha, so that a rest shape moved by as much as the neutral sags costs as much as misfits of `share` mm at
/// every observed coordinate.
double prior_weight(const HeadData& data, const std::vector<int>& poses, const TissueTheta& theta,
                    const Positions& X0, double share) {
  const CompiledScene& scene = *data.model->compiled;
  const double sag = scene.elastic().evaluate(X0, scene.reference(), scene.moduli(theta), false).energy;
  double misfit = 0;
  for (const int p : poses)
    misfit += 0.5 * 3.0 * static_cast<double>(data.poses[p].vertices.size()) *
              std::pow(share / data.poses[p].sigma, 2);
  return misfit / std::max(sag, 1e-12);
}

class SeedFit {
 public:
  SeedFit(const Project& project, const FitRun& run, const SeedOptions& options)
      : run_(run), options_(options), data_(load_head(project)) {
    for (std::size_t k = 0; k < data_.poses.size(); ++k)
      if (data_.poses[k].use == Use::fit) poses_.push_back(static_cast<int>(k));
    theta_ = data_.model->theta();
    for (const ResolvedParameter& parameter : data_.parameters) {
      if (!parameter.name.starts_with("tissue.young.") || parameter.fixed) continue;
      const int c = data_.model->cluster(parameter.name.substr(13));
      clusters_.push_back(c);
      theta_.young[c] = parameter.start;
      if (parameter.start < kLowest || parameter.start > kHighest)
        throw InputError(
            project.file.string(),
            fmt::format("the paper's scheme keeps stiffness within 1-500 kPa; {} starts at {:.3g} kPa",
                        parameter.name, 1000 * parameter.start));
    }
    factor_ = std::make_unique<FrozenFactor>(*data_.model->compiled);
    X0_ = reversed_gravity(data_, theta_, *factor_);
    X_ = X0_;
    alpha_ = prior_weight(data_, poses_, theta_, X0_, options.prior_share);
    problem_ = std::make_unique<FreeRestProblem>(data_, *factor_, poses_, theta_, X0_, alpha_);
    result_.history.push_back("stage,iteration,cost,accepted");
  }

  FitResult go(const Project& project) {
    bool go_on = move_rest("single pose: rest shape", true);
    for (int round = 0; round < options_.rounds && go_on; ++round)
      go_on = move_rest(fmt::format("round {}: rest shape", round + 1), false) &&
              move_stiffness(fmt::format("round {}: stiffness", round + 1));
    finish(project, go_on);
    return std::move(result_);
  }
  const HeadData& data() const { return data_; }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

  std::function<bool(const IterationReport&)> teller(const std::string& stage) {
    return [this, stage](const IterationReport& it) {
      result_.history.push_back(fmt::format("{},{},{:.17g},1", stage, it.iteration, it.cost));
      const int n = static_cast<int>(data_.poses[poses_[0]].vertices.size()) * 3;
      const double rms = std::sqrt(2 * it.cost / (n * (1.0 + static_cast<double>(poses_.size())))) *
                         data_.poses[poses_[0]].sigma;
      return !run_.progress || run_.progress({.stage = stage,
                                              .iteration = it.iteration,
                                              .cost = it.cost,
                                              .rms = rms,
                                              .seconds = seconds()});
    };
  }

  bool absorb(const MinimizeReport& report) {
    result_.evaluations += report.evaluations;
    result_.iterations += report.iterations;
    result_.failed_solves += report.failed;
    result_.forward_solves += report.evaluations * problem_->pose_count();
    last_cost_ = report.cost;
    last_decrease_ = report.initial_cost - report.cost;
    return report.termination != Termination::interrupted;
  }

  /// Gradient descent on X; one length for all nodes, so the first step is scaled to a tenth of a millimetre.
  bool move_rest(const std::string& stage, bool neutral_only) {
    const DofMap& dofs = data_.model->compiled->dofs();
    double scale = 0;
    ScalarProblem scalar;
    scalar.size = dofs.free_count;
    const VectorXd base = dofs.gather(X_);
    scalar.evaluate = [&](const VectorXd& u, VectorXd* gradient) -> std::optional<double> {
      Positions X = X_;
      dofs.scatter(base + scale * u, X);
      const auto value = problem_->evaluate(theta_, X, neutral_only);
      if (!value) return std::nullopt;
      if (gradient) *gradient = scale * value->rest;
      return value->cost;
    };
    const auto first = problem_->evaluate(theta_, X_, neutral_only);
    if (!first)
      throw InputError(data_.model->scene.file.string(),
                       "the paper's scheme has no equilibrium at its start");
    scale = std::sqrt(0.1 / std::max(first->rest.cwiseAbs().maxCoeff(), 1e-300));
    const MinimizeReport report =
        minimize(scalar, VectorXd::Zero(scalar.size), {.max_iterations = options_.rest_iterations},
                 Descent::steepest, teller(stage));
    Positions X = X_;
    dofs.scatter(base + scale * report.p, X);
    X_ = X;
    return absorb(report);
  }

  bool move_stiffness(const std::string& stage) {
    const CoordinateMap map{MapKind::logit_of_log, {kLowest, kHighest}};
    ScalarProblem scalar;
    scalar.size = static_cast<int>(clusters_.size());
    auto theta_at = [&](const VectorXd& p) {
      TissueTheta theta = theta_;
      for (std::size_t k = 0; k < clusters_.size(); ++k) theta.young[clusters_[k]] = map.to_physical(p[k]);
      return theta;
    };
    scalar.evaluate = [&](const VectorXd& p, VectorXd* gradient) -> std::optional<double> {
      const auto value = problem_->evaluate(theta_at(p), X_, false);
      if (!value) return std::nullopt;
      if (gradient) {
        gradient->resize(p.size());
        for (std::size_t k = 0; k < clusters_.size(); ++k)
          (*gradient)[k] = value->young[clusters_[k]] * map.derivative(p[k]);
      }
      return value->cost;
    };
    VectorXd p(clusters_.size());
    for (std::size_t k = 0; k < clusters_.size(); ++k) p[k] = map.to_coordinate(theta_.young[clusters_[k]]);
    const MinimizeReport report =
        minimize(scalar, p, {.max_iterations = options_.stiffness_iterations}, Descent::bfgs, teller(stage));
    theta_ = theta_at(report.p);
    return absorb(report);
  }

  /// Information on log E with the rest shape marginalised:
  ///   S = J_E'J_E - J_E'J_X (alpha K0 + J_X'J_X)^-1 J_X'J_E,  K0 the prior's Hessian at F = I; conjugate
  ///   gradients on K0's factor. A truncated iteration leaves S too large, so the standard deviations are
  ///   then lower bounds.
  MatrixXd information() {
    const MatrixXd JE = problem_->jacobian_by_log_young(clusters_);
    const MatrixXd rhs = problem_->multiply_rest_transposed(JE);
    const CompiledScene& scene = *data_.model->compiled;
    FrozenFactor prior(scene);
    prior.refresh(prior_theta_);
    std::vector<double> K0;
    scene.elastic().hessian(scene.reference(), scene.reference(), scene.moduli(prior_theta_), scene.dofs(),
                            scene.symmetric_pattern(), K0);
    const auto apply = [&](const MatrixXd& v, const std::vector<int>&) {
      return MatrixXd(alpha_ * multiply_symmetric(scene.symmetric_pattern(), K0, v) +
                      problem_->multiply_rest_transposed(problem_->multiply_rest(v)));
    };
    const auto precondition = [&](const MatrixXd& r, const std::vector<int>&) {
      return MatrixXd(prior.apply(r, prior_theta_) / alpha_);
    };
    const KrylovResult solved =
        conjugate_gradients(apply, precondition, rhs, {.tolerance = 1e-2, .max_iterations = 25});
    if (!solved.converged)
      result_.notes.push_back(fmt::format(
          "the rest shape's share of the error bars was iterated to {:.1g}: they are lower bounds",
          solved.residual));
    return JE.transpose() * JE - rhs.transpose() * solved.x;
  }

  void finish(const Project& project, bool finished) {
    problem_->evaluate(theta_, X_, false);
    result_.subject = project.subject;
    result_.theta = theta_;
    result_.X = X_;
    result_.termination = !finished                            ? Termination::interrupted
                          : last_decrease_ < 1e-3 * last_cost_ ? Termination::converged
                                                               : Termination::iterations;
    result_.message =
        fmt::format("the paper's scheme after {} rounds; the last lowered the misfit by {:.2g} %",
                    options_.rounds, 100 * last_decrease_ / last_cost_);
    result_.notes.push_back(
        fmt::format("rest shape free at every node with an elastic prior, alpha = {:.4g} /(N mm)", alpha_));
    result_.notes.push_back(
        "error bars hold if the elastic prior does: it supplies what the poses do not say about the rest "
        "shape");
    if (result_.termination != Termination::converged)
      result_.notes.push_back(
          "the turns have not converged: no value counts as determined, and error bars do not cover that");
    result_.values.resize(static_cast<Eigen::Index>(data_.parameters.size()));
    for (std::size_t k = 0; k < clusters_.size(); ++k)
      result_.free_names.push_back("tissue.young." + data_.model->layout.names[clusters_[k]]);
    describe_observations();
    MatrixXd S = MatrixXd::Identity(static_cast<Eigen::Index>(clusters_.size()),
                                    static_cast<Eigen::Index>(clusters_.size()));
    if (finished) S = information();
    const MatrixXd root = S.llt().matrixU();
    const Identifiability found =
        analyse_identifiability(root, MatrixXd(0, root.cols()), result_.free_names, result_.inflation);
    result_.covariance = result_.noise_covariance = found.covariance;
    result_.undetermined = found.weakest;
    for (std::size_t j = 0; j < data_.parameters.size(); ++j) describe(j, found);
    result_.wall_s = seconds();
  }

  void describe_observations() {
    double chi2 = 0, count = 0;
    for (int k = 0; k < problem_->pose_count(); ++k) {
      const VectorXd d = problem_->misfit(k);
      ObservationFit out{k == 0 ? "neutral" : data_.poses[poses_[k - 1]].name, "fit",
                         static_cast<int>(d.size() / 3)};
      out.rms = d.norm() / std::sqrt(static_cast<double>(d.size()));
      out.mean_error = Eigen::Map<const Positions>(d.data(), d.size() / 3, 3).rowwise().norm().mean();
      out.sigma = problem_->sigma(k);
      chi2 += std::pow(d.norm() / out.sigma, 2);
      count += static_cast<double>(d.size());
      result_.observations.push_back(out);
    }
    result_.chi2_per_dof = chi2 / count;
    result_.inflation = std::sqrt(std::max(1.0, result_.chi2_per_dof));
  }

  void describe(std::size_t j, const Identifiability& found) {
    ParameterEstimate out;
    out.name = data_.parameters[j].name;
    out.unit = out.name == "tissue.poisson" ? "" : "kPa";
    out.held = true;
    double value = data_.parameters[j].start;
    for (std::size_t k = 0; k < clusters_.size(); ++k) {
      if (result_.free_names[k] != out.name) continue;
      value = theta_.young[clusters_[k]];
      out.held = false;
      out.log_std = out.noise_log_std = found.log_std[static_cast<Eigen::Index>(k)];
      out.at_bound = value < 1.02 * kLowest || value > 0.98 * kHighest;
      out.determined = result_.termination == Termination::converged && out.log_std <= 0.5 && !out.at_bound;
    }
    result_.values[static_cast<Eigen::Index>(j)] = value;
    out.value = out.unit == "kPa" ? 1000 * value : value;
    result_.parameters.push_back(std::move(out));
  }

  const FitRun& run_;
  SeedOptions options_;
  HeadData data_;
  std::vector<int> poses_, clusters_;
  TissueTheta theta_, prior_theta_ = data_.model->theta();
  std::unique_ptr<FrozenFactor> factor_;
  Positions X0_, X_;
  double alpha_ = 0, last_cost_ = 0, last_decrease_ = 0;
  std::unique_ptr<FreeRestProblem> problem_;
  FitResult result_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace

FitResult run_seed_fit(const Project& project, const FitRun& run, const SeedOptions& options) {
  if (run.resume)
    throw InputError(project.file.string(),
                     "the paper's scheme (rest: seed) keeps no journal; run without --resume");
  SeedFit fit(project, run, options);
  FitResult result = fit.go(project);
  std::filesystem::create_directories(run.output);
  write_calibrated_scene(run.output, fit.data(), result.theta, result.X);
  std::string history;
  for (const std::string& line : result.history) history += line + "\n";
  write_text_atomically(run.output / "history.csv", history);
  write_fit_json(run.output / "fit.json", project, result);
  return result;
}

}  // namespace furrow
