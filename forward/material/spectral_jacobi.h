// Eigensystems of four symmetric 3 x 3 matrices at once: cyclic Jacobi rotations without branches, until the
// worst lane is diagonal to rounding.
#pragma once

#include "forward/element/pack.h"

namespace furrow {

/// S = Q [diagonal, off] Q^T; off[k] is the entry of the two indices other than k: (k+1, k+2) mod 3.
struct SymmetricPack {
  Pack diagonal[3], off[3];
};
struct SymmetricFrame {
  SymmetricPack matrix;
  PackMat3 Q;  ///< a rotation
};

struct JacobiRotation {
  Pack c, s;
};

/// c, s of the smaller angle with [c -s; s c] [a_ii a_ij; a_ij a_jj] [c s; -s c] diagonal; gap = a_jj - a_ii.
///   tan = 2 a_ij / (gap + sgn(gap) r),  r = sqrt(gap^2 + 4 a_ij^2)
inline JacobiRotation jacobi_rotation(Pack gap, Pack a_ij) {
  constexpr double kTiny = 1e-290;  // keeps 0/0 away
  const Pack twice = a_ij + a_ij;
  const Pack r = pack_sqrt(gap * gap + (twice * twice + kTiny));
  const Pack x = pack_abs(gap) + r, y = pack_flip_sign(twice, gap);
  const Pack inverse = 1.0 / pack_sqrt(x * x + y * y);
  return {x * inverse, y * inverse};
}
/// The rotation in the lanes of the mask, none elsewhere.
inline JacobiRotation only_in(PackMask active, const JacobiRotation& g) {
  return {pack_select(active, g.c, Pack{} + 1.0), pack_select(active, g.s, Pack{})};
}

/// Columns i, j of a matrix become c col_i - s col_j, s col_i + c col_j.
inline void rotate_columns(PackMat3& a, int i, int j, const JacobiRotation& g) {
  for (int r = 0; r < 3; ++r) {
    const Pack at_i = a.m[r][i], at_j = a.m[r][j];
    a.m[r][i] = g.c * at_i - g.s * at_j;
    a.m[r][j] = g.s * at_i + g.c * at_j;
  }
}

/// One rotation that annihilates off[K]; lanes that are not active drop it.
template <int K>
inline void annihilate(SymmetricFrame& frame, PackMask active) {
  constexpr int i = (K + 1) % 3, j = (K + 2) % 3;
  SymmetricPack& a = frame.matrix;
  const Pack gap = a.diagonal[j] - a.diagonal[i];
  const JacobiRotation g = only_in(active, jacobi_rotation(gap, a.off[K]));
  const Pack shift = g.s * (g.s * gap - g.c * (a.off[K] + a.off[K]));
  a.diagonal[i] += shift;
  a.diagonal[j] -= shift;
  const Pack k_i = a.off[j], k_j = a.off[i];
  a.off[j] = g.c * k_i - g.s * k_j;
  a.off[i] = g.s * k_i + g.c * k_j;
  a.off[K] = Pack{};
  rotate_columns(frame.Q, i, j, g);
}

inline Pack squared_off(const SymmetricPack& a) {
  return a.off[0] * a.off[0] + a.off[1] * a.off[1] + a.off[2] * a.off[2];
}
inline Pack squared_norm(const SymmetricPack& a) {
  Pack diagonal{};
  for (const Pack& d : a.diagonal) diagonal += d * d;
  return diagonal + 2.0 * squared_off(a);
}

/// N packs together, so that their rotations overlap. A lane that is done rests, so that its result does not
/// depend on its neighbours; lanes with NaN stay so and delay nobody.
template <int N>
inline void diagonalise(SymmetricFrame (&frames)[N]) {
  constexpr int kSweeps = 8;  // five reach rounding; convergence is quadratic
  Pack goal[N];
  for (int n = 0; n < N; ++n) {
    goal[n] = 1e-32 * squared_norm(frames[n].matrix);
    frames[n].Q = pack_identity();
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    PackMask active[N], any{};
    for (int n = 0; n < N; ++n) {
      active[n] = squared_off(frames[n].matrix) > goal[n];
      any |= active[n];
    }
    if (!pack_any(any)) break;
    for (int n = 0; n < N; ++n) annihilate<0>(frames[n], active[n]);
    for (int n = 0; n < N; ++n) annihilate<1>(frames[n], active[n]);
    for (int n = 0; n < N; ++n) annihilate<2>(frames[n], active[n]);
  }
}

}  // namespace furrow
