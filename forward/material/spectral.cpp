#include "forward/material/spectral.h"

#include "forward/material/spectral_jacobi.h"

namespace furrow {
namespace {

/// C - I = H + H^T + H^T H.
SymmetricPack green(const PackMat3& H) {
  SymmetricPack d;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    Pack diagonal = 2.0 * H.m[i][i], off = H.m[j][k] + H.m[k][j];
    for (int r = 0; r < 3; ++r) {
      diagonal += H.m[r][i] * H.m[r][i];
      off += H.m[r][j] * H.m[r][k];
    }
    d.diagonal[i] = diagonal;
    d.off[i] = off;
  }
  return d;
}

Pack column_dot(const PackMat3& a, int i, int j) {
  return a.m[0][i] * a.m[0][j] + a.m[1][i] * a.m[1][j] + a.m[2][i] * a.m[2][j];
}

/// Rotates columns of B = A V until they are orthogonal to 1e-14 of their lengths; V follows.
void orthogonalise(PackMat3& B, PackMat3& V) {
  constexpr int kSweeps = 6;
  constexpr double kSquaredCosine = 1e-28;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    PackMask left{};
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const Pack mixed = column_dot(B, i, j);
      left |= mixed * mixed > kSquaredCosine * column_dot(B, i, i) * column_dot(B, j, j);
    }
    if (!pack_any(left)) return;
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const Pack gap = column_dot(B, j, j) - column_dot(B, i, i);
      const JacobiRotation g = only_in(left, jacobi_rotation(gap, column_dot(B, i, j)));
      rotate_columns(B, i, j, g);
      rotate_columns(V, i, j, g);
    }
  }
}

/// The rest of the decomposition, from the eigensystem of C - I.
inline void finish(const PackMat3& H, const SymmetricFrame& frame, PackMask small, Spectral& a) {
  a.V = frame.Q;
  a.U = a.V + H * a.V;
  orthogonalise(a.U, a.V);
  Pack sum{};
  for (int i = 0; i < 3; ++i) {
    const Pack x = frame.matrix.diagonal[i], near = 1.0 + x, lost = x - (near - 1.0);
    const Pack square = pack_select(small, near, column_dot(a.U, i, i));
    a.log_s[i] = 0.5 * pack_detail::log_of_sum(square, pack_select(small, lost, Pack{}));
    a.s[i] = pack_sqrt(square);
    const Pack inverse = 1.0 / a.s[i];
    for (int r = 0; r < 3; ++r) a.U.m[r][i] *= inverse;
    sum += a.log_s[i];
  }
  a.q = Pack{};
  for (int i = 0; i < 3; ++i) {
    a.e[i] = a.log_s[i] - sum * (1.0 / 3);
    a.q += a.e[i] * a.e[i];
  }
}

template <int N>
inline void decompose_all(const PackMat3* const (&H)[N], Spectral* const (&into)[N]) {
  SymmetricFrame frames[N];
  PackMask small[N];
  for (int n = 0; n < N; ++n) {
    frames[n].matrix = green(*H[n]);
    small[n] = squared_norm(frames[n].matrix) < 0.25;
  }
  diagonalise(frames);
  for (int n = 0; n < N; ++n) finish(*H[n], frames[n], small[n], *into[n]);
}

}  // namespace

Spectral decompose(const PackMat3& H) {
  Spectral a;
  decompose_all<1>({&H}, {&a});
  return a;
}
void decompose_two(const PackMat3& first, const PackMat3& second, Spectral& of_first, Spectral& of_second) {
  decompose_all<2>({&first, &second}, {&of_first, &of_second});
}

}  // namespace furrow
