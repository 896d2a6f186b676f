#include "forward/solve/step_solver.h"

#include "forward/solve/step_iterate.h"

namespace furrow {

namespace {

void minimise(StepMinimisation& m, HessianSum& sum, const StepSolverOptions& options) {
  switch (options.method) {
    case StepMethod::automatic:
    case StepMethod::newton:
      return minimise_newton(m, sum, options.max_iterations > 0 ? options.max_iterations : 100);
    case StepMethod::lbfgs:
      return minimise_lbfgs(m, sum, options.max_iterations > 0 ? options.max_iterations : 1000);
    case StepMethod::pcg:
      return minimise_pcg(m, sum, options.max_iterations > 0 ? options.max_iterations : 100);
  }
}

/// Off a saddle along the buckling mode: both senses are tried from a small amplitude up, the sense of `seed`
/// first.
bool leave_saddle(StepMinimisation& m, const VectorXd& mode, unsigned seed) {
  const double before = m.value().energy, scale = mode.lpNorm<Eigen::Infinity>();
  const double sense = seed % 2 == 1 ? 1 : -1;
  for (double amplitude = 1e-3; amplitude <= 0.1; amplitude *= 3)  // [mm]
    for (const double sign : {sense, -sense}) {
      const VectorXd step = sign * amplitude / scale * mode;
      if (!m.jump(step)) continue;
      if (m.value().energy < before) return true;
      m.jump(-step);
    }
  return false;
}

}  // namespace

StepSolution solve_step(const CompiledShell& shell, const StepInput& in, const Positions& start,
                        const StepSolverOptions& options) {
  constexpr int kMaxBuckles = 10;
  StepMinimisation m(shell, in, start, options);
  HessianSum sum = shell.empty_hessian();
  minimise(m, sum, options);
  while (options.check_minimum && m.report().failure == StepFailure::none) {
    const std::optional<VectorXd> mode = buckling_mode(shell, in, m.x(), sum, options.seed);
    ++m.report().factorizations;
    if (!mode) break;
    if (m.report().buckles == kMaxBuckles || !leave_saddle(m, *mode, options.seed)) {
      m.report().failure = StepFailure::saddle;
      break;
    }
    ++m.report().buckles;
    minimise(m, sum, options);
  }
  return std::move(m).solution();
}

Positions predict_boundary_motion(const CompiledShell& shell, const StepInput& in, const Positions& x,
                                  const Positions& boundary) {
  Positions motion = boundary - x;
  const auto& dof = shell.dofs().dof;
  for (std::size_t k = 0; k < dof.size(); ++k)
    if (dof[k] >= 0) motion.data()[k] = 0;
  if (motion.cwiseAbs().maxCoeff() == 0) return x;
  HessianSum sum = shell.empty_hessian();
  factorize_for_descent(shell, in, x, sum);
  const VectorXd rhs = shell.dofs().gather(shell.hessian_product(x, in, motion));
  shell.dofs().scatter(-VectorXd(shell.solver().solve(rhs)), motion);
  return x + motion;
}

}  // namespace furrow
