// The quadrature-point algebra of four tetrahedra at once; see tet_elastic.h for the formulas.
#pragma once

#include "forward/element/lagrange_tet.h"
#include "forward/element/pack.h"
#include "forward/material/neo_hookean.h"

namespace furrow {

template <int N>
struct PackNodes {
  Pack p[N][3];
};

/// What one quadrature point of a pack knows.
template <int N>
struct TetPoint {
  Pack weight;       ///< w det(dX/dxi) [mm^3]
  Pack rest_det;     ///< det(dX/dxi)
  Pack j;            ///< det F
  PackVec3 grad[N];  ///< grad_X N [1/mm]
  PackMat3 F, F_inverse_transposed;
};

template <int N>
PackMat3 jacobian(const PackNodes<N>& nodes, const double (*dN)[3]) {
  PackMat3 m{};
  for (int a = 0; a < N; ++a)
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) m.m[i][k] += nodes.p[a][i] * dN[a][k];
  return m;
}

template <int N>
TetPoint<N> tet_point(const PackNodes<N>& X, const PackNodes<N>& x, double weight, const double (*dN)[3]) {
  TetPoint<N> point;
  const PackMat3 rest = jacobian<N>(X, dN);
  const PackMat3 cof = cofactor(rest);
  point.rest_det = rest.m[0][0] * cof.m[0][0] + rest.m[0][1] * cof.m[0][1] + rest.m[0][2] * cof.m[0][2];
  point.weight = weight * point.rest_det;
  const Pack inverse_det = 1.0 / point.rest_det;
  for (int a = 0; a < N; ++a)  // grad_X N = (dX/dxi)^-T dN/dxi
    for (int i = 0; i < 3; ++i)
      point.grad[a].v[i] =
          (cof.m[i][0] * dN[a][0] + cof.m[i][1] * dN[a][1] + cof.m[i][2] * dN[a][2]) * inverse_det;
  PackMat3 F{};
  for (int a = 0; a < N; ++a)
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) F.m[i][k] += x.p[a][i] * point.grad[a].v[k];
  point.F = F;
  const PackMat3 cof_F = cofactor(F);
  point.j = F.m[0][0] * cof_F.m[0][0] + F.m[0][1] * cof_F.m[0][1] + F.m[0][2] * cof_F.m[0][2];
  const Pack inverse_j = 1.0 / point.j;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) point.F_inverse_transposed.m[i][k] = cof_F.m[i][k] * inverse_j;
  return point;
}

/// P = p0 F + p1 F^-T.
template <int N>
PackMat3 stress(const TetPoint<N>& point, const IsotropicResponse<Pack>& r) {
  PackMat3 P;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      P.m[i][k] = r.p0 * point.F.m[i][k] + r.p1 * point.F_inverse_transposed.m[i][k];
  return P;
}

/// dF = sum_a v_a grad N_a'.
template <int N>
PackMat3 deformation(const TetPoint<N>& point, const PackNodes<N>& v) {
  PackMat3 dF{};
  for (int a = 0; a < N; ++a)
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) dF.m[i][k] += v.p[a][i] * point.grad[a].v[k];
  return dF;
}

/// dP[dF] of neo_hookean.h.
template <int N>
PackMat3 stress_increment(const TetPoint<N>& point, const IsotropicResponse<Pack>& r, const PackMat3& dF) {
  const PackMat3& Fit = point.F_inverse_transposed;
  const PackMat3 turned = Fit * (transpose(dF) * Fit);
  const Pack along_inverse = contract(Fit, dF), along_F = contract(point.F, dF);
  PackMat3 dP;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      dP.m[i][k] = r.p0 * dF.m[i][k] + r.c1 * turned.m[i][k] +
                   (r.c2 * along_inverse + r.c3 * along_F) * Fit.m[i][k] +
                   r.c3 * along_inverse * point.F.m[i][k];
  return dP;
}

/// S = (P:L - work) I - F' dP[L] - L' P, the configurational stress that works on changes of the rest shape.
template <int N>
PackMat3 configurational(const TetPoint<N>& point, const IsotropicResponse<Pack>& r, const PackMat3& L,
                         Pack work) {
  const PackMat3 P = stress(point, r);
  const PackMat3 first = transpose(point.F) * stress_increment(point, r, L), second = transpose(L) * P;
  const Pack diagonal = contract(P, L) - work;
  PackMat3 S;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) S.m[i][k] = (i == k ? diagonal : Pack{}) - first.m[i][k] - second.m[i][k];
  return S;
}

/// Khat_ab of tet_elastic.h (without the weight).
inline PackMat3 tangent_block(const IsotropicResponse<Pack>& r, Pack grad_dot, const PackVec3& a_a,
                              const PackVec3& b_a, const PackVec3& a_b, const PackVec3& b_b) {
  PackMat3 k;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      k.m[i][j] = r.c1 * b_b.v[i] * b_a.v[j] + b_a.v[i] * (r.c2 * b_b.v[j] + r.c3 * a_b.v[j]) +
                  r.c3 * a_a.v[i] * b_b.v[j];
  const Pack diagonal = r.p0 * grad_dot;
  for (int i = 0; i < 3; ++i) k.m[i][i] += diagonal;
  return k;
}

}  // namespace furrow
