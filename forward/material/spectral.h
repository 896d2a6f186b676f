// Singular values of four 3 x 3 matrices at once, and what the skin's laws make of them (THEORY 5).
//
//   A = I + H = U diag(s) V^T,  U and V rotations, s > 0 where det A > 0
//
// V diagonalises C - I = H + H^T + H^T H, which has no cancellation for small H; columns of A V that are not
// orthogonal to rounding (strong stretches) are rotated further (one-sided Jacobi). Logarithms come from s^2
// - 1 where |C - I| < 1/2, else from |A v|^2: their error is a few roundings of |C - I|, or of the condition
// number.
#pragma once

#include "forward/element/pack.h"

namespace furrow {

struct Spectral {
  PackMat3 U, V;
  Pack s[3];      ///< singular values, not sorted
  Pack log_s[3];  ///< ln s
  Pack e[3];      ///< ln s - mean(ln s)
  Pack q;         ///< sum e^2
};

/// Of A = I + H. Lanes where det A <= 0 hold no meaningful numbers.
Spectral decompose(const PackMat3& H);
/// Two at once, their rotations overlapped, into their places: a copy would cost a tenth of the work.
void decompose_two(const PackMat3& first, const PackMat3& second, Spectral& of_first, Spectral& of_second);

/// A pair of singular values, by the index of the third.
struct SpectralPair {
  Pack z;  ///< (s_i - s_j) / (s_i + s_j)
  Pack g;  ///< atanh(z) / z: (ln s_i - ln s_j) / (s_i - s_j) = 2 g / (s_i + s_j), also at s_i = s_j
};

/// atanh(z)/z = 1 + z^2/3 + z^4/5 + ... for |z| < 1/5; beyond, the quotient of numbers well apart.
inline SpectralPair spectral_pair(const Spectral& a, int k) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const Pack z = (a.s[i] - a.s[j]) / (a.s[i] + a.s[j]), z2 = z * z;
  static constexpr double kSeries[] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                       1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23};
  const PackMask close = z2 < 0.04;
  Pack g = pack_detail::polynomial(z2, kSeries);
  if (pack_any(~close))
    g = pack_select(close, g, (a.log_s[i] - a.log_s[j]) / pack_select(close, Pack{} + 1.0, 2.0 * z));
  return {z, g};
}

}  // namespace furrow
