// `furrow gradient`: the derivatives that a fit uses, held against central differences of the same misfit J =
// 1/2 |r|^2.
//
//   D(h) = (J(p + h) - J(p - h)) / 2h = dJ/dp + c h^2 + O(h^4),      slope = log2(|D(h) - dJ/dp| / |D(h/2) -
//   dJ/dp|)  ->  2 D*   = (4 D(h/2) - D(h)) / 3      = dJ/dp + O(h^4)               is what the exact
//   derivative has to equal
//
// Every class of parameter is checked, whether the project fits it or not: each cluster, the common factor,
// Poisson's ratio, density, the nuisance motion of every pose (the first one turns gravity too), and the rest
// shape of every node along seeded directions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/project.h"

namespace furrow {

struct GradientRow {
  std::string name;
  double adjoint = 0;         ///< dJ/dp
  double difference = 0;      ///< D(h)
  double finer = 0;           ///< D(h/2)
  double step = 0;            ///< h, in the coordinate p
  double relative_error = 0;  ///< |D* - adjoint| / |adjoint|
  double slope = 2;
  bool slope_known = true;  ///< false: D(h) already equals the derivative to rounding (J is quadratic in p)
  double tangent_difference = 0;  ///< |r . dr/dp - adjoint| / |adjoint|
  bool has_tangent = true;        ///< the free rest shape has an adjoint only
  bool passes() const;
};

struct GradientBars {
  static constexpr double relative_error = 1e-6, slope = 0.05, tangent = 1e-9;
};

struct GradientCheck {
  std::vector<GradientRow> rows;
  double cost = 0;       ///< J where the derivatives are taken
  std::string failure;   ///< no equilibrium or no derivative; empty: all were found
  bool stopped = false;  ///< by `progress`
  bool passes() const;
};

/// What is done so far (0 to 1) and what comes; false stops, and the check then counts as failed.
using GradientProgress = std::function<bool(double fraction, const std::string& next)>;

/// At the project's starting values, with the observations that it fits. Solver tolerance 1e-12 (1e-11 above
/// 5000 nodes); every solve begins from the same recorded start.
GradientCheck check_gradient(const Project& project, unsigned seed, const GradientProgress& progress);

}  // namespace furrow
