// One Cholesky factor that serves all poses and iterations as preconditioner: K at the undeformed reference (F = I) with the
// stiffnesses theta it was made for. A multiple of all stiffnesses is taken into account exactly; other changes cost iterations.
#pragma once

#include <memory>

#include "forward/compiled_scene.h"
#include "forward/solve/cholmod_solver.h"

namespace furrow {

class FrozenFactor {
 public:
  explicit FrozenFactor(const CompiledScene& scene);

  /// Factorises at theta; K(F = I) is positive definite for every admissible theta, so a failure throws std::runtime_error.
  void refresh(const TissueTheta& theta);
  bool ready() const { return solver_.factorized(); }
  const TissueTheta& theta() const { return theta_; }

  /// Largest over smallest ratio of the clusters' stiffness to the factor's (and of their effect on K): 1 = the same up to a scale.
  double contrast_to(const TissueTheta& theta) const;
  /// Refreshes when the contrast passes the limit at which the extra iterations cost more than a factorisation. The rule uses flop
  /// counts, never clocks, so that runs repeat. True when it did.
  bool refresh_if_stale(const TissueTheta& theta);

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
