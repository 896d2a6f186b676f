// Derivatives are checked by error order: halving h must quarter the central-difference error along seeded
// directions.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "forward/base/types.h"

namespace furrow::testing {

inline VectorXd random_vector(int n, unsigned seed, double scale = 1.0) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  VectorXd v(n);
  for (int i = 0; i < n; ++i) v[i] = scale * normal(generator);
  return v;
}

/// f: R^n -> R^m, directional derivative df(x, v). Checks slope 2 of |(f(x+hv)-f(x-hv))/2h - df| over h, h/2
/// (or an error at rounding level, for functions that are nearly quadratic).
inline void check_derivative(const std::function<VectorXd(const VectorXd&)>& f,
                             const std::function<VectorXd(const VectorXd&, const VectorXd&)>& df,
                             const VectorXd& x, double h, unsigned seed = 7, int directions = 3,
                             double slope_tolerance = 0.05, double rounding = 1e-9) {
  for (int k = 0; k < directions; ++k) {
    const VectorXd v = random_vector(static_cast<int>(x.size()), seed + k).normalized();
    const VectorXd exact = df(x, v);
    auto error = [&](double step) {
      return ((f(x + step * v) - f(x - step * v)) / (2 * step) - exact).norm();
    };
    const double coarse = error(h), fine = error(h / 2);
    if (fine <= rounding * (exact.norm() + 1e-300)) continue;
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, slope_tolerance)
        << "direction " << k << ": errors " << coarse << ", " << fine << " against |df| = " << exact.norm();
  }
}

}  // namespace furrow::testing
