// Krylov methods for many right-hand sides in lockstep: each column iterates on its own, but the
// preconditioner (a frozen Cholesky factor) is applied to all of them at once.
#pragma once

#include <functional>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

/// Applies an operator to some columns at once; `columns` says which of the problem's right-hand sides they
/// belong to, so that every right-hand side may have a matrix of its own.
using BlockOperator = std::function<MatrixXd(const MatrixXd&, const std::vector<int>& columns)>;

struct KrylovOptions {
  double tolerance = 1e-12;  ///< |b - A x| over |b|, per column
  int max_iterations = 300;
};

struct KrylovResult {
  MatrixXd x;
  int iterations = 0;
  double residual = 0;  ///< largest relative residual reached (true residual for GMRES and CG alike)
  bool converged = false;
  bool indefinite = false;  ///< CG met a direction with p'Ap <= 0
};

/// Preconditioned conjugate gradients; A and M symmetric positive definite.
KrylovResult conjugate_gradients(const BlockOperator& A, const BlockOperator& M_inverse, const MatrixXd& b,
                                 const KrylovOptions&);
/// GMRES without restart, right-preconditioned; A any matrix.
KrylovResult gmres(const BlockOperator& A, const BlockOperator& M_inverse, const MatrixXd& b,
                   const KrylovOptions&);

}  // namespace furrow
