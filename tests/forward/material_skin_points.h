// Skin states for tests: one point as ordinary matrices, four of them as a pack, everything as one long
// vector.
#pragma once

#include <optional>
#include <vector>

#include "forward/base/types.h"
#include "forward/material/skin.h"
#include "tests/support/check_derivative.h"

namespace furrow::testing {

using RowMat3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using Mat9 = Eigen::Matrix<double, 9, 9>;
using Vec9 = Eigen::Matrix<double, 9, 1>;

inline Mat3 lane(const PackMat3& a, int l) {
  Mat3 m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = a.m[i][j][l];
  return m;
}
inline void set_lane(PackMat3& a, int l, const Mat3& m) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a.m[i][j][l] = m(i, j);
}
inline PackMat3 in_all_lanes(const Mat3& m) {
  PackMat3 a{};
  for (int l = 0; l < kLanes; ++l) set_lane(a, l, m);
  return a;
}
inline Vec9 row_major(const Mat3& m) {
  const RowMat3 r = m;
  return Eigen::Map<const Vec9>(r.data());
}
inline Mat3 from_row_major(const VectorXd& v) {
  return Eigen::Map<const RowMat3>(v.data());
}
inline Mat9 lane(const std::array<Pack, kTangentSize>& A, int l) {
  Mat9 m;
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 9; ++c) m(r, c) = A[tangent_index(r, c)][l];
  return m;
}

inline Mat3 random_matrix(unsigned seed, double scale) {
  return scale * from_row_major(random_vector(9, seed).array().sin().matrix());
}
inline Mat3 random_rotation(unsigned seed) {
  const Eigen::Vector4d q = random_vector(4, seed).normalized();
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
}
inline Mat3 unimodular(const Mat3& m) {
  return m / std::cbrt(m.determinant());
}

/// One material point and its moduli.
struct SkinCase {
  Mat3 F = Mat3::Identity();
  std::vector<Mat3> fv;
  std::optional<Mat3> prestretch;
  double mu_inf = 0.07, stiffening = 1.3, bulk = 2.5;
  std::vector<double> branch;
  Volumetric volumetric = Volumetric::quadratic;

  int branches() const { return static_cast<int>(fv.size()); }
};

/// Up to four cases of equal branches and kind; lanes without a case repeat the last.
struct SkinPack {
  SkinPoint point;
  SkinModuli moduli;
  PackMat3 prestretch;

  explicit SkinPack(const std::vector<SkinCase>& cases) {
    const SkinCase& first = cases.front();
    moduli.branches = first.branches();
    moduli.volumetric = first.volumetric;
    if (first.prestretch) point.prestretch = &prestretch;
    for (int l = 0; l < kLanes; ++l) {
      const SkinCase& c = cases[std::min<std::size_t>(l, cases.size() - 1)];
      set_lane(point.F, l, c.F);
      if (c.prestretch) set_lane(prestretch, l, *c.prestretch);
      moduli.mu_inf[l] = c.mu_inf;
      moduli.stiffening[l] = c.stiffening;
      moduli.bulk[l] = c.bulk;
      for (int k = 0; k < c.branches(); ++k) {
        set_lane(point.fv[k], l, c.fv[k]);
        moduli.branch[k][l] = c.branch[k];
      }
    }
  }
  SkinPack(const SkinPack&) = delete;
};

/// F, every Fv, G, then mu_inf, C, K and every m.
inline VectorXd parameters(const SkinCase& c) {
  std::vector<double> all;
  const auto add = [&](const Mat3& m) {
    for (const double v : row_major(m)) all.push_back(v);
  };
  add(c.F);
  for (const Mat3& m : c.fv) add(m);
  if (c.prestretch) add(*c.prestretch);
  all.insert(all.end(), {c.mu_inf, c.stiffening, c.bulk});
  all.insert(all.end(), c.branch.begin(), c.branch.end());
  return Eigen::Map<const VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}
inline SkinCase with_parameters(SkinCase c, const VectorXd& all) {
  int at = 0;
  const auto take = [&] {
    at += 9;
    return from_row_major(all.segment(at - 9, 9));
  };
  c.F = take();
  for (Mat3& m : c.fv) m = take();
  if (c.prestretch) c.prestretch = take();
  c.mu_inf = all[at];
  c.stiffening = all[at + 1];
  c.bulk = all[at + 2];
  for (int k = 0; k < c.branches(); ++k) c.branch[k] = all[at + 3 + k];
  return c;
}

inline SkinCase some_case(int branches, bool prestretched, Volumetric volumetric, unsigned seed) {
  SkinCase c;
  c.F = Mat3::Identity() + random_matrix(seed, 0.3);
  for (int k = 0; k < branches; ++k) {
    c.fv.push_back(unimodular(Mat3::Identity() + random_matrix(seed + 10 + k, 0.25)));
    c.branch.push_back(0.3 / (1 + k));
  }
  if (prestretched) c.prestretch = unimodular(Mat3::Identity() + random_matrix(seed + 20, 0.2));
  c.volumetric = volumetric;
  return c;
}

/// Columns of df/dx by the five-point rule, error of order h^4.
inline MatrixXd difference_jacobian(const std::function<VectorXd(const VectorXd&)>& f, const VectorXd& x,
                                    double h = 2e-3) {
  MatrixXd jacobian(f(x).size(), x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const VectorXd step = h * VectorXd::Unit(x.size(), i);
    jacobian.col(i) = (8 * (f(x + step) - f(x - step)) - (f(x + 2 * step) - f(x - 2 * step))) / (12 * h);
  }
  return jacobian;
}

}  // namespace furrow::testing
