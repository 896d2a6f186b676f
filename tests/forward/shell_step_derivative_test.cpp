// Tangent and adjoint of every step of a shell's history, against difference quotients of the step itself.
#include <gtest/gtest.h>

#include "tests/support/shell_checks.h"

namespace furrow {
namespace {

using testing::flat_of;
using testing::like;
using testing::ShellBody;
using testing::ShellBodyOptions;

ShellBodyOptions everything() {
  ShellBodyOptions o;
  o.order = {2, 1};
  o.branches = {2, 1};
  o.prestretch = true;
  o.two_elements = true;
  o.fix_side = true;
  o.physics.surface_rule = triangle_rule(4);
  o.physics.ligaments = ShellPhysics::Ligaments{};
  o.physics.skull = ShellPhysics::Skull{ImlsKernel::wendland, 2.5, 0.02, true};
  o.physics.colliders = {{0.02, 2}, {0.02, 3}};
  return o;
}

/// A step as a function of one vector: the state it starts from, then theta in units of its own size.
class CheckedStep {
 public:
  CheckedStep(const ShellBody& body, std::unique_ptr<Step> step)
      : from_(body.from), theta_(body.theta), step_(std::move(step)), scale_(testing::theta_scale(theta_)) {
    const VectorXd s = flat_of(from_);
    z_.resize(s.size() + scale_.size());
    z_ << s, theta_.flat().cwiseQuotient(scale_);
    states_ = s.size();
    to_ = like(from_, advance(z_));
  }

  VectorXd advance(const VectorXd& z) const {
    ShellState from = state_of(z);
    for (ContactLag& lag : from.lag) lag.normal.rowwise().normalize();  // friction's laws take unit normals
    const Step::Advance a = step_->advance(from, theta_of(z));
    EXPECT_EQ(a.report.failure, StepFailure::none)
        << describe(a.report.failure) << ": |gradient| " << a.report.gradient << " N after "
        << a.report.iterations << " iterations, " << a.report.buckles << " buckles";
    return flat_of(a.state);
  }
  VectorXd jvp(const VectorXd& v) const {
    ShellState d = state_of(v);
    for (std::size_t c = 0; c < d.lag.size(); ++c) {  // and unit normals turn
      const Positions& n = from_.lag[c].normal;
      Positions& dn = d.lag[c].normal;
      dn -= (dn.cwiseProduct(n).rowwise().sum().asDiagonal() * n).eval();
    }
    return flat_of(step_->jvp(from_, to_, theta_, {d}, {theta_of(v)})[0]);
  }

  void by_order(double h) const {
    testing::check_derivative([&](const VectorXd& z) { return advance(z); },
                              [&](const VectorXd&, const VectorXd& v) { return jvp(v); }, z_, h);
  }
  /// Every entry of theta, and of the state those in [first, last) of its flat form.
  void by_entry(double h, double tolerance, Eigen::Index first, Eigen::Index last) const {
    for (Eigen::Index k = 0; k < z_.size(); ++k) {
      if (k < states_ && (k < first || k >= last)) continue;
      const VectorXd v = testing::unit(z_.size(), k), exact = jvp(v);
      const VectorXd by_difference =
          testing::difference([&](const VectorXd& z) { return advance(z); }, z_, v, h);
      EXPECT_LT((by_difference - exact).lpNorm<Eigen::Infinity>(),
                tolerance * (exact.lpNorm<Eigen::Infinity>() + 1e-3))
          << "entry " << k << " of " << states_ << " + " << scale_.size();
    }
  }
  /// Several directions at once give what each gives alone; bar . J d = (J' bar) . d.
  void transposed() const {
    std::vector<ShellState> ds;
    std::vector<ShellTheta> dt;
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const VectorXd v = testing::random_vector(static_cast<int>(z_.size()), seed);
      ds.push_back(state_of(v));
      dt.push_back(theta_of(v));
    }
    const std::vector<ShellState> together = step_->jvp(from_, to_, theta_, ds, dt);
    for (std::size_t k = 0; k < ds.size(); ++k) {
      const VectorXd moved = flat_of(together[k]);
      const ShellState alone = step_->jvp(from_, to_, theta_, {ds[k]}, {dt[k]})[0];
      EXPECT_LT((moved - flat_of(alone)).norm(), 1e-12 * moved.norm());
      const ShellState bar =
          like(from_, testing::random_vector(static_cast<int>(moved.size()), 40 + static_cast<unsigned>(k)));
      const StepPullback p = step_->vjp(from_, to_, theta_, bar);
      const double forward = flat_of(bar).dot(moved),
                   backward = flat_of(p.state).dot(flat_of(ds[k])) + p.theta.flat().dot(dt[k].flat());
      EXPECT_NEAR(forward, backward, 1e-12 * flat_of(bar).norm() * moved.norm());
    }
  }
  Eigen::Index state_size() const { return states_; }

 private:
  ShellState state_of(const VectorXd& z) const { return like(from_, z.head(states_)); }
  ShellTheta theta_of(const VectorXd& z) const {
    return theta_.like(z.tail(scale_.size()).cwiseProduct(scale_));
  }
  ShellState from_, to_;
  ShellTheta theta_;
  std::unique_ptr<Step> step_;
  VectorXd scale_, z_;
  Eigen::Index states_ = 0;
};

TEST(ShellStep, BeginningOfAFrame) {
  const ShellBody body(everything());
  const CheckedStep step(body, begin_frame(body.frame));
  step.by_entry(1e-3, 1e-9, 0, step.state_size());
  step.transposed();
}

TEST(ShellStep, ViscousRelaxation) {
  ShellBodyOptions o = everything();
  o.order = {1, 1};
  const ShellBody body(o);
  for (const double exponent : {0.5, 1.0}) {
    const CheckedStep step(body, viscous_relaxation(*body.shell, body.frame, exponent));
    step.by_order(1e-2);
    step.by_entry(1e-4, 1e-8, 0, step.state_size());
    step.transposed();
  }
}

TEST(ShellStep, RefreshOfTheLag) {
  const ShellBody body(everything());
  const CheckedStep step(body, refresh_lag(*body.shell, body.frame));
  step.by_order(1e-3);
  step.by_entry(1e-5, 1e-7, 0, body.x.size());
  step.transposed();
}

/// By theta and by frame_start entry by entry; by everything along random directions.
TEST(ShellStep, Equilibrium) {
  const ShellBody body(everything());
  StepSolverOptions options;
  options.tolerance = 1e-14;
  const auto boundary = std::make_shared<Positions>(body.shell->mesh().nodes);
  const CheckedStep step(body, equilibrium(*body.shell, body.frame, boundary, options));
  step.by_order(2e-2);
  step.by_entry(1e-4, 1e-6, body.x.size(), 2 * body.x.size());
  step.transposed();
}

/// A state at rest for ever (dt infinite) has no history to depend on.
TEST(ShellStep, EquilibriumAtRest) {
  ShellBody body(everything());
  body.frame.dt = std::numeric_limits<double>::infinity();
  StepSolverOptions options;
  options.tolerance = 1e-14;
  const auto boundary = std::make_shared<Positions>(body.shell->mesh().nodes);
  for (ContactLag& lag : body.from.lag) lag.pressure.setZero();
  const CheckedStep step(body, equilibrium(*body.shell, body.frame, boundary, options));
  step.by_entry(1e-4, 1e-6, 0, 0);
  step.transposed();
}

}  // namespace
}  // namespace furrow
