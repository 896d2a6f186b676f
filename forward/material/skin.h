// The layered skin's material at four quadrature points at once (THEORY 5 and 6, with the corrections there):
//
//   psi(F) = mu_inf/C expm1(C q(F G)) + sum_k m_k q(F Fv_k^-1) + K vol(J)
//   q(A)   = sum_i e_i^2,  e_i = ln s_i - mean(ln s),  s = singular values of A,  J = det F
//   vol(J) = (J - 1)^2 / 2  or  (ln J)^2 / 2
//
// G is the in-plane prestretch (det G = 1; identity by default), seen by the steady term only: the Maxwell
// branches are relaxed in the prestretched state. C = 0: mu_inf q. m_k = (energy factor) x mu_k; the energy
// factor is alpha_k = exp(-dt/tau_k) of the literal scheme, alpha_k^{1/2} of the Strang one.
//
// No difference quotients of nearly equal numbers and no derivative through an eigen-solver: the pair terms
// are THEORY 5's, with atanh(z)/z in place of log1p(x)/x (spectral.h). A lane's results do not depend on its
// neighbours, to the last bit.
#pragma once

#include <array>

#include "forward/element/pack.h"

namespace furrow {

inline constexpr int kMaxBranches = 4;

enum class Volumetric { quadratic, logarithmic };  ///< K/2 (J-1)^2 (the paper's) or K/2 (ln J)^2

/// Four lanes of moduli [MPa]; stiffening C is dimensionless.
struct SkinModuli {
  Pack mu_inf, stiffening, bulk;
  std::array<Pack, kMaxBranches> branch;  ///< m_k
  int branches = 0;
  Volumetric volumetric = Volumetric::quadratic;
};

/// State at four points. `fv_inverse[k]`: Fv_k^-1; `prestretch` null: identity.
struct SkinPoint {
  PackMat3 F;
  std::array<PackMat3, kMaxBranches> fv;  ///< F^v of every branch, det 1
  const PackMat3* prestretch = nullptr;
};

/// 9 x 9 tangents are symmetric: the upper triangle row by row, entry (r, c), r <= c, at r (17 - r)/2 + c.
inline constexpr int kTangentSize = 45;
inline constexpr int tangent_index(int r, int c) {
  return r <= c ? r * 9 - r * (r - 1) / 2 + (c - r) : tangent_index(c, r);
}

struct SkinStress {
  Pack energy;  ///< psi [MPa]
  Pack j;      ///< det F; -1 in refused lanes: det F <= 0, C q > 50, or F, Fv or G not finite or not det > 0.
               ///< Their energy, P and A are finite and mean nothing.
  PackMat3 P;  ///< dpsi/dF [MPa]
};
struct SkinTangent : SkinStress {
  std::array<Pack, kTangentSize> A;  ///< d2psi/dF2, 9-vectors row-major (i*3+j) [MPa]
};

SkinStress skin_stress(const SkinPoint&, const SkinModuli&);
/// `projected`: each point's tangent made positive semi-definite, term by term (exact eigensystem of THEORY
/// 5; terms with F^v or G are projected in their own frame).
SkinTangent skin_tangent(const SkinPoint&, const SkinModuli&, bool projected);

/// dP for dF, without the 9 x 9 matrix: many directions at once are cheaper with skin_tangent.
PackMat3 skin_stress_increment(const SkinPoint&, const SkinModuli&, const PackMat3& dF);

/// dP/dm for every modulus, and the derivatives by history and prestretch, contracted.
struct SkinModuliDerivative {
  PackMat3 mu_inf, stiffening, bulk;
  std::array<PackMat3, kMaxBranches> branch;
};
SkinModuliDerivative skin_stress_by_moduli(const SkinPoint&, const SkinModuli&);
/// dP for dFv of branch k.
PackMat3 skin_stress_by_fv(const SkinPoint&, const SkinModuli&, int k, const PackMat3& dFv);
/// (dP/dFv_k)^T L: what a cotangent L of P says about Fv_k.
PackMat3 skin_stress_by_fv_transposed(const SkinPoint&, const SkinModuli&, int k, const PackMat3& L);
/// dP for dG, and its transpose.
PackMat3 skin_stress_by_prestretch(const SkinPoint&, const SkinModuli&, const PackMat3& dG);
PackMat3 skin_stress_by_prestretch_transposed(const SkinPoint&, const SkinModuli&, const PackMat3& L);

/// Viscous update of one branch (THEORY 6): with s, V of F Fv^-1 = U s V^T, sbar the isochoric stretches,
///   Fv_next = V diag(sbar^(1 - alpha)) V^T Fv.
/// alpha = 1: nothing moves; alpha = 0: full relaxation. Refused lanes keep their Fv.
PackMat3 viscous_update(const PackMat3& F, const PackMat3& fv, Pack alpha);
/// Its derivatives, exact at repeated stretches (Daleckii-Krein in stable form).
PackMat3 viscous_update_increment(const PackMat3& F, const PackMat3& fv, Pack alpha, const PackMat3& dF,
                                  const PackMat3& dFv, Pack dalpha);
struct ViscousPullback {
  PackMat3 F, fv;
  Pack alpha;
};
ViscousPullback viscous_update_transposed(const PackMat3& F, const PackMat3& fv, Pack alpha,
                                          const PackMat3& bar);

}  // namespace furrow
