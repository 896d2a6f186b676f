// The skin's material with its tangent over 4096 random points with one Maxwell branch, against the same law
// in plain Eigen (JacobiSVD, one point at a time). Prints ratios of one run; refuses to when results differ.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <chrono>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include "forward/base/types.h"
#include "forward/material/skin.h"

namespace furrow::bench {
namespace {

constexpr int kPoints = 4096;
using Mat9 = Eigen::Matrix<double, 9, 9>;
using RowMat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// Seconds of the fastest of several runs.
double best(const std::function<void()>& work) {
  double least = 1e300;
  for (int k = 0; k < 15; ++k) {
    const double t = now();
    work();
    least = std::min(least, now() - t);
  }
  return least;
}

struct Moduli {
  double mu_inf = 0.067, stiffening = 1.0, bulk = 16.7, branch = 0.16;
};
constexpr Moduli kModuli;

struct PlainTangent {
  double energy = 0;
  Mat3 P = Mat3::Zero();
  Mat9 A = Mat9::Zero();
};

/// mu/C expm1(C q) (C = 0: mu q) of A = F M, and K/2 (J - 1)^2; the formulas of THEORY 5, added to `t`.
void add_plain_term(double mu, double C, double K, const Mat3& F, const Mat3& M, bool projected,
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

PlainTangent plain_tangent(const Mat3& F, const Mat3& fv, bool projected) {
  PlainTangent t;
  add_plain_term(kModuli.mu_inf, kModuli.stiffening, kModuli.bulk, F, Mat3::Identity(), projected, t);
  add_plain_term(kModuli.branch, 0, 0, F, fv.inverse(), projected, t);
  return t;
}

/// (iso C)^((1 - alpha)/2) Fv.
Mat3 plain_update(const Mat3& F, const Mat3& fv, double alpha) {
  const Eigen::JacobiSVD<Mat3> svd(F * fv.inverse(), Eigen::ComputeFullV);
  const Vec3 s = svd.singularValues() / std::cbrt(svd.singularValues().prod());
  return svd.matrixV() * s.array().pow(1 - alpha).matrix().asDiagonal() * svd.matrixV().transpose() * fv;
}

struct Points {
  std::vector<Mat3> F, fv;
  std::vector<SkinPoint> packed;
  SkinModuli moduli;
};

Points random_points(double strain) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-strain, strain);
  const auto near_identity = [&] {
    Mat3 m = Mat3::Identity();
    for (double& v : m.reshaped()) v += uniform(generator);
    return m;
  };
  Points points;
  points.packed.resize(kPoints / kLanes);
  for (int n = 0; n < kPoints; ++n) {
    points.F.push_back(near_identity());
    const Mat3 fv = near_identity();
    points.fv.push_back(fv / std::cbrt(fv.determinant()));
    SkinPoint& pack = points.packed[n / kLanes];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        pack.F.m[i][j][n % kLanes] = points.F.back()(i, j);
        pack.fv[0].m[i][j][n % kLanes] = points.fv.back()(i, j);
      }
  }
  points.moduli.mu_inf = Pack{} + kModuli.mu_inf;
  points.moduli.stiffening = Pack{} + kModuli.stiffening;
  points.moduli.bulk = Pack{} + kModuli.bulk;
  points.moduli.branch[0] = Pack{} + kModuli.branch;
  points.moduli.branches = 1;
  return points;
}

/// Largest relative difference of the tangents; an error above 1e-10.
double compare(const std::vector<SkinTangent>& ours, const std::vector<PlainTangent>& plain) {
  double worst = 0;
  for (int n = 0; n < kPoints; ++n) {
    const SkinTangent& t = ours[n / kLanes];
    const int l = n % kLanes;
    double difference = std::abs(t.energy[l] - plain[n].energy) / plain[n].energy;
    for (int r = 0; r < 9; ++r) {
      difference = std::max(difference,
                            std::abs(t.P.m[r / 3][r % 3][l] - plain[n].P(r / 3, r % 3)) / plain[n].P.norm());
      for (int c = 0; c < 9; ++c)
        difference = std::max(difference,
                              std::abs(t.A[tangent_index(r, c)][l] - plain[n].A(r, c)) / plain[n].A.norm());
    }
    worst = std::max(worst, difference);
  }
  if (!(worst < 1e-10)) throw std::runtime_error(fmt::format("tangents differ by {:.1e}", worst));
  return worst;
}

void report(const char* name, double ours, double plain, double difference) {
  fmt::print("{:18} ours {:5.0f} ns a point, plain Eigen {:5.0f} ns; ratio {:4.1f}; differ by {:.0e}\n", name,
             1e9 * ours / kPoints, 1e9 * plain / kPoints, plain / ours, difference);
}

void tangents(const Points& points, bool projected) {
  std::vector<SkinTangent> ours(points.packed.size());
  std::vector<PlainTangent> plain(kPoints);
  const double t_ours = best([&] {
    for (std::size_t k = 0; k < ours.size(); ++k)
      ours[k] = skin_tangent(points.packed[k], points.moduli, projected);
  });
  const double t_plain = best([&] {
    for (int n = 0; n < kPoints; ++n) plain[n] = plain_tangent(points.F[n], points.fv[n], projected);
  });
  report(projected ? "projected tangent" : "exact tangent", t_ours, t_plain, compare(ours, plain));
}

void stress_and_update(const Points& points) {
  std::vector<SkinStress> stress(points.packed.size());
  const double t_stress = best([&] {
    for (std::size_t k = 0; k < stress.size(); ++k) stress[k] = skin_stress(points.packed[k], points.moduli);
  });
  const Pack alpha = Pack{} + 0.6;
  std::vector<PackMat3> ours(points.packed.size());
  const double t_ours = best([&] {
    for (std::size_t k = 0; k < ours.size(); ++k)
      ours[k] = viscous_update(points.packed[k].F, points.packed[k].fv[0], alpha);
  });
  std::vector<Mat3> plain(kPoints);
  const double t_plain = best([&] {
    for (int n = 0; n < kPoints; ++n) plain[n] = plain_update(points.F[n], points.fv[n], 0.6);
  });
  double worst = 0;
  for (int n = 0; n < kPoints; ++n)
    for (int i = 0; i < 9; ++i)
      worst =
          std::max(worst, std::abs(ours[n / kLanes].m[i / 3][i % 3][n % kLanes] - plain[n](i / 3, i % 3)));
  if (!(worst < 1e-10)) throw std::runtime_error(fmt::format("updates differ by {:.1e}", worst));
  report("viscous update", t_ours, t_plain, worst);
  fmt::print("{:18} ours {:5.0f} ns a point\n", "stress", 1e9 * t_stress / kPoints);
}

void run() {
  for (const double strain : {0.02, 0.2}) {
    const Points points = random_points(strain);
    fmt::print("entries of F - I and Fv - I up to {}:\n", strain);
    tangents(points, false);
    tangents(points, true);
    stress_and_update(points);
  }
}

}  // namespace
}  // namespace furrow::bench

int main() {
  furrow::bench::run();
}
