#include <cmath>

#include "forward/solve/equilibrium.h"
#include "forward/solve/line_search.h"
#include "forward/solve/uninvert.h"

namespace furrow {

namespace {

/// Factorises K, or K + tau diag-mean I with tau growing until it is positive definite.
bool factorize_shifted(CholmodSolver& solver, const SymmetricPattern& pattern, std::vector<double>& values) {
  if (solver.factorize(values)) return true;
  double mean = 0;
  for (int j = 0; j < pattern.size; ++j) mean += std::abs(values[pattern.column_start[j]]) / pattern.size;
  double shift = 0;
  for (double tau = 1e-4; tau < 1e4; tau *= 10) {
    for (int j = 0; j < pattern.size; ++j) values[pattern.column_start[j]] += (tau - shift) * mean;
    shift = tau;
    if (solver.factorize(values)) return true;
  }
  return false;
}

}  // namespace

Equilibrium solve_newton(const CompiledScene& scene, const TissueTheta& theta, const Positions& X,
                         const Vec3& gravity, const Positions& start, CholmodSolver& solver,
                         const EquilibriumOptions& options) {
  const ElementModuli moduli = scene.moduli(theta);
  const Positions force = scene.gravity_force(X, theta.density, gravity);
  const double load = scene.dofs().gather(force).norm();
  Iterate at{start, evaluate_total(scene, moduli, X, start, force)};
  if (!(at.value.smallest_j > 0) && options.inversion_thresholding) {
    at.x = uninvert(scene, theta, X, force, start, solver);
    at.value = evaluate_total(scene, moduli, X, at.x, force);
  }
  Equilibrium out;
  auto residual = [&] { return load > 0 ? at.value.gradient.norm() / load : at.value.gradient.norm(); };
  std::vector<double> values;
  if (!(at.value.smallest_j > 0)) out.failure = SolveFailure::inverted_start;
  while (out.failure == SolveFailure::none && residual() > options.tolerance) {
    if (out.iterations == options.max_iterations) {
      out.failure = SolveFailure::iterations;
      break;
    }
    ++out.iterations;
    scene.elastic().hessian(X, at.x, moduli, scene.dofs(), scene.symmetric_pattern(), values);
    if (!factorize_shifted(solver, scene.symmetric_pattern(), values)) {
      out.failure = SolveFailure::not_positive_definite;
      break;
    }
    std::optional<Iterate> next = backtrack(scene, moduli, X, force, at, -solver.solve(at.value.gradient));
    if (!next) {
      if (residual() > 30 * options.tolerance) out.failure = SolveFailure::line_search;
      break;
    }
    at = std::move(*next);
  }
  out.x = std::move(at.x);
  out.residual = residual();
  out.energy = at.value.energy;
  out.smallest_j = at.value.smallest_j;
  return out;
}

}  // namespace furrow
