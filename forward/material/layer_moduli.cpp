#include "forward/material/layer_moduli.h"

#include <cmath>

namespace furrow {

RelaxFactors relax_factors(const LayerTheta& layer, double dt, double exponent) {
  RelaxFactors out;
  out.value.fill(1);
  out.by_time.fill(0);
  for (Eigen::Index k = 0; k < layer.times.size(); ++k) {
    const double ratio = exponent * dt / layer.times[k];
    out.value[k] = std::exp(-ratio);
    if (std::isfinite(ratio)) out.by_time[k] = out.value[k] * ratio / layer.times[k];
  }
  return out;
}

LayerModuli layer_moduli(const LayerTheta& layer, double dt, double exponent) {
  const double mu = layer.young / (2 * (1 + layer.poisson));
  LayerModuli m;
  m.mu_inf = layer.steady_fraction * mu;
  m.stiffening = layer.stiffening;
  m.bulk = layer.young / (3 * (1 - 2 * layer.poisson));
  const RelaxFactors alpha = relax_factors(layer, dt, exponent);
  for (Eigen::Index k = 0; k < layer.times.size(); ++k)
    m.branch[k] = alpha.value[k] * (1 - layer.steady_fraction) * layer.weights[k] * mu;
  return m;
}

LayerModuli layer_moduli_increment(const LayerTheta& layer, const LayerTheta& d, double dt, double exponent) {
  const double nu = layer.poisson, mu = layer.young / (2 * (1 + nu));
  const double dmu = d.young / (2 * (1 + nu)) - mu / (1 + nu) * d.poisson;
  LayerModuli out;
  out.mu_inf = d.steady_fraction * mu + layer.steady_fraction * dmu;
  out.stiffening = d.stiffening;
  out.bulk = d.young / (3 * (1 - 2 * nu)) + 2 * layer.young / (3 * (1 - 2 * nu) * (1 - 2 * nu)) * d.poisson;
  const RelaxFactors alpha = relax_factors(layer, dt, exponent);
  const double rest = 1 - layer.steady_fraction;
  for (Eigen::Index k = 0; k < layer.times.size(); ++k)
    out.branch[k] = alpha.value[k] * (-d.steady_fraction * layer.weights[k] * mu + rest * d.weights[k] * mu +
                                      rest * layer.weights[k] * dmu) +
                    alpha.by_time[k] * d.times[k] * rest * layer.weights[k] * mu;
  return out;
}

void add_layer_moduli_pullback(const LayerTheta& layer, const LayerModuli& bar, double dt, double exponent,
                               LayerTheta& out) {
  const double nu = layer.poisson, mu = layer.young / (2 * (1 + nu)), rest = 1 - layer.steady_fraction;
  const RelaxFactors alpha = relax_factors(layer, dt, exponent);
  double bar_mu = layer.steady_fraction * bar.mu_inf, bar_steady = mu * bar.mu_inf;
  for (Eigen::Index k = 0; k < layer.times.size(); ++k) {
    const double a = alpha.value[k] * bar.branch[k];
    bar_mu += a * rest * layer.weights[k];
    bar_steady -= a * layer.weights[k] * mu;
    out.weights[k] += a * rest * mu;
    out.times[k] += alpha.by_time[k] * bar.branch[k] * rest * layer.weights[k] * mu;
  }
  out.young += bar_mu / (2 * (1 + nu)) + bar.bulk / (3 * (1 - 2 * nu));
  out.poisson += -bar_mu * mu / (1 + nu) + bar.bulk * 2 * layer.young / (3 * (1 - 2 * nu) * (1 - 2 * nu));
  out.stiffening += bar.stiffening;
  out.steady_fraction += bar_steady;
}

}  // namespace furrow
