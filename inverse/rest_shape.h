// Rest shape by inverse elastostatics (DESIGN 7.3, THEORY 15): the neutral scan is an equilibrium under its
// gravity, so X follows from
//   r(x_neutral, X, theta) = 0,   X = x on fixed nodes,
// by X <- X + K^-1 r with the frozen factor, Anderson-accelerated.
#pragma once

#include "forward/compiled_scene.h"
#include "forward/solve/equilibrium.h"
#include "forward/solve/frozen_factor.h"

namespace furrow {

struct RecoveredRest {
  Positions X;          ///< n x 3 [mm]
  double residual = 0;  ///< |r| over |gravity load|
  int iterations = 0;
  SolveFailure failure = SolveFailure::none;
};

RecoveredRest solve_rest_shape(const CompiledScene&, const TissueTheta&, const Positions& x_neutral,
                               const Vec3& gravity, const Positions& start, const FrozenFactor&,
                               const EquilibriumOptions&);

}  // namespace furrow
