#include "inverse/rest_shape.h"

#include <Eigen/QR>
#include <cmath>
#include <deque>

namespace furrow {

namespace {

/// Anderson acceleration of z <- z + f(z), type II with a short memory (Walker & Ni 2011).
class Anderson {
 public:
  VectorXd next(const VectorXd& z, const VectorXd& f) {
    if (last_z_.size() > 0) {
      dz_.push_back(z - last_z_);
      df_.push_back(f - last_f_);
      if (dz_.size() > 6) dz_.pop_front(), df_.pop_front();
    }
    last_z_ = z;
    last_f_ = f;
    if (df_.empty()) return z + f;
    MatrixXd F(f.size(), df_.size());
    for (std::size_t k = 0; k < df_.size(); ++k) F.col(k) = df_[k];
    const VectorXd gamma = F.householderQr().solve(f);
    VectorXd out = z + f;
    for (std::size_t k = 0; k < df_.size(); ++k) out -= gamma[k] * (dz_[k] + df_[k]);
    return out;
  }
  void restart() {
    dz_.clear();
    df_.clear();
    last_z_.resize(0);
  }

 private:
  std::deque<VectorXd> dz_, df_;
  VectorXd last_z_, last_f_;
};

struct Residual {
  VectorXd value;
  double relative, smallest_j;
};

Residual neutral_residual(const CompiledScene& scene, const TissueTheta& theta, const ElementModuli& moduli,
                          const Positions& x, const Positions& X, const Vec3& gravity) {
  const Positions force = scene.gravity_force(X, theta.density, gravity);
  const TotalValue total = evaluate_total(scene, moduli, X, x, force);
  const double load = scene.dofs().gather(force).norm();
  return {total.gradient, total.gradient.norm() / (load > 0 ? load : 1), total.smallest_j};
}

}  // namespace

RecoveredRest solve_rest_shape(const CompiledScene& scene, const TissueTheta& theta,
                               const Positions& x_neutral, const Vec3& gravity, const Positions& start,
                               const FrozenFactor& factor, const EquilibriumOptions& options) {
  const ElementModuli moduli = scene.moduli(theta);
  RecoveredRest rest;
  rest.X = start;
  Residual r = neutral_residual(scene, theta, moduli, x_neutral, rest.X, gravity);
  if (!(r.smallest_j > 0)) {
    rest.X = x_neutral;
    r = neutral_residual(scene, theta, moduli, x_neutral, rest.X, gravity);
  }
  if (!(r.smallest_j > 0)) {
    rest.failure = SolveFailure::inverted_start;
    return rest;
  }
  Anderson anderson;
  double best = r.relative;
  int since_best = 0;
  while (r.relative > options.tolerance) {
    since_best = r.relative < 0.5 * best ? 0 : since_best + 1;
    best = std::min(best, r.relative);
    if (since_best > 4 && r.relative <= 30 * options.tolerance) break;  // at the rounding floor
    if (rest.iterations++ == options.max_iterations) {
      rest.failure = SolveFailure::iterations;
      break;
    }
    const VectorXd z = scene.dofs().gather(rest.X), step = factor.apply(r.value, theta);
    VectorXd to = anderson.next(z, step);
    bool accepted = false;
    for (int k = 0; k < 12 && !accepted; ++k) {
      Positions X = rest.X;
      scene.dofs().scatter(to, X);
      const Residual trial = neutral_residual(scene, theta, moduli, x_neutral, X, gravity);
      if (trial.smallest_j > 0 && trial.relative < (k == 0 ? 2.0 : 1.0) * r.relative) {
        rest.X = std::move(X);
        r = trial;
        accepted = true;
      } else {  // shorten, back to the plain step first
        anderson.restart();
        to = z + std::pow(0.5, k) * step;
      }
    }
    if (!accepted) {
      if (r.relative > 30 * options.tolerance) rest.failure = SolveFailure::line_search;
      break;
    }
  }
  rest.residual = r.relative;
  return rest;
}

}  // namespace furrow
