#include "calibrate/gradient_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "calibrate/head_fit.h"
#include "inverse/linearized_equilibrium.h"

namespace furrow {

namespace {

/// Relative residual of every solve: a little above the rounding floor, which grows with the mesh.
double tight_tolerance(const TetModel& model) {
  return model.mesh.node_count() > 5000 ? 1e-10 : 1e-12;
}

constexpr double kLoosest = 1e-9;

/// Thrown to leave the nest of loops; caught in check_gradient.
struct Stopped {
  std::string why;
};

/// J(p + h) - J(p - h) = 1/2 (r+ - r-) . (r+ + r-), without the cancellation of two large costs.
double cost_difference(const VectorXd& plus, const VectorXd& minus) {
  return 0.5 * (plus - minus).dot(plus + minus);
}

/// r along one line through the point of the check; throws Stopped where there is no equilibrium.
using Line = std::function<VectorXd(double step)>;

/// Compares at the first of the steps h, 2h, h/2 whose differences are in the quadratic range.
GradientRow compare(const std::string& name, double adjoint, double h, const Line& residual) {
  auto difference = [&](double step) {
    return cost_difference(residual(step), residual(-step)) / (2 * step);
  };
  GradientRow best;
  for (const double factor : {1.0, 2.0, 0.5}) {
    GradientRow row{name, adjoint, difference(factor * h), difference(factor * h / 2), factor * h};
    const double scale = std::abs(adjoint) + 1e-300;
    row.relative_error = std::abs((4 * row.finer - row.difference) / 3 - adjoint) / scale;
    const double coarse = std::abs(row.difference - adjoint), fine = std::abs(row.finer - adjoint);
    row.slope_known = coarse > 1e-8 * scale;
    if (row.slope_known) row.slope = std::log2(coarse / std::max(fine, 1e-300));
    if (best.name.empty() || row.passes()) best = row;  // the tangent is filled in later
    if (best.passes()) break;
  }
  return best;
}

/// The head with every kind of parameter free, and a nuisance motion in every pose.
HeadData with_everything(HeadData data, double tolerance) {
  auto model = std::make_shared<TetModel>(*data.model);
  model->scene.solver.tolerance = tolerance;
  model->scene.solver.max_iterations = std::max(500, model->scene.solver.max_iterations);
  data.model = model;
  const TissueTheta theta = model->theta();
  auto add = [&](const std::string& name, double value, std::array<double, 2> range) {
    const bool known = std::any_of(data.parameters.begin(), data.parameters.end(),
                                   [&](const ResolvedParameter& p) { return p.name == name; });
    if (!known) data.parameters.push_back({name, value, range, {}, false});
  };
  for (int c = 0; c < model->layout.cluster_count(); ++c)
    add("tissue.young." + model->layout.names[c], theta.young[c],
        {theta.young[c] / 100, theta.young[c] * 100});
  const double mean = std::exp(theta.young.array().log().mean());
  add("tissue.young", mean, {mean / 100, mean * 100});
  add("tissue.poisson", theta.poisson, {std::min(0.0, 2 * theta.poisson), 0.4999});
  bool first = true;
  for (HeadPose& pose : data.poses) {
    if (pose.use != Use::fit) continue;
    if (!pose.rigid) pose.rigid = RigidMotionPrior{0.1 * std::acos(-1.0) / 180, 0.05};
    pose.turns_gravity = pose.turns_gravity || first;
    first = false;
  }
  return data;
}

std::vector<int> poses_to_fit(const HeadData& data) {
  std::vector<int> poses;
  for (std::size_t k = 0; k < data.poses.size(); ++k)
    if (data.poses[k].use == Use::fit) poses.push_back(static_cast<int>(k));
  return poses;
}

/// The whole least-squares problem of a fit, coordinate by coordinate: once for the common factor alone, once
/// for all the rest.
class ProblemCheck {
 public:
  ProblemCheck(const HeadData& data, FrozenFactor& factor, bool common_factor, unsigned seed)
      : data_(data),
        factor_(factor),
        problem_(data, factor, chosen(data, common_factor), poses_to_fit(data), starts(data)),
        last_(common_factor ? problem_.free_count() : problem_.size()) {
    problem_.set_krylov_tolerance(std::max(1e-12, 0.1 * data.model->scene.solver.tolerance));
    p_ = problem_.start_coordinates();
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    for (int k = problem_.free_count(); k < problem_.size(); ++k) p_[k] = normal(generator);
  }

  int count() const { return last_; }

  void run(GradientCheck& check, const std::function<void(const std::string&)>& tell) {
    if (!problem_.evaluate(p_, false)) throw Stopped{problem_.last_failure()};
    start_ = problem_.experiment().start_from(*problem_.solution(), factor_);
    const auto exact = problem_.evaluate_gradient(p_);
    problem_.restore(start_);
    const auto value = problem_.evaluate(p_, true);
    if (!exact || !value) throw Stopped{problem_.last_failure()};
    const VectorXd by_tangent = value->jacobian.transpose() * value->residual;
    check.cost = exact->value;
    for (int k = 0; k < last_; ++k) {
      tell(name_of(k));
      GradientRow row = compare(name_of(k), exact->gradient[k], step_of(k),
                                [&](double step) { return residual_beside(k, step); });
      row.tangent_difference =
          std::abs(by_tangent[k] - exact->gradient[k]) / (std::abs(exact->gradient[k]) + 1e-300);
      check.rows.push_back(row);
    }
  }

