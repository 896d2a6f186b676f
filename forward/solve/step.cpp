#include "forward/solve/step.h"

#include <stdexcept>

namespace furrow {

namespace {

class BeginFrame final : public Step {
 public:
  explicit BeginFrame(const Frame& frame) : frame_(frame) {}
  Advance advance(const ShellState& from, const ShellTheta&) const override {
    ShellState to = from;
    to.frame_start = from.x;
    return {std::move(to), {}};
  }
  std::vector<ShellState> jvp(const ShellState&, const ShellState&, const ShellTheta&,
                              const std::vector<ShellState>& dfrom,
                              const std::vector<ShellTheta>&) const override {
    std::vector<ShellState> out = dfrom;
    for (ShellState& d : out) d.frame_start = d.x;
    return out;
  }
  StepPullback vjp(const ShellState&, const ShellState&, const ShellTheta& theta,
                   const ShellState& bar) const override {
    StepPullback out{bar, theta.zero()};
    out.state.x += bar.frame_start;
    out.state.frame_start.setZero();
    return out;
  }
  const Frame& frame() const override { return frame_; }

 private:
  Frame frame_;
};

class ViscousRelaxation final : public Step {
 public:
  ViscousRelaxation(const CompiledShell& shell, const Frame& frame, double exponent)
      : shell_(shell), frame_(frame), exponent_(exponent) {}

  Advance advance(const ShellState& from, const ShellTheta& theta) const override {
    ShellState to = from;
    to.history =
        Shared<ViscousHistory>(shell_.elastic().relax(from.x, *from.history, theta, frame_.dt, exponent_));
    return {std::move(to), {}};
  }
  std::vector<ShellState> jvp(const ShellState& from, const ShellState&, const ShellTheta& theta,
                              const std::vector<ShellState>& dfrom,
                              const std::vector<ShellTheta>& dtheta) const override {
    std::vector<ShellState> out = dfrom;
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k].history = Shared<ViscousHistory>(shell_.elastic().relax_jvp(
          from.x, *from.history, theta, frame_.dt, exponent_, dfrom[k].x, *dfrom[k].history, dtheta[k]));
    return out;
  }
  StepPullback vjp(const ShellState& from, const ShellState&, const ShellTheta& theta,
                   const ShellState& bar) const override {
    ElasticShell::RelaxPullback p =
        shell_.elastic().relax_vjp(from.x, *from.history, theta, frame_.dt, exponent_, *bar.history);
    StepPullback out{bar, theta.zero()};
    out.state.x += p.x;
    out.state.history = Shared<ViscousHistory>(std::move(p.fv));
    for (std::size_t l = 0; l < p.times.size(); ++l) out.theta.layers[l].times += p.times[l];
    return out;
  }
  const Frame& frame() const override { return frame_; }

 private:
  const CompiledShell& shell_;
  Frame frame_;
  double exponent_;
};

/// At grad U(x; s, theta) = 0:  dx = -K^-1 (U_xs ds + U_xtheta dtheta);  K lambda = -xbar, sbar += U_xs'
/// lambda, thetabar += U_xtheta' lambda. K is the true Hessian, never a projected one.
class Equilibrium final : public Step {
 public:
  Equilibrium(const CompiledShell& shell, const Frame& frame, std::shared_ptr<const Positions> boundary,
              const StepSolverOptions& options)
      : shell_(shell), frame_(frame), boundary_(std::move(boundary)), options_(options) {}

