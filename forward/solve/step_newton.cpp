#include <cmath>
#include <random>
#include <stdexcept>

#include "forward/solve/step_iterate.h"

namespace furrow {

namespace {

double mean_diagonal(const SymmetricPattern& pattern, const std::vector<double>& values) {
  double sum = 0;
  for (int j = 0; j < pattern.size; ++j) sum += std::abs(values[pattern.column_start[j]]);
  return pattern.size > 0 ? sum / pattern.size : 1;
}

void shift_diagonal(const SymmetricPattern& pattern, std::vector<double>& values, double shift) {
  for (int j = 0; j < pattern.size; ++j) values[pattern.column_start[j]] += shift;
}

/// Adds to the diagonal until a factor exists; returns the shift.
double factorize_shifted(const CompiledShell& shell, HessianSum& sum, double first) {
  const double mean = mean_diagonal(shell.pattern(), sum.values());
  double shift = 0;
  for (double tau = first; tau < 1e4; tau *= 10) {
    shift_diagonal(shell.pattern(), sum.values(), tau * mean - shift);
    shift = tau * mean;
    if (shell.solver().factorize(sum.values())) return shift;
  }
  throw std::runtime_error("the Hessian cannot be factorised");
}

}  // namespace

bool factorize_for_descent(const CompiledShell& shell, const StepInput& in, const Positions& x,
                           HessianSum& sum) {
  shell.hessian(x, in, false, sum);
  if (shell.solver().factorize(sum.values())) return true;
  shell.hessian(x, in, true, sum);
  if (!shell.solver().factorize(sum.values())) factorize_shifted(shell, sum, 1e-8);
  return false;
}

std::optional<VectorXd> buckling_mode(const CompiledShell& shell, const StepInput& in, const Positions& x,
                                      HessianSum& sum, unsigned seed) {
  shell.hessian(x, in, false, sum);
  if (shell.solver().factorize(sum.values())) return std::nullopt;
  factorize_shifted(shell, sum, 1e-8);
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  VectorXd v(shell.dofs().free_count);
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = normal(generator);
  for (int k = 0; k < 60; ++k) {
    const VectorXd next = VectorXd(shell.solver().solve(v)).normalized();
    const double change = std::min((next - v).norm(), (next + v).norm());
    v = next;
    if (change < 1e-6) break;
  }
  return v;
}

void minimise_newton(StepMinimisation& m, HessianSum& sum, int max_iterations) {
  while (!m.finished(max_iterations)) {
    ++m.report().iterations;
    ++m.report().factorizations;
    factorize_for_descent(m.shell(), m.input(), m.x(), sum);
    if (!m.move(-VectorXd(m.shell().solver().solve(m.gradient())))) {
      if (m.report().gradient > 30 * m.tolerance()) m.report().failure = StepFailure::line_search;
      return;
    }
  }
}

}  // namespace furrow
