// The skin's material as one writes it with Eigen: JacobiSVD, one point at a time, the formulas of THEORY 5.
// The reference of the benchmarks.
#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "forward/base/types.h"

namespace furrow::bench {

using Mat9 = Eigen::Matrix<double, 9, 9>;
using RowMat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// [MPa], stiffening without a dimension; one Maxwell branch, its energy factor included.
struct PlainModuli {
  double mu_inf = 0.067, stiffening = 1.0, bulk = 16.7, branch = 0.16;
};

struct PlainTangent {
  double energy = 0;
  Mat3 P = Mat3::Zero();
  Mat9 A = Mat9::Zero();
};

/// mu/C expm1(C q) (C = 0: mu q) of A = F M, and K/2 (J - 1)^2; the formulas of THEORY 5, added to `t`.
inline void add_plain_term(double mu, double C, double K, const Mat3& F, const Mat3& M, bool projected,
                           PlainTangent& t) {
  Eigen::JacobiSVD<Mat3> svd(F * M, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 U = svd.matrixU(), V = svd.matrixV();
  if (U.determinant() < 0) U.col(2) *= -1;
  if (V.determinant() < 0) V.col(2) *= -1;
  const Vec3 s = svd.singularValues(), log_s = s.array().log();
  const Vec3 e = log_s.array() - log_s.mean();
  const double q = e.squaredNorm(), J = s.prod(), grown = std::exp(C * q), c = 2 * mu * grown;
  t.energy += (C > 0 ? mu / C * std::expm1(C * q) : mu * q) + 0.5 * K * (J - 1) * (J - 1);
  const double v = K * (J - 1) * J;
  const Vec3 p = (c * e.array() + v) / s.array();
  const Mat3 W = M * V;
  t.P += U * p.asDiagonal() * W.transpose();

  Mat3 h, a, b;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      h(i, j) = (4 * C * mu * grown * e[i] * e[j] + c * ((i == j) - 1.0 / 3) + K * J * J + (i != j) * v) /
                    (s[i] * s[j]) -
                (i == j) * c * e[i] / (s[i] * s[i]);
      const double x = (s[i] - s[j]) / s[j];
      const double L = std::abs(x) < 1e-5 ? 1 - x / 2 + x * x / 3 : std::log1p(x) / x;
      a(i, j) = (c * (L - e[j]) - v) / (s[i] * s[j]);
      b(i, j) = (p[i] + p[j]) / (s[i] + s[j]);
    }
  if (projected) {
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(h);
    h = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
        eigen.eigenvectors().transpose();
    a = a.cwiseMax(0);
    b = b.cwiseMax(0);
  }
  for (int column = 0; column < 9; ++column) {
    RowMat3 dF = RowMat3::Zero();
    dF.data()[column] = 1;
    const Mat3 B = U.transpose() * dF * W;
    Mat3 dp;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        dp(i, j) = i == j ? h.row(i).dot(B.diagonal())
                          : 0.5 * (a(i, j) + b(i, j)) * B(i, j) + 0.5 * (a(i, j) - b(i, j)) * B(j, i);
    const RowMat3 dP = U * dp * W.transpose();
    t.A.col(column) += Eigen::Map<const Eigen::Matrix<double, 9, 1>>(dP.data());
  }
}

inline PlainTangent plain_tangent(const PlainModuli& m, const Mat3& F, const Mat3& fv, bool projected) {
  PlainTangent t;
  add_plain_term(m.mu_inf, m.stiffening, m.bulk, F, Mat3::Identity(), projected, t);
  add_plain_term(m.branch, 0, 0, F, fv.inverse(), projected, t);
  return t;
}

/// psi and P alone.
inline PlainTangent plain_stress(const PlainModuli& m, const Mat3& F, const Mat3& fv) {
  PlainTangent t;
  const auto add = [&](double mu, double C, double K, const Mat3& M) {
    const Eigen::JacobiSVD<Mat3> svd(F * M, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Vec3 s = svd.singularValues(), log_s = s.array().log();
    const Vec3 e = log_s.array() - log_s.mean();
    const double q = e.squaredNorm(), J = s.prod();
    t.energy += (C > 0 ? mu / C * std::expm1(C * q) : mu * q) + 0.5 * K * (J - 1) * (J - 1);
    const Vec3 p = (2 * mu * std::exp(C * q) * e.array() + K * (J - 1) * J) / s.array();
    t.P += svd.matrixU() * p.asDiagonal() * (M * svd.matrixV()).transpose();
  };
  add(m.mu_inf, m.stiffening, m.bulk, Mat3::Identity());
  add(m.branch, 0, 0, fv.inverse());
  return t;
}

/// (iso C)^((1 - alpha)/2) Fv.
inline Mat3 plain_update(const Mat3& F, const Mat3& fv, double alpha) {
  const Eigen::JacobiSVD<Mat3> svd(F * fv.inverse(), Eigen::ComputeFullV);
  const Vec3 s = svd.singularValues() / std::cbrt(svd.singularValues().prod());
  return svd.matrixV() * s.array().pow(1 - alpha).matrix().asDiagonal() * svd.matrixV().transpose() * fv;
}

}  // namespace furrow::bench
