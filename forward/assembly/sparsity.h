// Which node couples with which, and where an element's 3 x 3 blocks go: computed once per mesh, then
// assembly only adds numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

/// Free degrees of freedom: dof[3 node + component], -1 where fixed; free ones are numbered by node, then
/// component.
struct DofMap {
  std::vector<int> dof;
  int free_count = 0;

  /// `fixed`: nodes x 3.
  static DofMap from_fixed(const Eigen::Matrix<bool, Eigen::Dynamic, 3, Eigen::RowMajor>& fixed);

  VectorXd gather(const Positions& full) const;  ///< free entries of an n x 3 field
  void scatter(const Eigen::Ref<const VectorXd>& free, Positions& full) const;  ///< writes the free entries
  Positions spread(const Eigen::Ref<const VectorXd>& free) const;               ///< zero elsewhere
};

/// Lower triangle, column-compressed, of a symmetric matrix over the free dofs.
struct SymmetricPattern {
  int size = 0;
  std::vector<int> column_start, row;  ///< CSC, rows ascending, diagonal first
  /// Per element and node pair a >= b in the order (0,0) (1,0) (1,1) (2,0) ...: offset of the block's first
  /// row inside the columns of the node with the smaller number.
  std::vector<int> block_offset;
  std::vector<int> node_start,
      node_neighbour;  ///< node graph (neighbours with a larger or equal number), CSR
};
SymmetricPattern make_symmetric_pattern(const Elements& elements, int node_count, const DofMap& dofs);

/// Row-compressed pattern of an unsymmetric matrix over free dofs x free dofs, with the place of every
/// element block.
struct GeneralPattern {
  int size = 0;
  std::vector<int> row_start, column;
  std::vector<int> block_offset;  ///< per element and node pair (a, b), a-major: offset of the block's first
                                  ///< column inside a's rows
};
GeneralPattern make_general_pattern(const Elements& elements, int node_count, const DofMap& dofs);

/// y = A x for every column of x; A symmetric, its lower triangle given.
MatrixXd multiply_symmetric(const SymmetricPattern& pattern, const std::vector<double>& values,
                            const MatrixXd& x);
/// y = A x, y = A' x.
MatrixXd multiply_general(const GeneralPattern& pattern, const std::vector<double>& values,
                          const MatrixXd& x);
MatrixXd multiply_general_transposed(const GeneralPattern& pattern, const std::vector<double>& values,
                                     const MatrixXd& x);

}  // namespace furrow
