// The wrinkling paper's minimiser: L-BFGS whose initial inverse Hessian is a Cholesky factor, refreshed every
// 50 iterations or when steps become tiny; and Newton whose systems are solved by conjugate gradients with a
// frozen factor.
#include <cmath>

#include "forward/solve/krylov.h"
#include "forward/solve/lbfgs_memory.h"
#include "forward/solve/step_iterate.h"

namespace furrow {

void minimise_lbfgs(StepMinimisation& m, HessianSum& sum, int max_iterations) {
  constexpr int kRefresh = 50;
  constexpr double kTinyStep = 1e-6;  ///< [mm], of a step that does not end the solve
  LbfgsMemory memory(8);
  int since_refresh = kRefresh;
  while (!m.finished(max_iterations)) {
    if (since_refresh >= kRefresh) {
      factorize_for_descent(m.shell(), m.input(), m.x(), sum);
      ++m.report().factorizations;
      memory.clear();
      since_refresh = 0;
    }
    ++m.report().iterations;
    const VectorXd before = m.gradient();
    const Positions from = m.x();
    const VectorXd direction = -memory.after(m.shell().solver().solve(memory.before(before)));
    if (!m.move(direction)) {
      if (since_refresh > 0) {
        since_refresh = kRefresh;
        continue;
      }
      if (m.report().gradient > 30 * m.tolerance()) m.report().failure = StepFailure::line_search;
      return;
    }
    const VectorXd step = m.shell().dofs().gather(m.x() - from);
    ++since_refresh;
    if (step.lpNorm<Eigen::Infinity>() < kTinyStep && since_refresh > 5) since_refresh = kRefresh;
    memory.add(step, m.gradient() - before);
  }
}

void minimise_pcg(StepMinimisation& m, HessianSum& sum, int max_iterations) {
  constexpr int kManyIterations = 40;  ///< of a linear solve: then the factor is worth refreshing
  bool stale = true;
  while (!m.finished(max_iterations)) {
    if (stale) {
      factorize_for_descent(m.shell(), m.input(), m.x(), sum);
      ++m.report().factorizations;
      stale = false;
    }
    ++m.report().iterations;
    const CompiledShell& shell = m.shell();
    shell.hessian(m.x(), m.input(), false, sum);
    const BlockOperator A = [&](const MatrixXd& v, const std::vector<int>&) {
      return multiply_symmetric(shell.pattern(), sum.values(), v);
    };
    const BlockOperator M = [&](const MatrixXd& r, const std::vector<int>&) {
      return shell.solver().solve(r);
    };
    const double forcing = std::min(0.1, std::sqrt(m.report().gradient));
    const KrylovResult linear = conjugate_gradients(A, M, m.gradient(), {forcing, 80});
    const bool useless = linear.x.col(0).dot(m.gradient()) <= 0;
    if (linear.iterations > kManyIterations || linear.indefinite || !linear.converged) stale = true;
    if (!m.move(useless ? -VectorXd(shell.solver().solve(m.gradient())) : VectorXd(-linear.x.col(0)))) {
      factorize_for_descent(shell, m.input(), m.x(), sum);
      ++m.report().factorizations;
      stale = false;
      if (m.move(-VectorXd(shell.solver().solve(m.gradient())))) continue;
      if (m.report().gradient > 30 * m.tolerance()) m.report().failure = StepFailure::line_search;
      return;
    }
  }
}

}  // namespace furrow
