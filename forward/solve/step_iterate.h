// What the minimisers of a step share: an iterate, the line search, the stopping rule.
#pragma once

#include <chrono>
#include <optional>

#include "forward/solve/step_solver.h"

namespace furrow {

/// One minimisation: where it stands and why it stopped.
class StepMinimisation {
 public:
  StepMinimisation(const CompiledShell&, const StepInput&, const Positions& start, const StepSolverOptions&);

  const CompiledShell& shell() const { return shell_; }
  const StepInput& input() const { return input_; }
  const Positions& x() const { return x_; }
  const ShellValue& value() const { return value_; }
  const VectorXd& gradient() const { return gradient_; }  ///< free dofs
  StepReport& report() { return report_; }
  double tolerance() const { return tolerance_; }

  /// True when the gradient is small enough, or the solve has failed (then the report says so).
  bool finished(int max_iterations);
  /// A point along `direction` (free dofs) with J > 0.1 J_old everywhere and sufficient decrease, or, where
  /// energies agree to rounding, a smaller gradient; false when there is none.
  bool move(const VectorXd& direction, double first_step = 1.0);
  /// Moves without asking, if x is admissible there.
  bool jump(const VectorXd& displacement);
  StepSolution solution() &&;

 private:
  std::optional<ShellValue> admissible(const Positions& x) const;
  void accept(Positions x, ShellValue value);

  const CompiledShell& shell_;
  const StepInput& input_;
  const StepSolverOptions& options_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Positions x_;
  ShellValue value_;
  VectorXd gradient_;
  double tolerance_ = 0;
  StepReport report_;
};

/// Iterates to the end; the report says how it went.
void minimise_newton(StepMinimisation&, HessianSum&, int max_iterations);
void minimise_lbfgs(StepMinimisation&, HessianSum&, int max_iterations);
void minimise_pcg(StepMinimisation&, HessianSum&, int max_iterations);

/// Factorises the exact Hessian at x, or else the projected one, or else that with a growing multiple of the
/// identity; true when the exact one was positive definite. Throws std::runtime_error when nothing helps.
bool factorize_for_descent(const CompiledShell&, const StepInput&, const Positions& x, HessianSum&);

/// Eigenvector of the smallest eigenvalue of the exact Hessian where that is negative, of unit length with
/// its largest component positive; nothing at a minimum. Inverse iteration on the shifted matrix.
std::optional<VectorXd> buckling_mode(const CompiledShell&, const StepInput&, const Positions& x, HessianSum&,
                                      unsigned seed);

}  // namespace furrow
