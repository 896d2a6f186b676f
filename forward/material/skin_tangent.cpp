// The 9 x 9 tangent from its sparse form in the frame of the singular vectors, and its projection to positive
// semi-definite.
#include "forward/material/skin.h"
#include "forward/material/skin_terms.h"
#include "forward/material/spectral_jacobi.h"

namespace furrow {
namespace skin_detail {
namespace {

/// Rows of the tangent's 3 x 3 blocks (row r of dP, row s of dF) of one term: W X W^T with
///   X_jj = U_rj U_sj h_jj + sum_{i != j} U_ri U_si (a_ij + b_ij)/2
///   X_jl = U_rj U_sl h_jl + U_rl U_sj (a_jl - b_jl)/2
template <int R, int S>
inline void add_block(const SkinTerm& term, const FrameTangent& t, PackMat3& block) {
  const auto &u = term.spectral.U.m[R], &v = term.spectral.U.m[S];
  PackMat3 X;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Pack difference = 0.5 * (t.a[k] - t.b[k]), ij = u[i] * v[j], ji = u[j] * v[i];
    X.m[i][j] = ij * t.off[k] + ji * difference;
    X.m[j][i] = ji * t.off[k] + ij * difference;
    X.m[k][k] = u[k] * v[k] * t.diagonal[k] + 0.5 * (u[i] * v[i] * (t.a[j] + t.b[j])) +
                0.5 * (u[j] * v[j] * (t.a[i] + t.b[i]));
  }
  const PackMat3 WX = term.W * X;
  for (int r = 0; r < 3; ++r)
    for (int c = R == S ? r : 0; c < 3; ++c)
      block.m[r][c] +=
          WX.m[r][0] * term.W.m[c][0] + WX.m[r][1] * term.W.m[c][1] + WX.m[r][2] * term.W.m[c][2];
}

template <int R, int S>
inline void set_block(const SkinTerms& terms, const FrameTangent* tangents,
                      std::array<Pack, kTangentSize>& A) {
  PackMat3 block{};
  for (int k = 0; k < terms.count; ++k) add_block<R, S>(terms.term[k], tangents[k], block);
  for (int r = 0; r < 3; ++r)
    for (int c = R == S ? r : 0; c < 3; ++c) A[tangent_index(3 * R + r, 3 * S + c)] = block.m[r][c];
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
  FrameTangent tangents[1 + kMaxBranches];
  for (int k = 0; k < terms.count; ++k) tangents[k] = frame_tangent(terms.term[k]);
  if (projected) {
    int k = 0;
    for (; k + 1 < terms.count; k += 2) project<2>(tangents + k);
    if (k < terms.count) project<1>(tangents + k);
  }
  SkinTangent result;
  static_cast<SkinStress&>(result) = stress_of(terms, moduli);
  set_block<0, 0>(terms, tangents, result.A);
  set_block<0, 1>(terms, tangents, result.A);
  set_block<0, 2>(terms, tangents, result.A);
  set_block<1, 1>(terms, tangents, result.A);
  set_block<1, 2>(terms, tangents, result.A);
  set_block<2, 2>(terms, tangents, result.A);
  return result;
}

}  // namespace furrow
