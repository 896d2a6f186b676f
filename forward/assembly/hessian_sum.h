// A symmetric matrix over the free dofs that potentials add their element blocks to.
#pragma once

#include <vector>

#include "forward/assembly/sparsity.h"

namespace furrow {

class HessianSum {
 public:
  HessianSum(const Elements& elements, const DofMap& dofs, const SymmetricPattern& pattern)
      : elements_(elements), dofs_(dofs), pattern_(pattern), values_(pattern.row.size(), 0.0) {}

  void clear() { std::fill(values_.begin(), values_.end(), 0.0); }
  const std::vector<double>& values() const { return values_; }
  std::vector<double>& values() { return values_; }

  /// Adds the symmetric matrix `k` (3 m x 3 m, both triangles filled; row i m + a is component i of node a)
  /// of the element's local nodes first .. first + m - 1. Not safe for two elements that share nodes at the
  /// same time (ElementChunks).
  void add(int element, int first, const Eigen::Ref<const MatrixXd>& k);

 private:
  const Elements& elements_;
  const DofMap& dofs_;
  const SymmetricPattern& pattern_;
  std::vector<double> values_;
};

}  // namespace furrow
