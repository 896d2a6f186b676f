// Sparse Cholesky of a symmetric positive definite matrix: CHOLMOD, supernodal, METIS on the node graph,
// OpenBLAS on one thread (so that results have the same digits for any number of threads). The only place
// that includes CHOLMOD is cholmod_solver.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forward/assembly/sparsity.h"
#include "forward/base/types.h"

namespace furrow {

class CholmodSolver {
 public:
  /// Analyses the pattern (ordering and symbolic factor). Throws std::runtime_error when memory runs out.
  CholmodSolver(const SymmetricPattern& pattern, const DofMap& dofs);
  ~CholmodSolver();
  CholmodSolver(const CholmodSolver&) = delete;
  CholmodSolver& operator=(const CholmodSolver&) = delete;

  /// False when the matrix is not positive definite (the factor is then unusable).
  bool factorize(const std::vector<double>& values);
  bool factorized() const;

  /// A^-1 b for every column, in fixed groups of columns that run in parallel.
  MatrixXd solve(const MatrixXd& b) const;

  double factor_megabytes() const;
  double factor_gigaflops() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Name of the BLAS behind CHOLMOD in this process ("OpenBLAS 0.3.21 ..."), or "unknown (not OpenBLAS): ...":
/// the reference BLAS is about seven times slower.
std::string blas_description();
bool blas_is_openblas();

}  // namespace furrow
