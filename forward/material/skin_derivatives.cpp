// Derivatives of the stress by deformation, moduli, history and prestretch: the product rule over P = P_A
// M^T, A = F M, with the symmetric map T = dP_A/dA.
#include "forward/material/skin.h"
#include "forward/material/skin_terms.h"

namespace furrow {
using namespace skin_detail;
namespace {

/// T[X] of one term.
PackMat3 tangent_of(const SkinTerm& term, const FrameTangent& t, const PackMat3& X) {
  const PackMat3 &U = term.spectral.U, &V = term.spectral.V;
  return out_of_frame(U, apply(t, into_frame(U, X, V)), V);
}

/// U diag(e/s) W^T.
PackMat3 strain_direction(const SkinTerm& term) {
  Pack p[3];
  for (int i = 0; i < 3; ++i) p[i] = term.spectral.e[i] / term.spectral.s[i];
  return compose(term.spectral.U, p, term.W);
}

/// The steady term without the volumetric part, which does not see G.
SkinTerm isochoric(const SkinTerm& steady) {
  SkinTerm term = steady;
  term.response.v1 = term.response.v2 = Pack{};
  return term;
}

PackMat3 deformation_of(const SkinTerm& term) {
  return compose(term.spectral.U, term.spectral.s, term.spectral.V);
}

}  // namespace

PackMat3 skin_stress_increment(const SkinPoint& point, const SkinModuli& moduli, const PackMat3& dF) {
  const SkinTerms terms = skin_terms(point, moduli);
  PackMat3 dP{};
  for (int k = 0; k < terms.count; ++k) {
    const SkinTerm& term = terms.term[k];
    const PackMat3& U = term.spectral.U;
    dP = dP + out_of_frame(U, apply(frame_tangent(term), into_frame(U, dF, term.W)), term.W);
  }
  return dP;
}

/// dP/dmu = 2 exp(C q) N,  dP/dC = q c N,  dP/dK = vol' cof F = U (v1 / s) W^T,  dP/dm = 2 N;  N = U (e/s)
/// W^T
SkinModuliDerivative skin_stress_by_moduli(const SkinPoint& point, const SkinModuli& moduli) {
  const SkinTerms terms = skin_terms(point, moduli);
  const SkinTerm& steady = terms.term[0];
  const PackMat3 direction = strain_direction(steady);
  SkinModuliDerivative d{};
  d.mu_inf = 2.0 * (1.0 + terms.exp_minus_1) * direction;
  d.stiffening = steady.spectral.q * steady.response.c * direction;
  Pack p[3];
  for (int i = 0; i < 3; ++i) p[i] = terms.unit.v1 / steady.spectral.s[i];
  d.bulk = compose(steady.spectral.U, p, steady.W);
  for (int k = 1; k < terms.count; ++k) d.branch[k - 1] = Pack{2, 2, 2, 2} * strain_direction(terms.term[k]);
  return d;
}

/// N = Fv^-1, dN = -N dFv N:  dP = T[-A dFv N] N^T - P_A (N dFv N)^T
PackMat3 skin_stress_by_fv(const SkinPoint& point, const SkinModuli& moduli, int k, const PackMat3& dFv) {
  const SkinTerm term = skin_terms(point, moduli).term[1 + k];
  const PackMat3& N = term.M;
  const PackMat3 dN = Pack{-1, -1, -1, -1} * (N * dFv * N);
  const PackMat3 dA = Pack{-1, -1, -1, -1} * (deformation_of(term) * dFv * N);
  return times_transposed(tangent_of(term, frame_tangent(term), dA), N) +
         times_transposed(frame_stress(term, term.spectral.V), dN);
}

/// L : dP = -(A^T T[L N] N^T + N^T L^T P_A N^T) : dFv
PackMat3 skin_stress_by_fv_transposed(const SkinPoint& point, const SkinModuli& moduli, int k,
                                      const PackMat3& L) {
  const SkinTerm term = skin_terms(point, moduli).term[1 + k];
  const PackMat3 LN = L * term.M;
  const PackMat3 first = transposed_times(deformation_of(term), tangent_of(term, frame_tangent(term), LN));
  const PackMat3 second = transposed_times(LN, frame_stress(term, term.spectral.V));
  return Pack{-1, -1, -1, -1} * times_transposed(first + second, term.M);
}

/// dP = T[F dG] G^T + P_A dG^T
PackMat3 skin_stress_by_prestretch(const SkinPoint& point, const SkinModuli& moduli, const PackMat3& dG) {
  const SkinTerm term = isochoric(skin_terms(point, moduli).term[0]);
  return times_transposed(tangent_of(term, frame_tangent(term), point.F * dG), term.M) +
         times_transposed(frame_stress(term, term.spectral.V), dG);
}

/// L : dP = (F^T T[L G] + L^T P_A) : dG
PackMat3 skin_stress_by_prestretch_transposed(const SkinPoint& point, const SkinModuli& moduli,
                                              const PackMat3& L) {
  const SkinTerm term = isochoric(skin_terms(point, moduli).term[0]);
  return transposed_times(point.F, tangent_of(term, frame_tangent(term), L * term.M)) +
         transposed_times(L, frame_stress(term, term.spectral.V));
}

}  // namespace furrow