 private:
  static std::vector<int> chosen(const HeadData& data, bool common_factor) {
    std::vector<int> free;
    for (std::size_t k = 0; k < data.parameters.size(); ++k)
      if ((data.parameters[k].name == "tissue.young") == common_factor) free.push_back(static_cast<int>(k));
    return free;
  }
  static VectorXd starts(const HeadData& data) {
    VectorXd values(static_cast<Eigen::Index>(data.parameters.size()));
    for (std::size_t k = 0; k < data.parameters.size(); ++k)
      values[static_cast<Eigen::Index>(k)] = data.parameters[k].start;
    return values;
  }

  VectorXd residual_beside(int k, double step) {
    VectorXd p = p_;
    p[k] += step;
    problem_.restore(start_);
    auto value = problem_.evaluate(p, false);
    if (!value)
      throw Stopped{fmt::format("{} moved by {:.2g}: {}", name_of(k), step, problem_.last_failure())};
    return std::move(value->residual);
  }

  std::string name_of(int k) const {
    if (k < problem_.free_count()) return data_.parameters[problem_.free()[k]].name;
    const int j = k - problem_.free_count();
    const HeadPose& pose = data_.poses[problem_.poses()[j / 6]];
    return fmt::format("{} {} {}{}", pose.name, j % 6 < 3 ? "rotation" : "translation", "xyz"[j % 3],
                       j % 6 < 3 && pose.turns_gravity ? " (with gravity)" : "");
  }

  /// 2 % of a stiffness, of 1/2 - nu; 0.02 rad; 0.1 mm.
  double step_of(int k) const {
    if (k < problem_.free_count()) {
      const ResolvedParameter& parameter = data_.parameters[problem_.free()[k]];
      const double size = parameter.name == "tissue.poisson" ? 0.02 * (0.5 - parameter.start) : 0.02;
      return size / problem_.log_derivatives(p_)[k];
    }
    const int j = k - problem_.free_count();
    const RigidMotionPrior& prior = *data_.poses[problem_.poses()[j / 6]].rigid;
    return j % 6 < 3 ? 0.02 / prior.rotation : 0.1 / prior.translation;
  }

  const HeadData& data_;
  FrozenFactor& factor_;
  HeadProblem problem_;
  int last_;
  VectorXd p_;
  ExperimentStart start_;
};

/// What no fit frees but the mechanics can move: density (as its logarithm), and the rest shape of every
/// node. Residual: the surface's distance from the scans over sigma, without nuisance motions.
class MechanicsCheck {
 public:
  MechanicsCheck(const HeadData& data, FrozenFactor& factor)
      : data_(data), factor_(factor), poses_(poses_to_fit(data)) {
    for (const int k : poses_) gravities_.push_back(data.poses[k].gravity);
    theta_.young *= 1.3;  // off the optimum, where a gradient is not zero
  }

  static constexpr int kDirections = 3;

  void run(GradientCheck& check, unsigned seed, const std::function<void(const std::string&)>& tell) {
    tell("density");
    const GravityExperiment inverse = experiment(RestMode::inverse);
    const ExperimentSolution at = solved(inverse.solve(theta_, start_, factor_));
    start_ = inverse.start_from(at, factor_);
    check_density(check, inverse);
    const GravityExperiment known = experiment(RestMode::known);
    for (int d = 0; d < kDirections; ++d) {
      tell(fmt::format("rest shape, direction {}", d + 1));
      check_rest_shape(check, known, at.X, seed + static_cast<unsigned>(d), d + 1);
    }
  }

 private:
  GravityExperiment experiment(RestMode rest) const {
    const Scene& scene = data_.model->scene;
    GravityExperiment out(*data_.model->compiled, {rest, scene.gravity, gravities_},
                          {scene.solver.tolerance, scene.solver.max_iterations, false});
    out.krylov.tolerance = std::max(1e-12, 0.1 * scene.solver.tolerance);
    return out;
  }

  static ExperimentSolution solved(ExperimentSolution solution) {
    if (!solution.ok) throw Stopped{solution.failure};
    return solution;
  }

  VectorXd residual(const ExperimentSolution& solution) const {
    Eigen::Index rows = 0;
    for (const int k : poses_) rows += 3 * static_cast<Eigen::Index>(data_.poses[k].vertices.size());
    VectorXd r(rows);
    Eigen::Index row = 0;
    for (std::size_t i = 0; i < poses_.size(); ++i) {
      const HeadPose& pose = data_.poses[poses_[i]];
      const Positions surface = data_.model->scan_positions(solution.x[i]);
      for (const int v : pose.vertices) {
        r.segment<3>(row) = (surface.row(v) - pose.points.row(v)).transpose() / pose.sigma;
        row += 3;
      }
    }
    return r;
  }

