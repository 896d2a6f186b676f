// The skin's energy as a sum of spectral terms psi(F M), shared by its stress, tangent and derivatives.
//
//   steady: M = G,  isochoric Fung-Hencky and the volumetric energy of J = det F
//   branch: M = Fv^-1,  m q
//
// With F M = U diag(s) V^T and W = M V:  P = U diag(p) W^T,  and in the frame of U and W a change B = U^T dF
// W has  dp_ii = sum_j h_ij B_jj,  dp_ij = (a + b)/2 B_ij + (a - b)/2 B_ji  (THEORY 5).
#pragma once

#include "forward/material/skin.h"
#include "forward/material/spectral.h"

namespace furrow::skin_detail {

inline constexpr double kLargestExponent = 50;  ///< of exp(C q)

/// c = dpsi/dq * 2 and its growth, with the volumetric part v1 = J vol'(J), v2 = J^2 vol''(J).
struct TermResponse {
  Pack c;       ///< 2 mu exp(C q)
  Pack growth;  ///< 4 C mu exp(C q)
  Pack v1{}, v2{};
};

struct SkinTerm {
  Spectral spectral;
  PackMat3 M;  ///< G or Fv^-1
  PackMat3 W;  ///< M V
  TermResponse response;
};

struct Volume {
  Pack energy, v1, v2;
};

/// What does not depend on the moduli.
struct SkinTerms {
  PackMask refused;  ///< lanes computed as if undeformed: J <= 0, C q > 50 or not finite
  Pack j;            ///< det F; -1 in refused lanes
  Volume unit;       ///< volumetric energy for K = 1
  Pack exp_minus_1;  ///< expm1(C q)
  int count = 0;     ///< 1 + branches
  std::array<SkinTerm, 1 + kMaxBranches> term;
};

SkinTerms skin_terms(const SkinPoint&, const SkinModuli&);
SkinStress stress_of(const SkinTerms&, const SkinModuli&);

/// F Fv^-1 - I = (F - Fv) Fv^-1, without cancellation when both are near I.
struct ElasticPart {
  PackMask refused;  ///< det F or det Fv not positive, or not finite: there the offset is 0 and Fv^-1 = I
  PackMat3 fv_inverse, offset;
};
ElasticPart elastic_part(const PackMat3& F, const PackMat3& fv);

/// A^T B.
inline PackMat3 transposed_times(const PackMat3& a, const PackMat3& b) {
  PackMat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      c.m[i][j] = a.m[0][i] * b.m[0][j] + a.m[1][i] * b.m[1][j] + a.m[2][i] * b.m[2][j];
  return c;
}
/// A B^T.
inline PackMat3 times_transposed(const PackMat3& a, const PackMat3& b) {
  PackMat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      c.m[i][j] = a.m[i][0] * b.m[j][0] + a.m[i][1] * b.m[j][1] + a.m[i][2] * b.m[j][2];
  return c;
}
/// U diag(p) W^T.
inline PackMat3 compose(const PackMat3& U, const Pack (&p)[3], const PackMat3& W) {
  PackMat3 scaled;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) scaled.m[i][k] = U.m[i][k] * p[k];
  return times_transposed(scaled, W);
}
/// U^T X W and its way back, U B W^T.
inline PackMat3 into_frame(const PackMat3& U, const PackMat3& X, const PackMat3& W) {
  return transposed_times(U, X * W);
}
inline PackMat3 out_of_frame(const PackMat3& U, const PackMat3& B, const PackMat3& W) {
  return U * times_transposed(B, W);
}

/// U diag(p) V^T, before M: p_i = (c e_i + v1) / s_i.
inline PackMat3 frame_stress(const SkinTerm& term, const PackMat3& right) {
  Pack p[3];
  for (int i = 0; i < 3; ++i)
    p[i] = (term.response.c * term.spectral.e[i] + term.response.v1) / term.spectral.s[i];
  return compose(term.spectral.U, p, right);
}

/// The tangent in the frame; off, a and b by the index other than the pair's.
struct FrameTangent {
  Pack diagonal[3], off[3];  ///< h
  Pack a[3], b[3];           ///< symmetric and antisymmetric mode of a pair
};

/// h_ii = [growth e_i^2 + c (2/3 - e_i) + v2] / s_i^2
/// h_ij = [growth e_i e_j - c/3 + v2 + v1] / (s_i s_j)
/// a    = [c (g + e_k/2) - v1] / (s_i s_j)                      e_i + e_j = -e_k
/// b    = [-c (e_k + z (e_i - e_j))/2 + v1] / (s_i s_j)
inline FrameTangent frame_tangent(const SkinTerm& term) {
  const TermResponse& r = term.response;
  const Spectral& x = term.spectral;
  Pack inverse[3];
  for (int i = 0; i < 3; ++i) inverse[i] = 1.0 / x.s[i];
  FrameTangent t;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Pack scale = inverse[i] * inverse[j];
    const SpectralPair pair = spectral_pair(x, k);
    t.diagonal[k] =
        (r.growth * x.e[k] * x.e[k] + r.c * (2.0 / 3 - x.e[k]) + r.v2) * (inverse[k] * inverse[k]);
    t.off[k] = (r.growth * x.e[i] * x.e[j] - r.c * (1.0 / 3) + r.v2 + r.v1) * scale;
    t.a[k] = (r.c * (pair.g + 0.5 * x.e[k]) - r.v1) * scale;
    t.b[k] = (r.v1 - 0.5 * r.c * (x.e[k] + pair.z * (x.e[i] - x.e[j]))) * scale;
  }
  return t;
}

/// dp for B.
inline PackMat3 apply(const FrameTangent& t, const PackMat3& B) {
  PackMat3 dp;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    dp.m[k][k] = t.diagonal[k] * B.m[k][k] + t.off[j] * B.m[i][i] + t.off[i] * B.m[j][j];
    const Pack sum = 0.5 * (t.a[k] + t.b[k]), difference = 0.5 * (t.a[k] - t.b[k]);
    dp.m[i][j] = sum * B.m[i][j] + difference * B.m[j][i];
    dp.m[j][i] = sum * B.m[j][i] + difference * B.m[i][j];
  }
  return dp;
}

}  // namespace furrow::skin_detail
