// From a layer's engineering constants to the moduli of skin.h, with derivatives:
//
//   mu = E / (2 (1 + nu)),  K = E / (3 (1 - 2 nu)),  mu_inf = s mu,  mu_k = (1 - s) w_k mu,
//   m_k = alpha_k^e mu_k,   alpha_k = exp(-dt/tau_k)
#pragma once

#include <array>

#include "forward/material/skin.h"
#include "forward/shell_theta.h"

namespace furrow {

struct LayerModuli {
  double mu_inf = 0, stiffening = 0, bulk = 0;
  std::array<double, kMaxBranches> branch{};
};

/// `dt` may be infinite (m_k = 0); e = `exponent`.
LayerModuli layer_moduli(const LayerTheta& layer, double dt, double exponent);
/// Change of the moduli for a change of the layer.
LayerModuli layer_moduli_increment(const LayerTheta& layer, const LayerTheta& change, double dt,
                                   double exponent);
/// Adds the derivative by the layer of an objective whose derivative by the moduli is `bar`.
void add_layer_moduli_pullback(const LayerTheta& layer, const LayerModuli& bar, double dt, double exponent,
                               LayerTheta& out);

/// alpha_k^e of every branch (1 where the layer has no such branch) and its derivative by tau_k.
struct RelaxFactors {
  std::array<double, kMaxBranches> value, by_time;
};
RelaxFactors relax_factors(const LayerTheta& layer, double dt, double exponent);

}  // namespace furrow
