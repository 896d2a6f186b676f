// The 9 x 9 tangent as a sum of rank-one modes, and its projection to positive semi-definite.
#include <utility>

#include "forward/material/skin.h"
#include "forward/material/skin_terms.h"
#include "forward/material/spectral_jacobi.h"

namespace furrow {
namespace skin_detail {
namespace {

using Vector9 = std::array<Pack, 9>;

/// Columns i of U and j of W: the direction u_i w_j^T.
Vector9 dyad(const SkinTerm& term, int i, int j) {
  Vector9 d;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) d[3 * r + c] = term.spectral.U.m[r][i] * term.W.m[c][j];
  return d;
}

/// sum of left right^T over the nine modes of a term.
struct Modes {
  Vector9 left[9], right[9];
};

/// A = sum_i d_ii (sum_j h_ij d_jj)^T + sum_pairs a/2 (d_ij + d_ji)(..)^T + b/2 (d_ij - d_ji)(..)^T
Modes modes_of(const SkinTerm& term, const FrameTangent& t) {
  Modes modes;
  for (int k = 0; k < 3; ++k) modes.left[k] = dyad(term, k, k);
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Vector9 ij = dyad(term, i, j), ji = dyad(term, j, i);
    const Pack half_a = 0.5 * t.a[k], half_b = 0.5 * t.b[k];
    for (int r = 0; r < 9; ++r) {
      modes.right[k][r] =
          t.diagonal[k] * modes.left[k][r] + t.off[j] * modes.left[i][r] + t.off[i] * modes.left[j][r];
      modes.left[3 + k][r] = ij[r] + ji[r];
      modes.left[6 + k][r] = ij[r] - ji[r];
      modes.right[3 + k][r] = half_a * modes.left[3 + k][r];
      modes.right[6 + k][r] = half_b * modes.left[6 + k][r];
    }
  }
  return modes;
}

template <int Row>
void add_row(std::array<Pack, kTangentSize>& A, const Modes& modes) {
  Pack sum[9 - Row];
  for (int c = Row; c < 9; ++c) sum[c - Row] = A[tangent_index(Row, c)];
  for (int m = 0; m < 9; ++m)
    for (int c = Row; c < 9; ++c) sum[c - Row] += modes.left[m][Row] * modes.right[m][c];
  for (int c = Row; c < 9; ++c) A[tangent_index(Row, c)] = sum[c - Row];
}
template <int... Row>
void add_rows(std::array<Pack, kTangentSize>& A, const Modes& modes, std::integer_sequence<int, Row...>) {
  (add_row<Row>(A, modes), ...);
}

/// Q max(lambda, 0) Q^T of the diagonal block.
void project_block(FrameTangent& t, const SymmetricFrame& eigen) {
  Pack kept[3];
  for (int k = 0; k < 3; ++k) kept[k] = pack_max(eigen.matrix.diagonal[k], Pack{});
  const PackMat3 projected = compose(eigen.Q, kept, eigen.Q);
  for (int k = 0; k < 3; ++k) {
    t.diagonal[k] = projected.m[k][k];
    t.off[k] = projected.m[(k + 1) % 3][(k + 2) % 3];
    t.a[k] = pack_max(t.a[k], Pack{});
    t.b[k] = pack_max(t.b[k], Pack{});
  }
}

template <int N>
void project(FrameTangent* t) {
  SymmetricFrame eigen[N];
  for (int n = 0; n < N; ++n)
    for (int k = 0; k < 3; ++k) {
      eigen[n].matrix.diagonal[k] = t[n].diagonal[k];
      eigen[n].matrix.off[k] = t[n].off[k];
    }
  diagonalise(eigen);
  for (int n = 0; n < N; ++n) project_block(t[n], eigen[n]);
}

}  // namespace
}  // namespace skin_detail

SkinTangent skin_tangent(const SkinPoint& point, const SkinModuli& moduli, bool projected) {
  using namespace skin_detail;
  const SkinTerms terms = skin_terms(point, moduli);
  SkinTangent result{stress_of(terms, moduli), {}};
  FrameTangent tangents[1 + kMaxBranches];
  for (int k = 0; k < terms.count; ++k) tangents[k] = frame_tangent(terms.term[k]);
  if (projected) {
    int k = 0;
    for (; k + 1 < terms.count; k += 2) project<2>(tangents + k);
    if (k < terms.count) project<1>(tangents + k);
  }
  for (int k = 0; k < terms.count; ++k)
    add_rows(result.A, modes_of(terms.term[k], tangents[k]), std::make_integer_sequence<int, 9>{});
  return result;
}

}  // namespace furrow
