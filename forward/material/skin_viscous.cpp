// The viscous update Fv' = R Fv,  R = V diag(w) V^T,  w_i = exp(beta e_i),  beta = 1 - alpha, as a function
// of C = A^T A = V diag(s^2) V^T, A = F Fv^-1 (THEORY 6), and its derivative (Daleckii-Krein):
//
//   B = U^T dA V,   V^T dC V = s_i B_ij + s_j B_ji
//   (V^T dR V)_ii = w_i [beta (B_ii/s_i - mean_k B_kk/s_k) - dalpha e_i]
//   (V^T dR V)_ij = K_ij (s_i B_ij + s_j B_ji),   K_ij = (w_i - w_j) / (s_i^2 - s_j^2)
//                 = sqrt(w_i w_j) / (s_i s_j)  beta/2  shc(beta delta/2) / shc(delta)
//
// with delta = ln s_i - ln s_j and shc x = sinh(x)/x, smooth and even, so that equal stretches are no
// exception.
#include "forward/material/skin.h"
#include "forward/material/skin_terms.h"

namespace furrow {
using namespace skin_detail;
namespace {

struct Relaxation {
  PackMat3 N;  ///< Fv^-1
  Spectral a;  ///< of F Fv^-1
  Pack beta;
  Pack w_minus_1[3], w[3];
  PackMat3 R;
};

Relaxation relaxation(const PackMat3& F, const PackMat3& fv, Pack alpha) {
  Relaxation r;
  const ElasticPart part = elastic_part(F, fv);
  r.N = part.fv_inverse;
  r.a = decompose(part.offset);
  r.beta = 1.0 - alpha;
  for (int i = 0; i < 3; ++i) {
    r.w_minus_1[i] = pack_expm1(r.beta * r.a.e[i]);
    r.w[i] = 1.0 + r.w_minus_1[i];
  }
  r.R = compose(r.a.V, r.w, r.a.V);
  return r;
}

/// sinh(x)/x: its series within 1, else (exp x - exp -x)/(2 x).
Pack shc(Pack x) {
  static constexpr double kSeries[] = {1.0,
                                       1.0 / 6,
                                       1.0 / 120,
                                       1.0 / 5040,
                                       1.0 / 362880,
                                       1.0 / 39916800,
                                       1.0 / 6227020800.0,
                                       1.0 / 1307674368000.0,
                                       1.0 / 355687428096000.0,
                                       1.0 / 121645100408832000.0};
  const Pack x2 = x * x, series = pack_detail::polynomial(x2, kSeries);
  const PackMask small = x2 <= 1.0;
  if (!pack_any(~small)) return series;
  const Pack safe = pack_select(small, Pack{} + 1.0, x), grown = pack_exp(safe);
  return pack_select(small, series, (grown - 1.0 / grown) / (2.0 * safe));
}

/// K_ij, by the third index.
struct DividedDifferences {
  Pack k[3];
};
DividedDifferences divided_differences(const Relaxation& r) {
  DividedDifferences d;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Pack delta = r.a.log_s[i] - r.a.log_s[j], half_beta = 0.5 * r.beta;
    d.k[k] =
        pack_sqrt(r.w[i] * r.w[j]) / (r.a.s[i] * r.a.s[j]) * half_beta * shc(half_beta * delta) / shc(delta);
  }
  return d;
}

PackMat3 elastic_deformation(const Relaxation& r) {
  return compose(r.a.U, r.a.s, r.a.V);
}

}  // namespace

PackMat3 viscous_update(const PackMat3& F, const PackMat3& fv, Pack alpha) {
  const Relaxation r = relaxation(F, fv, alpha);
  return fv + compose(r.a.V, r.w_minus_1, r.a.V) * fv;
}

PackMat3 viscous_update_increment(const PackMat3& F, const PackMat3& fv, Pack alpha, const PackMat3& dF,
                                  const PackMat3& dFv, Pack dalpha) {
  const Relaxation r = relaxation(F, fv, alpha);
  const DividedDifferences d = divided_differences(r);
  const PackMat3 dA = (dF - elastic_deformation(r) * dFv) * r.N;
  const PackMat3 B = into_frame(r.a.U, dA, r.a.V);
  Pack rate[3], mean{};
  for (int i = 0; i < 3; ++i) {
    rate[i] = B.m[i][i] / r.a.s[i];
    mean += rate[i] * (1.0 / 3);
  }
  PackMat3 D;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    D.m[k][k] = r.w[k] * (r.beta * (rate[k] - mean) - dalpha * r.a.e[k]);
    D.m[i][j] = D.m[j][i] = d.k[k] * (r.a.s[i] * B.m[i][j] + r.a.s[j] * B.m[j][i]);
  }
  return out_of_frame(r.a.V, D, r.a.V) * fv + r.R * dFv;
}

/// With S = V^T (bar Fv^T) V: Bbar_ii = beta (w_i S_ii - mean_k w_k S_kk)/s_i, Bbar_ij = K_ij s_i (S_ij +
/// S_ji), Abar = U Bbar V^T, Fbar = Abar Fv^-T, Fvbar = R bar - A^T Fbar, alphabar = -sum_i w_i e_i S_ii.
ViscousPullback viscous_update_transposed(const PackMat3& F, const PackMat3& fv, Pack alpha,
                                          const PackMat3& bar) {
  const Relaxation r = relaxation(F, fv, alpha);
  const DividedDifferences d = divided_differences(r);
  const PackMat3 S = into_frame(r.a.V, times_transposed(bar, fv), r.a.V);
  Pack mean{}, alpha_bar{};
  for (int i = 0; i < 3; ++i) {
    mean += r.w[i] * S.m[i][i] * (1.0 / 3);
    alpha_bar -= r.w[i] * r.a.e[i] * S.m[i][i];
  }
  PackMat3 B;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Pack sum = d.k[k] * (S.m[i][j] + S.m[j][i]);
    B.m[k][k] = r.beta * (r.w[k] * S.m[k][k] - mean) / r.a.s[k];
    B.m[i][j] = r.a.s[i] * sum;
    B.m[j][i] = r.a.s[j] * sum;
  }
  ViscousPullback pullback;
  pullback.F = times_transposed(out_of_frame(r.a.U, B, r.a.V), r.N);
  pullback.fv = r.R * bar - transposed_times(elastic_deformation(r), pullback.F);
  pullback.alpha = alpha_bar;
  return pullback;
}

}  // namespace furrow
