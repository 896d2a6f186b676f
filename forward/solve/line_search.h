// Backtracking on the total energy that never accepts an inverted element.
#pragma once

#include <optional>

#include "forward/solve/equilibrium.h"

namespace furrow {

struct Iterate {
  Positions x;
  TotalValue value;
};

/// A point along x + t d (d over the free dofs) with J > 0.1 J_old at every quadrature point and sufficient
/// decrease of the energy, or, where energies agree to rounding, a smaller residual. Nothing when there is
/// none.
std::optional<Iterate> backtrack(const CompiledScene&, const ElementModuli&, const Positions& X,
                                 const Positions& force, const Iterate& from, const VectorXd& direction);

}  // namespace furrow
