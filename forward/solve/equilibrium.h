// Static equilibria r(x) = dE/dx - f = 0 of one body under several gravity directions.
#pragma once

#include <string>
#include <vector>

#include "forward/compiled_scene.h"
#include "forward/solve/frozen_factor.h"

namespace furrow {

enum class SolveFailure { none, inverted_start, line_search, iterations, not_positive_definite };
std::string describe(SolveFailure);

struct EquilibriumOptions {
  double tolerance = 1e-10;  ///< |r| over |f| on the free dofs
  int max_iterations = 200;
  bool inversion_thresholding =
      false;  ///< Newton only: ITF04 singular-value thresholding while the start is inverted
};

struct Equilibrium {
  Positions x;          ///< n x 3 [mm]
  double residual = 0;  ///< |r| over |f|
  double energy = 0;    ///< E - f.(x - X) [N mm]
  double smallest_j = 0;
  int iterations = 0;
  SolveFailure failure = SolveFailure::none;
};

/// Total energy and residual at x; `gradient` over the free dofs.
struct TotalValue {
  double energy, smallest_j;
  VectorXd gradient;
};
TotalValue evaluate_total(const CompiledScene&, const ElementModuli&, const Positions& X, const Positions& x,
                          const Positions& force);

/// All poses together: L-BFGS with the frozen factor as initial inverse Hessian, line search with J > 0,
/// right-hand sides of all unfinished poses solved at once. `starts`: one n x 3 a pose (an inverted one is
/// replaced by X). Fixed dofs keep the start's values.
std::vector<Equilibrium> solve_lockstep(const CompiledScene&, const TissueTheta&, const Positions& X,
                                        const std::vector<Vec3>& gravities,
                                        const std::vector<Positions>& starts, const FrozenFactor&,
                                        const EquilibriumOptions&);

/// One pose by Newton with a factorisation every iteration; indefinite Hessians are shifted. `solver` may be
/// reused between calls; after success it holds the factor at the last iterate before the solution.
Equilibrium solve_newton(const CompiledScene&, const TissueTheta&, const Positions& X, const Vec3& gravity,
                         const Positions& start, CholmodSolver& solver, const EquilibriumOptions&);

}  // namespace furrow
