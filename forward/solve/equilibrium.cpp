#include "forward/solve/equilibrium.h"

#include <cmath>

#include "forward/base/error.h"

namespace furrow {

std::string describe(SolveFailure failure) {
  switch (failure) {
    case SolveFailure::none:
      return "converged";
    case SolveFailure::inverted_start:
      return "the start has inverted elements";
    case SolveFailure::line_search:
      return "the line search found no smaller energy without inverted elements";
    case SolveFailure::iterations:
      return "the iteration limit was reached";
    case SolveFailure::not_positive_definite:
      return "the Hessian is not positive definite (a saddle or a bifurcation)";
  }
  return "unknown";
}

TotalValue evaluate_total(const CompiledScene& scene, const ElementModuli& moduli, const Positions& X,
                          const Positions& x, const Positions& force) {
  const ElasticValue elastic = scene.elastic().evaluate(X, x, moduli, true);
  return {elastic.energy - force.cwiseProduct(x - X).sum(), elastic.smallest_j,
          scene.dofs().gather(elastic.gradient - force)};
}

}  // namespace furrow
