#include "forward/potential/contact_penalty.h"

namespace furrow {

PenaltyValue ContactPenalty::at_gap(double g) const {
  if (!(g < 0)) return {};
  const double d = -g;
  if (d < ramp) return {kappa * d * d * d / (3 * ramp), kappa * d * d / ramp, 2 * kappa * d / ramp};
  return {kappa * (d * (d - ramp) + ramp * ramp / 3), kappa * (2 * d - ramp), 2 * kappa};
}

}  // namespace furrow
