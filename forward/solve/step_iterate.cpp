#include "forward/solve/step_iterate.h"

#include <cmath>

namespace furrow {

std::string describe(StepFailure failure) {
  switch (failure) {
    case StepFailure::none:
      return "converged";
    case StepFailure::inverted_start:
      return "the start has inverted elements";
    case StepFailure::line_search:
      return "no descent along the search direction";
    case StepFailure::iterations:
      return "too many iterations";
    case StepFailure::time_limit:
      return "the step's time limit was reached";
    case StepFailure::saddle:
      return "only a saddle was found";
    case StepFailure::not_finite:
      return "energies are not finite";
  }
  return "";
}

namespace {

double contact_force(const CompiledShell& shell, const Positions& x, const StepInput& in) {
  double sum = 0;
  for (std::size_t c = 0; c < in.theta.colliders.size(); ++c)
    sum += shell.contact().force_on(static_cast<int>(c), x, in).norm();
  return sum;
}

}  // namespace

StepMinimisation::StepMinimisation(const CompiledShell& shell, const StepInput& input, const Positions& start,
                                   const StepSolverOptions& options)
    : shell_(shell), input_(input), options_(options) {
  ShellValue value = shell.evaluate(start, input, true);
  if (!(value.smallest_j > 0))
    report_.failure = StepFailure::inverted_start;
  else if (!std::isfinite(value.energy) || !value.gradient.allFinite())
    report_.failure = StepFailure::not_finite;
  accept(start, std::move(value));
}

void StepMinimisation::accept(Positions x, ShellValue value) {
  x_ = std::move(x);
  value_ = std::move(value);
  gradient_ = shell_.dofs().gather(value_.gradient);
  report_.gradient = gradient_.size() > 0 ? gradient_.lpNorm<Eigen::Infinity>() : 0;
  report_.smallest_j = value_.smallest_j;
}

bool StepMinimisation::finished(int max_iterations) {
  if (report_.failure != StepFailure::none) return true;
  tolerance_ =
      options_.tolerance > 0 ? options_.tolerance : 1e-10 * std::max(1.0, contact_force(shell_, x_, input_));
  if (report_.gradient <= tolerance_) return true;
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
  if (options_.time_limit > 0 && spent.count() > options_.time_limit) {
    report_.failure = StepFailure::time_limit;
    return true;
  }
  if (report_.iterations >= max_iterations) {
    report_.failure = StepFailure::iterations;
    return true;
  }
  return false;
}

std::optional<ShellValue> StepMinimisation::admissible(const Positions& x) const {
  ShellValue value = shell_.evaluate(x, input_, true);
  if (!std::isfinite(value.energy) || !(value.smallest_j > 0.1 * value_.smallest_j)) return std::nullopt;
  return value;
}

bool StepMinimisation::move(const VectorXd& direction, double first_step) {
  constexpr double kArmijo = 1e-4, kRounding = 1e-11;
  const double slope = gradient_.dot(direction);
  if (!(slope < 0)) return false;
  const Positions d = shell_.dofs().spread(direction);
  double t = first_step;
  for (int k = 0; k < 40; ++k, t *= 0.5) {
    Positions to = x_ + t * d;
    std::optional<ShellValue> value = admissible(to);
    if (!value) continue;
    const double change = value->energy - value_.energy;
    const bool rounding = std::abs(slope) <= kRounding * (std::abs(value_.energy) + std::abs(slope));
    const bool smaller = shell_.dofs().gather(value->gradient).norm() < gradient_.norm();
    if (change <= kArmijo * t * slope || (rounding && smaller)) {
      accept(std::move(to), std::move(*value));
      return true;
    }
  }
  return false;
}

bool StepMinimisation::jump(const VectorXd& displacement) {
  Positions to = x_ + shell_.dofs().spread(displacement);
  std::optional<ShellValue> value = admissible(to);
  if (!value) return false;
  accept(std::move(to), std::move(*value));
  return true;
}

StepSolution StepMinimisation::solution() && {
  return {std::move(x_), std::move(value_), report_};
}

}  // namespace furrow
