// One Cholesky factor that serves all poses and iterations as preconditioner: K at the undeformed reference
// (F = I) with the stiffnesses theta it was made for. A multiple of all stiffnesses is taken into account
// exactly; other changes cost iterations.
#pragma once

#include <memory>

#include "forward/assembly/cholmod_solver.h"
#include "forward/compiled_scene.h"

namespace furrow {

class FrozenFactor {
 public:
  explicit FrozenFactor(const CompiledScene& scene);

  /// Factorises at theta; K(F = I) is positive definite for every admissible theta, so a failure throws
  /// std::runtime_error.
  void refresh(const TissueTheta& theta);
  bool ready() const { return solver_.factorized(); }
  const TissueTheta& theta() const { return theta_; }

  /// True when a factor made for `made_for` is so far from `theta` that the extra iterations cost more than a
  /// factorisation: the contrast (largest over smallest ratio of stiffness, changes of Poisson's ratio
  /// included) passes a measured limit. The rule uses no clocks, so that runs repeat.
  static bool stale(const CompiledScene& scene, const TissueTheta& made_for, const TissueTheta& theta);

  /// K(theta)^-1 r, approximately, for every column.
  MatrixXd apply(const MatrixXd& r, const TissueTheta& theta) const;

  const CholmodSolver& solver() const { return solver_; }
  int refresh_count() const { return refreshes_; }

 private:
  double scale_to(const TissueTheta& theta) const;

  const CompiledScene& scene_;
  CholmodSolver solver_;
  TissueTheta theta_;
  int refreshes_ = 0;
};

}  // namespace furrow
