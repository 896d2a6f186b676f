// The linearisation of equilibria r(x, X, theta) = 0: solves with the exact tangent K = dr/dx by conjugate
// gradients on the frozen factor. K is never projected; where it is indefinite (a saddle, a bifurcation) the
// derivative is refused.
#pragma once

#include <stdexcept>
#include <vector>

#include "forward/compiled_scene.h"
#include "forward/solve/frozen_factor.h"
#include "forward/solve/krylov.h"

namespace furrow {

/// There is no derivative here; what() says why.
class NoDerivative : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LinearizedEquilibria {
 public:
  /// All poses of one body; `x`: one n x 3 a pose, kept by reference.
  LinearizedEquilibria(const CompiledScene&, const TissueTheta&, const Positions& X,
                       const std::vector<Positions>& x, const FrozenFactor&, const KrylovOptions&);

  /// K_p^-1 b_p for every pose, the columns of all poses in lockstep; throws NoDerivative.
  std::vector<MatrixXd> solve(const std::vector<MatrixXd>& b) const;

 private:
  struct Column {
    int pose, index;
  };
  MatrixXd multiply(const MatrixXd& v, const std::vector<Column>& columns) const;

  const CompiledScene& scene_;
  TissueTheta theta_;
  ElementModuli moduli_;
  const Positions& X_;
  const std::vector<Positions>& x_;
  const FrozenFactor& factor_;
  KrylovOptions options_;
  mutable std::vector<std::vector<double>>
      K_;  ///< per pose; made when there are many columns, else products are matrix-free
};

/// The linearisation by the rest shape, D = dr/dX: unsymmetric, GMRES on the frozen factor (D is close to
/// -K).
class LinearizedRestShape {
 public:
  LinearizedRestShape(const CompiledScene&, const TissueTheta&, const Positions& X, const Positions& x,
                      const Vec3& gravity, const FrozenFactor&, const KrylovOptions&);

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
