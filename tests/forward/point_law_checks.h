// What every point law must satisfy.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "forward/potential/point_law.h"
#include "tests/support/check_derivative.h"

namespace furrow::testing {

using PointLaw = std::function<PointValue(const Vec3&)>;

/// The gradient is that of the energy and the Hessian that of the gradient, by the order of the error.
inline void check_point_law(const PointLaw& law, const Vec3& x, double h) {
  check_derivative([&](const VectorXd& y) { return VectorXd::Constant(1, law(y).energy).eval(); },
                   [&](const VectorXd& y, const VectorXd& v) {
                     return VectorXd::Constant(1, law(y).gradient.dot(Vec3(v))).eval();
                   },
                   x, h);
  check_derivative([&](const VectorXd& y) { return VectorXd(law(y).gradient); },
                   [&](const VectorXd& y, const VectorXd& v) { return VectorXd(law(y).hessian * v); }, x, h);
}

/// Component by component: |J - central difference| of a map R^3 -> R^3.
inline void check_components(const std::function<Vec3(const Vec3&)>& f, const Mat3& jacobian, const Vec3& x,
                             double h, double tolerance) {
  for (int k = 0; k < 3; ++k) {
    const Vec3 column = (f(x + h * Vec3::Unit(k)) - f(x - h * Vec3::Unit(k))) / (2 * h);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(column[i], jacobian(i, k), tolerance) << "row " << i << ", column " << k;
  }
}

/// d(vector)/d(scalar) by the order of the error.
inline void check_by_scalar(const std::function<Vec3(double)>& f, const std::function<Vec3(double)>& df,
                            double at, double h) {
  check_derivative([&](const VectorXd& p) { return VectorXd(f(p[0])); },
                   [&](const VectorXd& p, const VectorXd& v) { return VectorXd(df(p[0]) * v[0]); },
                   VectorXd::Constant(1, at), h, 7, 1);
}

inline double smallest_eigenvalue(const Mat3& m) {
  return Eigen::SelfAdjointEigenSolver<Mat3>(m, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

/// The closest positive semi-definite matrix.
inline Mat3 clamped(const Mat3& m) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(m);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

inline Mat3 some_rotation() {
  return Eigen::AngleAxisd(1.1, Vec3(0.3, -0.8, 0.5).normalized()).toRotationMatrix();
}

inline nlohmann::json golden(const std::string& name) {
  std::ifstream file(std::filesystem::path(FURROW_SOURCE_DIR) / "tests" / "golden" / name);
  return nlohmann::json::parse(file);
}
inline Vec3 vec3(const nlohmann::json& j) {
  return Vec3(j[0].get<double>(), j[1].get<double>(), j[2].get<double>());
}
inline Mat3 mat3(const nlohmann::json& j) {
  Mat3 m;
  for (int i = 0; i < 3; ++i) m.row(i) = vec3(j[i]);
  return m;
}
inline Positions positions(const nlohmann::json& j) {
  Positions p(j.size(), 3);
  for (Eigen::Index i = 0; i < p.rows(); ++i) p.row(i) = vec3(j[static_cast<std::size_t>(i)]);
  return p;
}

}  // namespace furrow::testing
