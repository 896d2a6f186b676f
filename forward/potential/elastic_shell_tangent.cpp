// The tangent of one element from the tangents of its points.
#include "forward/potential/elastic_shell_data.h"

namespace furrow {

ElementTangent::ElementTangent(const RuleTable& rule, PrismOrder order, bool sum_factorisation)
    : rule_(rule),
      order_(order),
      tensor_(sum_factorisation && rule.tensor.has_value()),
      d_(static_cast<std::size_t>(rule.packs) * kLanes * 81),
      k_(3 * order.nodes(), 3 * order.nodes()) {}

/// D_{i alpha, j beta} = w sum_mn J_alpha m A_{im, jn} J_beta n.
void ElementTangent::take(int pack, const std::array<Pack, kTangentSize>& A, const PackGeometry& geometry) {
  Pack half[9][9];  // A J^T over the second index pair
  for (int row = 0; row < 9; ++row)
    for (int j = 0; j < 3; ++j) {
      const Pack a0 = A[tangent_index(row, 3 * j)], a1 = A[tangent_index(row, 3 * j + 1)],
                 a2 = A[tangent_index(row, 3 * j + 2)];
      for (int beta = 0; beta < 3; ++beta)
        half[row][3 * j + beta] = a0 * geometry.inverse.m[beta][0] + a1 * geometry.inverse.m[beta][1] +
                                  a2 * geometry.inverse.m[beta][2];
    }
  double* out = d_.data() + static_cast<std::size_t>(pack) * kLanes * 81;
  for (int i = 0; i < 3; ++i)
    for (int alpha = 0; alpha < 3; ++alpha) {
      const Pack j0 = geometry.weight * geometry.inverse.m[alpha][0],
                 j1 = geometry.weight * geometry.inverse.m[alpha][1],
                 j2 = geometry.weight * geometry.inverse.m[alpha][2];
      for (int column = 0; column < 9; ++column) {
        const Pack d = j0 * half[3 * i][column] + j1 * half[3 * i + 1][column] + j2 * half[3 * i + 2][column];
        for (int l = 0; l < kLanes; ++l) out[81 * l + 9 * (3 * i + alpha) + column] = d[l];
      }
    }
}

const MatrixXd& ElementTangent::finish() {
  if (tensor_)
    finish_tensor();
  else
    finish_plain();
  return k_;
}

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Component pairs (i, j): the six of a symmetric matrix first, then the other three.
constexpr int kPairs[9][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}, {1, 0}, {2, 0}, {2, 1}};
constexpr int kSymmetricPairs = 6;

/// Rows (point, alpha), columns (pair, b): sum_beta D_{i alpha, j beta} dN_b/dbeta, for the first `pairs`
/// pairs.
void right_factor_rows(const double* D, const MatrixXd& gradient, int column, int nodes, int pairs,
                       double* row0, std::ptrdiff_t stride) {
  const double *gu = gradient.col(column).data(), *gv = gradient.col(column + 1).data(),
               *gw = gradient.col(column + 2).data();
  for (int alpha = 0; alpha < 3; ++alpha) {
    double* out = row0 + alpha * stride;
    for (int pair = 0; pair < pairs; ++pair, out += nodes) {
      const double* d = D + 9 * (3 * kPairs[pair][0] + alpha) + 3 * kPairs[pair][1];
      for (int b = 0; b < nodes; ++b) out[b] = d[0] * gu[b] + d[1] * gv[b] + d[2] * gw[b];
    }
  }
}

}  // namespace

/// For every pair of thickness functions (c, d): A_t = sum_s m_c m_d D (through the thickness), then
/// K_{(a c i)(b d j)} = sum_t sum_alpha psi_a alpha (sum_beta A_t psi_b beta) (in the plane).
void ElementTangent::finish_tensor() {
  const TensorTable& tensor = *rule_.tensor;
  const int face = order_.face_nodes(), thickness = order_.thickness + 1, nodes = order_.nodes();
  RowMajor right(3 * tensor.triangle_points, 9 * face);
  MatrixXd product(face, 9 * face);
  std::array<double, 81> A;
  for (int c = 0; c < thickness; ++c)
    for (int d = c; d < thickness; ++d) {
      const int pairs = c == d ? kSymmetricPairs : 9;
      for (int t = 0; t < tensor.triangle_points; ++t) {
        A.fill(0);
        for (int s = 0; s < tensor.levels; ++s) {
          const double* D = d_.data() + 81 * static_cast<std::size_t>(tensor.point[t * tensor.levels + s]);
          const double* m = tensor.coefficient.data() + ((s * thickness + c) * thickness + d) * 81;
          for (int k = 0; k < 81; ++k) A[k] += m[k] * D[k];
        }
        right_factor_rows(A.data(), tensor.psi, 3 * t, face, pairs, right.row(3 * t).data(), right.cols());
      }
      product.leftCols(pairs * face).noalias() = tensor.psi * right.leftCols(pairs * face);
      for (int pair = 0; pair < pairs; ++pair) {
        const int row = kPairs[pair][0] * nodes + c * face, column = kPairs[pair][1] * nodes + d * face;
        const auto block = product.middleCols(pair * face, face);
        k_.block(row, column, face, face) = block;
        if (row != column) k_.block(column, row, face, face) = block.transpose();
      }
    }
}

void ElementTangent::finish_plain() {
  constexpr int kBlock = 32;  // points at a time: the right factor stays in cache
  const int nodes = rule_.nodes;
  RowMajor right(3 * kBlock, kSymmetricPairs * nodes);
  MatrixXd product = MatrixXd::Zero(nodes, kSymmetricPairs * nodes);
  for (int first = 0; first < rule_.points; first += kBlock) {
    const int count = std::min(kBlock, rule_.points - first);
    for (int p = 0; p < count; ++p)
      right_factor_rows(d_.data() + 81 * static_cast<std::size_t>(first + p), rule_.gradient_columns,
                        3 * (first + p), nodes, kSymmetricPairs, right.row(3 * p).data(), right.cols());
    product.noalias() += rule_.gradient_columns.middleCols(3 * first, 3 * count) * right.topRows(3 * count);
  }
  for (int pair = 0; pair < kSymmetricPairs; ++pair) {
    const int row = kPairs[pair][0] * nodes, column = kPairs[pair][1] * nodes;
    const auto block = product.middleCols(pair * nodes, nodes);
    k_.block(row, column, nodes, nodes) = block;
    if (row != column) k_.block(column, row, nodes, nodes) = block.transpose();
  }
}

}  // namespace furrow
