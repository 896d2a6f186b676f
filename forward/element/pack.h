// Four elements at a time: a pack is a GCC/Clang vector of four doubles, which the compiler maps to one AVX2
// register.
#pragma once

#include <cmath>

namespace furrow {

inline constexpr int kLanes = 4;
using Pack = double __attribute__((vector_size(8 * kLanes)));

inline double pack_log(double a) {
  return std::log(a);
}
inline double pack_exp(double a) {
  return std::exp(a);
}
/// ln a = 2 atanh z, z = (a - 1) / (a + 1), by its series where all four are within 2/3 .. 3/2 (volume ratios
/// of tissue are), which is also more accurate near 1 than the general logarithm.
inline Pack pack_log(Pack a) {
  const Pack z = (a - 1.0) / (a + 1.0), s = z * z;
  bool near = true;
  for (int l = 0; l < kLanes; ++l) near = near && s[l] < 0.04;
  if (!near) return Pack{std::log(a[0]), std::log(a[1]), std::log(a[2]), std::log(a[3])};
  Pack sum = s * (1.0 / 23) + 1.0 / 21;
  for (int k = 19; k >= 1; k -= 2) sum = sum * s + 1.0 / k;
  return 2.0 * z * sum;
}
inline Pack pack_exp(Pack a) {
  return Pack{std::exp(a[0]), std::exp(a[1]), std::exp(a[2]), std::exp(a[3])};
}

inline Pack pack_min(Pack a, Pack b) {
  return a < b ? a : b;
}

/// 3 x 3 matrices of packs, row-major.
struct PackMat3 {
  Pack m[3][3];
};
struct PackVec3 {
  Pack v[3];
};

inline Pack determinant(const PackMat3& a) {
  return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
         a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
         a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}

/// Cofactor matrix: a^-T = cofactor(a) / det a.
inline PackMat3 cofactor(const PackMat3& a) {
  PackMat3 c;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      c.m[i][j] = a.m[i1][j1] * a.m[i2][j2] - a.m[i1][j2] * a.m[i2][j1];
    }
  }
  return c;
}

inline PackVec3 operator*(const PackMat3& a, const PackVec3& x) {
  PackVec3 y;
  for (int i = 0; i < 3; ++i) y.v[i] = a.m[i][0] * x.v[0] + a.m[i][1] * x.v[1] + a.m[i][2] * x.v[2];
  return y;
}
inline PackMat3 operator*(const PackMat3& a, const PackMat3& b) {
  PackMat3 c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return c;
}
inline Pack dot(const PackVec3& a, const PackVec3& b) {
  return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

}  // namespace furrow
