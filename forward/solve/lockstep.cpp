#include <algorithm>
#include <cmath>

#include "forward/base/error.h"
#include "forward/solve/equilibrium.h"
#include "forward/solve/lbfgs_memory.h"
#include "forward/solve/line_search.h"

namespace furrow {

namespace {

struct PoseRun {
  Positions force;
  double load = 0;  ///< |f| on the free dofs
  Iterate at;
  LbfgsMemory memory;
  int iterations = 0, since_best = 0;
  double best = 1e300;  ///< smallest residual so far
  bool done = false;
  SolveFailure failure = SolveFailure::none;

  double residual() const { return load > 0 ? at.value.gradient.norm() / load : at.value.gradient.norm(); }
};

PoseRun start_pose(const CompiledScene& scene, const TissueTheta& theta, const ElementModuli& moduli,
                   const Positions& X, const Vec3& gravity, const Positions& start) {
  PoseRun run;
  run.force = scene.gravity_force(X, theta.density, gravity);
  run.load = scene.dofs().gather(run.force).norm();
  run.at.x = start;
  run.at.value = evaluate_total(scene, moduli, X, start, run.force);
  if (!(run.at.value.smallest_j > 0)) {
    run.at.x = X;
    run.at.value = evaluate_total(scene, moduli, X, X, run.force);
  }
  if (!(run.at.value.smallest_j > 0)) {
    run.failure = SolveFailure::inverted_start;
    run.done = true;
  }
  return run;
}

/// One accepted step, or the end of the pose.
void advance(PoseRun& run, const CompiledScene& scene, const ElementModuli& moduli, const Positions& X,
             const VectorXd& h0_q, double tolerance) {
  const VectorXd direction = -run.memory.after(h0_q);
  std::optional<Iterate> next = backtrack(scene, moduli, X, run.force, run.at, direction);
  ++run.iterations;
  if (!next) {
    if (!run.memory.empty()) {  // once more along the plain preconditioned gradient
      run.memory.clear();
      return;
    }
    run.done = true;
    if (run.residual() > 30 * tolerance)
      run.failure = SolveFailure::line_search;  // else: at the rounding floor
    return;
  }
  run.memory.add(scene.dofs().gather(next->x - run.at.x), next->value.gradient - run.at.value.gradient);
  run.at = std::move(*next);
}

}  // namespace

std::vector<Equilibrium> solve_lockstep(const CompiledScene& scene, const TissueTheta& theta,
                                        const Positions& X, const std::vector<Vec3>& gravities,
                                        const std::vector<Positions>& starts, const FrozenFactor& factor,
                                        const EquilibriumOptions& options) {
  require(gravities.size() == starts.size(), "one start a pose");
  const ElementModuli moduli = scene.moduli(theta);
  std::vector<PoseRun> runs;
  for (std::size_t p = 0; p < gravities.size(); ++p)
    runs.push_back(start_pose(scene, theta, moduli, X, gravities[p], starts[p]));

  while (true) {
    std::vector<PoseRun*> active;
    for (PoseRun& run : runs) {
      if (run.done) continue;
      run.since_best = run.residual() < 0.5 * run.best ? 0 : run.since_best + 1;
      run.best = std::min(run.best, run.residual());
      const bool at_rounding_floor = run.since_best > 4 && run.residual() <= 30 * options.tolerance;
      if (run.residual() <= options.tolerance || at_rounding_floor) {
        run.done = true;
      } else if (run.iterations >= options.max_iterations) {
        run.done = true;
        run.failure = SolveFailure::iterations;
      } else {
        active.push_back(&run);
      }
    }
    if (active.empty()) break;
    MatrixXd q(scene.dofs().free_count, active.size());
    for (std::size_t k = 0; k < active.size(); ++k)
      q.col(k) = active[k]->memory.before(active[k]->at.value.gradient);
    const MatrixXd h0_q = factor.apply(q, theta);
    for (std::size_t k = 0; k < active.size(); ++k)
      advance(*active[k], scene, moduli, X, h0_q.col(k), options.tolerance);
  }

  std::vector<Equilibrium> out;
  for (PoseRun& run : runs)
    out.push_back({std::move(run.at.x), run.residual(), run.at.value.energy, run.at.value.smallest_j,
                   run.iterations, run.failure});
  return out;
}

}  // namespace furrow
