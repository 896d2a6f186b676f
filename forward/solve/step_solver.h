// One equilibrium of a step: min_x U(x; from, frame, theta) over the free dofs.
#pragma once

#include <string>

#include "forward/compiled_shell.h"

namespace furrow {

/// `automatic` is Newton, the fastest where measured: a stroke's frames take it 9.2 s at 288 quartic prisms
/// (pcg 13.2 s, lbfgs 27 s) and 119 s at 1,920 (pcg 145 s). Contact changes its active set at every iterate,
/// so that a frozen factor is soon stale, and a factor costs as much as some 35 solves.
enum class StepMethod { automatic, newton, lbfgs, pcg };

struct StepSolverOptions {
  StepMethod method = StepMethod::automatic;
  double tolerance = 0;    ///< |free gradient|_inf [N]; 0: 1e-10 max(1 N, |contact force|)
  int max_iterations = 0;  ///< 0: by method
  double time_limit = 0;   ///< wall time of one solve [s]; 0: none
  unsigned seed = 1;       ///< of the sign and start of buckling modes
  bool check_minimum =
      true;  ///< the Hessian at the solution is positive definite, or the solve goes on below
};

enum class StepFailure { none, inverted_start, line_search, iterations, time_limit, saddle, not_finite };
std::string describe(StepFailure);

struct StepReport {
  StepFailure failure = StepFailure::none;
  int iterations = 0, factorizations = 0;
  int buckles = 0;      ///< saddles that were left along their buckling mode
  double gradient = 0;  ///< |free gradient|_inf [N]
  double smallest_j = 1;
};

struct StepSolution {
  Positions x;
  ShellValue value;
  StepReport report;
};

/// `start`: n x 3 with the fixed dofs at their prescribed values.
StepSolution solve_step(const CompiledShell&, const StepInput&, const Positions& start,
                        const StepSolverOptions&);

/// A start for boundary values that moved: the free nodes follow linearly (one solve with the Hessian at
/// `x`), so that a large motion does not fold the elements beside it. `boundary`: n x 3, read on the fixed
/// dofs.
Positions predict_boundary_motion(const CompiledShell&, const StepInput&, const Positions& x,
                                  const Positions& boundary);

}  // namespace furrow
