#include "calibrate/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "calibrate/checkpoint.h"
#include "calibrate/seed_scheme.h"
#include "forward/base/error.h"
#include "forward/base/json_file.h"
#include "forward/base/rigid_motion.h"

namespace furrow {

std::array<double, 2> ParameterEstimate::interval95() const {
  constexpr double kQuantile = 1.959964;
  if (name == "tissue.poisson") return {value - kQuantile * log_std, value + kQuantile * log_std};
  return {value * std::exp(-kQuantile * log_std), value * std::exp(kQuantile * log_std)};
}

namespace {

constexpr double kBadMisfit = 9;         ///< chi^2 per degree of freedom that earns a warning
constexpr double kHopelessMisfit = 100;  ///< and at which no value counts as determined

class Clock {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Hash of everything that decides the digits: the contents of all files, and the run's options.
std::string identity_of(const Project& project) {
  std::string all;
  for (const auto& file : project_files(project)) all += sha256_of(file);
  return all;
}

/// A stage as indices.
struct StagePlan {
  std::string name;
  std::vector<int> free, poses;
};

std::vector<StagePlan> plan_stages(const Project& project, const HeadData& data,
                                   std::vector<std::string>& notes) {
  std::vector<Stage> stages = project.stages;
  if (stages.empty()) stages.push_back({"all", {"*"}, {"*"}, ""});
  std::vector<StagePlan> plans;
  for (const Stage& stage : stages) {
    StagePlan plan{stage.name, free_parameters(stage, data.parameters), stage_observations(stage, project)};
    const auto is_scale = [&](int k) { return data.parameters[k].name == "tissue.young"; };
    const bool clusters = std::any_of(plan.free.begin(), plan.free.end(), [&](int k) {
      return data.parameters[k].name.starts_with("tissue.young.");
    });
    if (clusters && std::any_of(plan.free.begin(), plan.free.end(), is_scale)) {
      std::erase_if(plan.free, is_scale);
      notes.push_back("stage " + stage.name +
                      ": the clusters move, so the common factor tissue.young is held");
    }
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::string unit_of(const std::string& name) {
  return name == "tissue.poisson" ? "" : "kPa";
}

ObservationFit observation_fit(const HeadPose& pose, const Positions& misfit) {
  ObservationFit out{pose.name, "fit", static_cast<int>(pose.vertices.size())};
  out.rms = std::sqrt(misfit.squaredNorm() / static_cast<double>(misfit.size()));
  out.mean_error = misfit.rowwise().norm().mean();
  out.sigma = pose.sigma;
  return out;
}

/// One run: holds what the stages share.
class Run {
 public:
  Run(const Project& project, const FitRun& options) : project_(project), options_(options) {
    tell("reading and meshing");
    data_ = load_head(project);
    std::filesystem::create_directories(options.output);  // only now: bad input leaves nothing behind
    journal_.emplace(options.output / "checkpoint", identity_of(project), options.resume);
    std::filesystem::remove(options.output / "validation.json");  // of an earlier fit
    std::filesystem::remove_all(options.output / "validation");
    result_.subject = project.subject;
    result_.warnings = data_.warnings;
    result_.notes = data_.model->notes;
    factor_ = std::make_unique<FrozenFactor>(*data_.model->compiled);
    values_.resize(static_cast<Eigen::Index>(data_.parameters.size()));
    for (std::size_t k = 0; k < data_.parameters.size(); ++k) values_[k] = data_.parameters[k].start;
    plans_ = plan_stages(project, data_, result_.notes);
    result_.history.push_back("stage,iteration,cost,accepted");
  }

  FitResult go() {
    bool go_on = true;
    for (std::size_t s = 0; s < plans_.size() && go_on; ++s) go_on = run_stage(plans_[s]);
    if (go_on && settle_auto_sigma()) go_on = run_stage(plans_.back());
    if (problem_) analyse(go_on);
    result_.wall_s = clock_.seconds();
    return std::move(result_);
  }

  const HeadData& data() const { return data_; }

 private:
  void tell(const std::string& note) const {
    if (options_.progress) options_.progress({.stage = "", .seconds = clock_.seconds(), .note = note});
  }

  bool run_stage(const StagePlan& plan) {
    problem_ = std::make_unique<HeadProblem>(data_, *factor_, plan.free, plan.poses, values_);
    JournaledProblem journaled(*problem_, *journal_, stage_number_++);
    double seconds_a_step = 0, last = clock_.seconds();
    double previous_cost = -1;
    auto progress = [&](const IterationReport& it) {
      result_.history.push_back(
          fmt::format("{},{},{:.17g},{}", plan.name, it.iteration, it.cost, it.accepted ? 1 : 0));
      seconds_a_step = clock_.seconds() - last;
      last = clock_.seconds();
      FitProgress now{
          .stage = plan.name, .iteration = it.iteration, .cost = it.cost, .accepted = it.accepted};
      now.rms =
          problem_->data_rows() > 0 ? std::sqrt(2 * it.cost / problem_->data_rows()) * mean_sigma(plan) : 0;
      now.seconds = clock_.seconds();
      if (previous_cost > 0 && it.iteration > 1 &&
          it.cost_change > 0) {  // quadratic convergence: few steps more
        const double decrease = it.cost_change / it.cost;
        now.seconds_left = seconds_a_step * (decrease > 0.1 ? 4 : decrease > 1e-3 ? 2 : 1);
      }
      previous_cost = it.cost;
      return !options_.progress || options_.progress(now);
    };
    const MinimizeOptions options{.max_iterations = project_.fit.max_iterations,
                                  .function_tolerance = project_.fit.tolerance,
                                  .lbfgs = project_.fit.solver == FitOptions::Solver::lbfgs};
    const MinimizeReport report = minimize(journaled, problem_->start_coordinates(), options, progress);
    journaled.catch_up();
    p_ = report.p;
    result_.termination = report.termination;
    result_.message = report.message;
    if (report.termination == Termination::failed) result_.message += " (" + problem_->last_failure() + ")";
    result_.iterations += report.iterations;
    result_.evaluations += report.evaluations;
    result_.forward_solves += journaled.forward_solves();
    result_.failed_solves += journaled.failed_solves();
    values_ = problem_->values_at(p_);
    last_plan_ = &plan;
    return report.termination == Termination::converged || report.termination == Termination::iterations;
  }

  double mean_sigma(const StagePlan& plan) const {
    double sum = 0;
    for (const int k : plan.poses) sum += data_.poses[k].sigma / static_cast<double>(plan.poses.size());
    return sum;
  }

  /// Noise that the project leaves to us becomes the rms of the first fit's misfit; true when something
  /// changed.
  bool settle_auto_sigma() {
    bool changed = false;
    for (const int k : last_plan_->poses) changed = changed || data_.poses[k].sigma_is_auto;
    if (!changed || !evaluate_at_solution()) return false;
    for (std::size_t k = 0; k < problem_->poses().size(); ++k) {
      HeadPose& pose = data_.poses[problem_->poses()[k]];
      if (!pose.sigma_is_auto) continue;
      pose.sigma = std::max(1e-4, observation_fit(pose, problem_->misfit(static_cast<int>(k), p_)).rms);
      result_.notes.push_back(
          fmt::format("sigma of {} is {:.3g} mm by the misfit of a first fit", pose.name, pose.sigma));
    }
    return true;
  }

  /// The solution once more from its recorded start, so that a resumed run sees the same digits.
  std::optional<ResidualValue> evaluate_at_solution() {
    problem_->restore(problem_->start());
    return problem_->evaluate(p_, true);
  }

  void analyse(bool finished) {
    tell("error bars");
    const std::optional<ResidualValue> at = evaluate_at_solution();
    result_.values = values_;
    result_.theta = problem_->theta_at(p_);
    if (!at) {
      result_.termination = Termination::failed;
      result_.message = "no equilibrium or derivative at the last values: " + problem_->last_failure();
      describe_parameters(nullptr, VectorXd());
      return;
    }
    result_.X = problem_->solution()->X;
    const int rows = problem_->data_rows();
    result_.chi2_per_dof = at->residual.head(rows).squaredNorm() / std::max(1, rows - problem_->free_count());
    result_.n_eff_share = independent_share(data_, *problem_, p_);
    result_.inflation = std::sqrt(std::max(1.0, result_.chi2_per_dof) / result_.n_eff_share);

    const VectorXd by_log = problem_->log_derivatives(p_);
    for (const int k : problem_->free()) result_.free_names.push_back(data_.parameters[k].name);
    MatrixXd J = at->jacobian;
    for (int k = 0; k < problem_->free_count(); ++k) J.col(k) /= by_log[k];
    const Identifiability found = analyse_identifiability(J.topRows(rows), J.bottomRows(J.rows() - rows),
                                                          result_.free_names, result_.inflation);
    result_.noise_covariance = found.covariance;
    result_.covariance = found.covariance;
    if (finished) {
      result_.model_shifts = model_shifts(
          project_, data_, *problem_, p_, values_, *at, by_log, [&](const std::string& s) { tell(s); },
          result_.notes);
      for (const ModelShift& shift : result_.model_shifts)
        result_.covariance += shift.weight * shift.log_shift * shift.log_shift.transpose();
    }
    result_.undetermined = found.weakest;
    describe_parameters(&found, problem_->effect_sizes(p_));
    for (std::size_t k = 0; k < problem_->poses().size(); ++k)
      result_.observations.push_back(
          observation_fit(data_.poses[problem_->poses()[k]], problem_->misfit(static_cast<int>(k), p_)));
    warn_about_result();
    if (problem_->solution()->smallest_j < 0.2)
      result_.warnings.push_back(
          fmt::format("an element is compressed to {:.2g} of its volume", problem_->solution()->smallest_j));
  }

  void warn_about_result() {
    if (result_.chi2_per_dof > kBadMisfit)
      result_.warnings.push_back(fmt::format(
          "the misfit is {:.3g} times the stated noise: check that vertices correspond, that every pose "
          "has its own gravity, units, and Poisson's ratio",
          std::sqrt(result_.chi2_per_dof)));
    for (const ParameterEstimate& p : result_.parameters)
      if (p.at_bound && !p.held)
        result_.warnings.push_back(p.name + " ends at the bound of its range: it is not determined there");
    if (std::none_of(result_.parameters.begin(), result_.parameters.end(),
                     [](const ParameterEstimate& p) { return !p.held && !p.dead; }))
      result_.warnings.push_back(
          "no parameter moves the observed surface: is everything that is observed fixed?");
  }

  void describe_parameters(const Identifiability* found, const VectorXd& effect) {
    for (std::size_t j = 0; j < data_.parameters.size(); ++j) {
      const ResolvedParameter& parameter = data_.parameters[j];
      ParameterEstimate out;
      out.name = parameter.name;
      out.unit = unit_of(parameter.name);
      out.value = out.unit == "kPa" ? 1000 * values_[j] : values_[j];
      const auto place = std::find(problem_->free().begin(), problem_->free().end(), static_cast<int>(j));
      out.held = place == problem_->free().end();
      if (found && !out.held) {
        const Eigen::Index k = place - problem_->free().begin();
        const MapKind kind = parameter.name == "tissue.poisson" ? MapKind::logit : MapKind::logit_of_log;
        const double position = CoordinateMap{kind, parameter.range}.position(values_[j]);
        out.noise_log_std = found->log_std[k];
        out.log_std = std::sqrt(result_.covariance(k, k));
        if (found->dead[k] && found->prior_share[k] < 0.5)
          out.log_std = out.noise_log_std = std::numeric_limits<double>::infinity();
        out.model_log_std =
            std::sqrt(std::max(0.0, result_.covariance(k, k) - result_.noise_covariance(k, k)));
        out.prior_share = found->prior_share[k];
        out.dead = found->dead[k];
        out.effect_mm = effect[k];
        out.weak = effect[k] < mean_sigma(*last_plan_);
        out.at_bound = position < 0.01 || position > 0.99;
        // a model that misses the data this badly determines nothing, whatever its error bars say
        const bool fits = result_.chi2_per_dof <= kHopelessMisfit;
        out.determined = !out.dead && out.log_std <= 0.5 && !out.at_bound && fits;
      }
      result_.parameters.push_back(std::move(out));
    }
  }

  const Project& project_;
  const FitRun& options_;
  Clock clock_;
  std::optional<Journal> journal_;
  HeadData data_;
  std::unique_ptr<FrozenFactor> factor_;
  VectorXd values_, p_;
  std::vector<StagePlan> plans_;
  std::unique_ptr<HeadProblem> problem_;
  const StagePlan* last_plan_ = nullptr;
  int stage_number_ = 0;
  FitResult result_;
};

}  // namespace

namespace {

/// A fit writes scene.json, meshes and more: never over the files that it reads.
void keep_inputs(const Project& project, const std::filesystem::path& output) {
  for (const auto& file : project_files(project))
    if (std::filesystem::absolute(file).lexically_normal().parent_path() == output)
      throw InputError(
          file.string(),
          "lies in the output folder, where the fit writes files of its own; name another folder with -o");
}

}  // namespace

FitResult run_fit(const Project& project, const FitRun& given) {
  FitRun options = given;
  options.output = std::filesystem::absolute(given.output).lexically_normal();
  if (!options.output.has_filename()) options.output = options.output.parent_path();
  keep_inputs(project, options.output);
  if (project.rest == RestScheme::seed) return run_seed_fit(project, options);
  Run run(project, options);
  FitResult result = run.go();
  if (result.X.rows() > 0) write_calibrated_scene(options.output, run.data(), result.theta, result.X);
  std::string history;
  for (const std::string& line : result.history) history += line + "\n";
  write_text_atomically(options.output / "history.csv", history);
  write_fit_json(options.output / "fit.json", project, result);
  return result;
}

}  // namespace furrow
