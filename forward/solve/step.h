// Everything that moves in time is a step: the beginning of a frame, a viscous relaxation, an equilibrium, a
// refresh of friction's lag. Each advances the state, pushes differentials forward (tangent) and pulls
// cotangents back (adjoint), so nothing can be forgotten in a derivative (DESIGN 3).
#pragma once

#include <memory>
#include <vector>

#include "forward/solve/step_solver.h"

namespace furrow {

/// A derivative was asked for where there is none: at a saddle or a bifurcation the Hessian is not positive
/// definite.
class NoDerivative : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Step {
 public:
  virtual ~Step() = default;

  struct Advance {
    ShellState state;   ///< unchanged where the step failed
    StepReport report;  ///< of an equilibrium; "none" for the others
  };
  virtual Advance advance(const ShellState& from, const ShellTheta&) const = 0;

  /// Many directions at once (one factorisation): d(to) for d(from) and d(theta). Throws NoDerivative.
  virtual std::vector<ShellState> jvp(const ShellState& from, const ShellState& to, const ShellTheta&,
                                      const std::vector<ShellState>& dfrom,
                                      const std::vector<ShellTheta>& dtheta) const = 0;
  /// Cotangents of `from` and theta for those of `to`. Throws NoDerivative.
  virtual StepPullback vjp(const ShellState& from, const ShellState& to, const ShellTheta&,
                           const ShellState& bar) const = 0;
  virtual const Frame& frame() const = 0;
};

/// frame_start <- x.
std::unique_ptr<Step> begin_frame(const Frame& frame);
/// F^v <- relax(F(x), F^v, alpha^exponent).
std::unique_ptr<Step> viscous_relaxation(const CompiledShell&, const Frame&, double exponent);
/// x <- argmin U(x; from, frame, theta); `boundary`: n x 3, where the fixed dofs are in this frame.
std::unique_ptr<Step> equilibrium(const CompiledShell&, const Frame&,
                                  std::shared_ptr<const Positions> boundary, const StepSolverOptions&);
/// lag <- pressure and normal of the contact at x under the frame's poses.
std::unique_ptr<Step> refresh_lag(const CompiledShell&, const Frame&);

}  // namespace furrow
