// Four elements at a time: 3 x 3 matrices and vectors of packs (pack_math.h).
#pragma once

#include "forward/element/pack_math.h"

namespace furrow {

inline double pack_log(double a) {
  return std::log(a);
}
inline double pack_exp(double a) {
  return std::exp(a);
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

inline Pack squared_norm(const PackMat3& a) {
  Pack sum{};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) sum += a.m[i][k] * a.m[i][k];
  return sum;
}
/// a : b
inline Pack contract(const PackMat3& a, const PackMat3& b) {
  Pack sum{};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) sum += a.m[i][k] * b.m[i][k];
  return sum;
}
inline PackMat3 transpose(const PackMat3& a) {
  PackMat3 t;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) t.m[i][k] = a.m[k][i];
  return t;
}
inline PackMat3 operator+(const PackMat3& a, const PackMat3& b) {
  PackMat3 c;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) c.m[i][k] = a.m[i][k] + b.m[i][k];
  return c;
}
inline PackMat3 operator-(const PackMat3& a, const PackMat3& b) {
  PackMat3 c;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) c.m[i][k] = a.m[i][k] - b.m[i][k];
  return c;
}
inline PackMat3 operator*(Pack f, const PackMat3& a) {
  PackMat3 c;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) c.m[i][k] = f * a.m[i][k];
  return c;
}
inline PackMat3 pack_identity() {
  PackMat3 a{};
  for (int i = 0; i < 3; ++i) a.m[i][i] = Pack{} + 1.0;
  return a;
}
/// a in the lanes of the mask, b elsewhere.
inline PackMat3 pack_select(PackMask mask, const PackMat3& a, const PackMat3& b) {
  PackMat3 c;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) c.m[i][k] = pack_select(mask, a.m[i][k], b.m[i][k]);
  return c;
}

}  // namespace furrow