  /// dJ/dx_p = W' r / sigma over the free dofs.
  std::vector<VectorXd> bars(const VectorXd& r) const {
    std::vector<VectorXd> out;
    Eigen::Index row = 0;
    for (const int k : poses_) {
      const HeadPose& pose = data_.poses[k];
      Positions on_scan = Positions::Zero(data_.model->scan.vertex_count(), 3);
      for (const int v : pose.vertices) {
        on_scan.row(v) = r.segment<3>(row).transpose() / pose.sigma;
        row += 3;
      }
      const Positions on_nodes = data_.model->attachment.weights.transpose() * on_scan;
      out.push_back(data_.model->compiled->dofs().gather(on_nodes));
    }
    return out;
  }

  void check_density(GradientCheck& check, const GravityExperiment& inverse) {
    const ExperimentSolution at = solved(inverse.solve(theta_, start_, factor_));
    const int density = theta_.size() - 1;
    const VectorXd r = residual(at);
    const std::vector<VectorXd> bar = bars(r);
    const double adjoint =
        theta_.density * inverse.pullback(at, gravities_, bar, {density}, factor_).theta[density];
    const ExperimentTangent tangent = inverse.tangent(at, gravities_, {density}, {}, factor_);
    double by_tangent = 0;
    for (std::size_t p = 0; p < bar.size(); ++p)
      by_tangent += theta_.density * tangent.x[p].col(0).dot(bar[p]);
    GradientRow row = compare("density", adjoint, 0.02, [&](double step) {
      TissueTheta theta = theta_;
      theta.density *= std::exp(step);
      return residual(solved(inverse.solve(theta, start_, factor_)));
    });
    row.tangent_difference = std::abs(by_tangent - adjoint) / (std::abs(adjoint) + 1e-300);
    check.rows.push_back(row);
  }

  void check_rest_shape(GradientCheck& check, const GravityExperiment& known, const Positions& X,
                        unsigned seed, int number) {
    const CompiledScene& scene = *data_.model->compiled;
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    VectorXd free(scene.dofs().free_count);
    for (double& v : free) v = normal(generator);
    const Positions direction = scene.dofs().spread(free / free.cwiseAbs().maxCoeff());
    const ExperimentSolution at = solved(known.solve_at_rest(theta_, X, start_, factor_));
    const double adjoint =
        known.pullback(at, gravities_, bars(residual(at)), {}, factor_).X.cwiseProduct(direction).sum();
    const double step = 0.01 * measure_quality(data_.model->mesh).mean_edge;
    GradientRow row = compare(fmt::format("rest shape, direction {}", number), adjoint, step, [&](double h) {
      return residual(solved(known.solve_at_rest(theta_, X + h * direction, start_, factor_)));
    });
    row.has_tangent = false;
    check.rows.push_back(row);
  }

  const HeadData& data_;
  FrozenFactor& factor_;
  std::vector<int> poses_;
  std::vector<Vec3> gravities_;
  TissueTheta theta_ = data_.model->theta();
  ExperimentStart start_;
};

}  // namespace

bool GradientRow::passes() const {
  return relative_error <= GradientBars::relative_error &&
         (!slope_known || std::abs(slope - 2) <= GradientBars::slope) &&
         (!has_tangent || tangent_difference <= GradientBars::tangent);
}

bool GradientCheck::passes() const {
  return failure.empty() && !rows.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const GradientRow& row) { return row.passes(); });
}

namespace {

GradientCheck check_at(const HeadData& loaded, double tolerance, unsigned seed,
                       const GradientProgress& progress) {
  GradientCheck check;
  const HeadData data = with_everything(loaded, tolerance);
  FrozenFactor factor(*data.model->compiled);
  try {
    ProblemCheck problem(data, factor, false, seed), scale(data, factor, true, seed);
    const double total = problem.count() + scale.count() + 1 + MechanicsCheck::kDirections;
    double done = 0;
    const auto tell = [&](const std::string& next) {
      check.stopped = !progress(done++ / total, next);
      if (check.stopped) throw Stopped{"stopped before " + next};
    };
    problem.run(check, tell);
    scale.run(check, tell);
    MechanicsCheck(data, factor).run(check, seed, tell);
  } catch (const Stopped& stopped) {
    check.failure = stopped.why;
  } catch (const NoDerivative& e) {
    check.failure = e.what();
  }
  return check;
}

}  // namespace

GradientCheck check_gradient(const Project& project, unsigned seed, const GradientProgress& progress) {
  const HeadData data = load_head(project);
  double tolerance = tight_tolerance(*data.model);
  GradientCheck check = check_at(data, tolerance, seed, progress);
  while (!check.failure.empty() && !check.stopped &&
         tolerance < kLoosest) {  // below the rounding floor of this mesh
    tolerance *= 10;
    check = check_at(data, tolerance, seed, progress);
  }
  return check;
}

}  // namespace furrow
