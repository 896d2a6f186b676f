// The linearisation of one equilibrium r(x, X, theta) = 0: solves with the exact tangent K = dr/dx by conjugate gradients on the
// frozen factor. K is never projected; where it is indefinite (a saddle, a bifurcation) the derivative is refused.
#pragma once

#include <stdexcept>

#include "forward/compiled_scene.h"
#include "forward/solve/frozen_factor.h"
#include "forward/solve/krylov.h"

namespace furrow {

/// There is no derivative here; what() says why.
class NoDerivative : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LinearizedEquilibrium {
 public:
  LinearizedEquilibrium(const CompiledScene&, const TissueTheta&, const Positions& X, const Positions& x, const FrozenFactor&,
                        const KrylovOptions&);

  MatrixXd solve(const MatrixXd& b) const;  ///< K^-1 b; throws NoDerivative
  int iterations() const { return iterations_; }

 private:
  const CompiledScene& scene_;
  TissueTheta theta_;
  const FrozenFactor& factor_;
  KrylovOptions options_;
  std::vector<double> K_;
  mutable int iterations_ = 0;
};

/// The linearisation by the rest shape, D = dr/dX: unsymmetric, GMRES on the frozen factor (D is close to -K).
class LinearizedRestShape {
 public:
  LinearizedRestShape(const CompiledScene&, const TissueTheta&, const Positions& X, const Positions& x, const Vec3& gravity,
                      const FrozenFactor&, const KrylovOptions&);

  MatrixXd solve(const MatrixXd& b) const;             ///< D^-1 b
  MatrixXd solve_transposed(const MatrixXd& b) const;  ///< D^-T b
  MatrixXd multiply(const MatrixXd& b) const;
  MatrixXd multiply_transposed(const MatrixXd& b) const;

 private:
  MatrixXd iterate(const MatrixXd& b, bool transposed) const;

  const CompiledScene& scene_;
  TissueTheta theta_;
  const FrozenFactor& factor_;
  KrylovOptions options_;
  std::vector<double> D_;
};

}  // namespace furrow
