// Isotropic laws W(I1, J), I1 = tr F'F, J = det F, that are linear in two moduli (mu, k):
//
//   neo_hookean            W = mu/2 (I1 - 3) - mu ln J + k/2 (ln J)^2,       k = lambda   (THEORY 11; Bonet &
//   Wood) neo_hookean_isochoric  W = mu/2 (J^(-2/3) I1 - 3) + k/2 (J - 1)^2,       k = K        (CalculiX
//   *HYPERELASTIC, NEO HOOKE)
//
// Every law of this kind has
//   P       = p0 F + p1 F^-T
//   dP[dF]  = p0 dF + c1 F^-T dF' F^-T + c2 (F^-T:dF) F^-T + c3 [(F:dF) F^-T + (F^-T:dF) F]
// with p0 = 2 W_1, p1 = J W_J, c1 = -p1, c2 = J^2 W_JJ + J W_J, c3 = 2 J W_1J, so the kernels know one form
// only. T is double or a pack of doubles (element/pack.h).
#pragma once

#include <cmath>

#include "forward/base/types.h"
#include "forward/element/pack.h"

namespace furrow {

enum class Law { neo_hookean, neo_hookean_isochoric };

template <class T>
struct IsotropicResponse {
  T energy;      ///< W [MPa]
  T p0, p1;      ///< [MPa]
  T c1, c2, c3;  ///< [MPa]
};

struct Moduli {
  double mu;  ///< shear modulus [MPa]
  double k;   ///< lambda or K by law [MPa]
};

/// (mu, k) per unit Young's modulus.
Moduli unit_moduli(Law law, double poisson);
/// d(mu, k)/d nu per unit Young's modulus.
Moduli unit_moduli_by_poisson(Law law, double poisson);

template <class T>
struct NeoHookean {
  static IsotropicResponse<T> response(T mu, T k, T i1, T j) {
    const T log_j = pack_log(j);
    IsotropicResponse<T> r;
    r.energy = 0.5 * mu * (i1 - 3.0) - mu * log_j + 0.5 * k * log_j * log_j;
    r.p0 = mu;
    r.p1 = k * log_j - mu;
    r.c1 = -r.p1;
    r.c2 = k;
    r.c3 = T{} + 0.0;
    return r;
  }
};

template <class T>
struct NeoHookeanIsochoric {
  static IsotropicResponse<T> response(T mu, T k, T i1, T j) {
    const T scale = pack_exp(pack_log(j) * (-2.0 / 3.0));
    const T m = mu * scale;
    IsotropicResponse<T> r;
    r.energy = 0.5 * (m * i1 - 3.0 * mu) + 0.5 * k * (j - 1.0) * (j - 1.0);
    r.p0 = m;
    r.p1 = k * (j - 1.0) * j - m * i1 / 3.0;
    r.c1 = -r.p1;
    r.c2 = (2.0 / 9.0) * m * i1 + k * (2.0 * j - 1.0) * j;
    r.c3 = (-2.0 / 3.0) * m;
    return r;
  }
};

/// One material point, for tests and reports: W and P at F (energy +inf when det F <= 0).
struct PointResponse {
  double energy;  ///< [MPa]
  Mat3 stress;    ///< P = dW/dF [MPa]
};
PointResponse evaluate_point(Law law, const Moduli& moduli, const Mat3& F);
/// dP[dF] [MPa].
Mat3 stress_increment(Law law, const Moduli& moduli, const Mat3& F, const Mat3& dF);

}  // namespace furrow
