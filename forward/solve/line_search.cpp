#include "forward/solve/line_search.h"

#include <cmath>

namespace furrow {

std::optional<Iterate> backtrack(const CompiledScene& scene, const ElementModuli& moduli, const Positions& X,
                                 const Positions& force, const Iterate& from, const VectorXd& direction) {
  constexpr double kArmijo = 1e-4, kRounding = 1e-11;
  const double slope = from.value.gradient.dot(direction);
  if (!(slope < 0)) return std::nullopt;
  const Positions d = scene.dofs().spread(direction);
  double t = 1;
  for (int k = 0; k < 40; ++k, t *= 0.5) {
    Iterate to{from.x + t * d, {}};
    to.value = evaluate_total(scene, moduli, X, to.x, force);
    if (!(to.value.smallest_j > 0.1 * from.value.smallest_j) || !std::isfinite(to.value.energy)) continue;
    const double change = to.value.energy - from.value.energy;
    if (change <= kArmijo * t * slope) return to;
    const bool rounding = std::abs(slope) <= kRounding * (std::abs(from.value.energy) + std::abs(slope));
    if (rounding && to.value.gradient.norm() < from.value.gradient.norm()) return to;
  }
  return std::nullopt;
}

}  // namespace furrow