  Advance advance(const ShellState& from, const ShellTheta& theta) const override {
    const StepInput in{from, frame_, theta};
    const Positions start = predict_boundary_motion(shell_, in, from.x, *boundary_);
    StepSolution solution = solve_step(shell_, in, start, options_);
    if (solution.report.failure != StepFailure::none) return {from, solution.report};
    ShellState to = from;
    to.x = std::move(solution.x);
    return {std::move(to), solution.report};
  }
  std::vector<ShellState> jvp(const ShellState& from, const ShellState& to, const ShellTheta& theta,
                              const std::vector<ShellState>& dfrom,
                              const std::vector<ShellTheta>& dtheta) const override {
    const StepInput in{from, frame_, theta};
    factorize(in, to.x);
    MatrixXd rhs(shell_.dofs().free_count, dfrom.size());
    for (std::size_t k = 0; k < dfrom.size(); ++k)
      rhs.col(k) = -shell_.dofs().gather(shell_.gradient_jvp(to.x, in, dfrom[k], dtheta[k]));
    const MatrixXd dx = shell_.solver().solve(rhs);
    std::vector<ShellState> out = dfrom;
    for (std::size_t k = 0; k < out.size(); ++k) out[k].x = shell_.dofs().spread(dx.col(k));
    return out;
  }
  StepPullback vjp(const ShellState& from, const ShellState& to, const ShellTheta& theta,
                   const ShellState& bar) const override {
    const StepInput in{from, frame_, theta};
    factorize(in, to.x);
    const VectorXd lambda = -VectorXd(shell_.solver().solve(shell_.dofs().gather(bar.x)));
    StepPullback out = shell_.gradient_vjp(to.x, in, shell_.dofs().spread(lambda));
    const Positions through_gradient =
        out.state.x;  // zero: a solution does not depend on where it was looked for
    out.state.add(1, bar);
    out.state.x = through_gradient;
    return out;
  }
  const Frame& frame() const override { return frame_; }

 private:
  void factorize(const StepInput& in, const Positions& x) const {
    HessianSum sum = shell_.empty_hessian();
    shell_.hessian(x, in, false, sum);
    if (!shell_.solver().factorize(sum.values()))
      throw NoDerivative("the equilibrium at " + std::to_string(frame_.time) +
                         " s is not a strict minimum (a bifurcation): it has no derivative");
  }
  const CompiledShell& shell_;
  Frame frame_;
  std::shared_ptr<const Positions> boundary_;
  StepSolverOptions options_;
};

class RefreshLag final : public Step {
 public:
  RefreshLag(const CompiledShell& shell, const Frame& frame) : shell_(shell), frame_(frame) {}
  Advance advance(const ShellState& from, const ShellTheta& theta) const override {
    ShellState to = from;
    to.lag = shell_.contact().lag(from.x, frame_, theta);
    return {std::move(to), {}};
  }
  std::vector<ShellState> jvp(const ShellState& from, const ShellState&, const ShellTheta& theta,
                              const std::vector<ShellState>& dfrom,
                              const std::vector<ShellTheta>& dtheta) const override {
    std::vector<ShellState> out = dfrom;
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k].lag = shell_.contact().lag_jvp(from.x, frame_, theta, dfrom[k].x, dtheta[k]);
    return out;
  }
  StepPullback vjp(const ShellState& from, const ShellState&, const ShellTheta& theta,
                   const ShellState& bar) const override {
    StepPullback out{bar, theta.zero()};
    shell_.contact().add_lag_vjp(from.x, frame_, theta, bar.lag, out.state.x, out.theta);
    for (ContactLag& lag : out.state.lag) {
      lag.pressure.setZero();
      lag.normal.setZero();
    }
    return out;
  }
  const Frame& frame() const override { return frame_; }

 private:
  const CompiledShell& shell_;
  Frame frame_;
};

}  // namespace

std::unique_ptr<Step> begin_frame(const Frame& frame) {
  return std::make_unique<BeginFrame>(frame);
}
std::unique_ptr<Step> viscous_relaxation(const CompiledShell& shell, const Frame& frame, double exponent) {
  return std::make_unique<ViscousRelaxation>(shell, frame, exponent);
}
std::unique_ptr<Step> equilibrium(const CompiledShell& shell, const Frame& frame,
                                  std::shared_ptr<const Positions> boundary,
                                  const StepSolverOptions& options) {
  return std::make_unique<Equilibrium>(shell, frame, std::move(boundary), options);
}
std::unique_ptr<Step> refresh_lag(const CompiledShell& shell, const Frame& frame) {
  return std::make_unique<RefreshLag>(shell, frame);
}

}  // namespace furrow
