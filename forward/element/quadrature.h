// Quadrature on the reference triangle (area 1/2) and prism (volume 1); Witherden & Vincent (2015), Computers
// & Mathematics with Applications 69. The tables are data/quadrature/*.txt, compiled in. THEORY 3.
#pragma once

#include <string>

#include "forward/element/lagrange_prism.h"

namespace furrow {

struct TriangleRule {
  Points2 points;
  VectorXd weights;  ///< sum 1/2
  int degree = 0;
};
struct PrismRule {
  Points3 points;
  VectorXd weights;  ///< sum 1
  int degree = 0;
  /// Tensor rules: points = triangle point t x line point l, number t * line_points + l; 0 where it is none.
  int line_points = 0;
};

/// The table of the smallest degree >= `degree`. Throws std::invalid_argument above the tables (12 and 10).
TriangleRule triangle_rule(int degree);
PrismRule prism_rule(int degree);
/// The 2-point rule of the wrinkling paper's sheet.
PrismRule prism_rule_two_points();
/// Triangle rule x Gauss-Legendre rule of `line_points` points.
PrismRule tensor_rule(const TriangleRule& triangle, int line_points);
/// The rule on each of the n^2 congruent sub-triangles (THEORY 3, contact).
TriangleRule subdivide_rule(const TriangleRule& rule, int n);

/// What the order needs: `exact` at rest (linear degree 2, quadratic 6, cubic 8, quartic 10), `tensor` the
/// product of the triangle rule of that degree with q + 1 Gauss points (as accurate at finite strain:
/// bench_shell; 75 points for p4q2), or `seed` as published (2-point, 11-point d4, 16-point d5, 28-point d6).
enum class RuleKind { tensor, exact, seed };
PrismRule rule_for(PrismOrder order, RuleKind kind);

}  // namespace furrow
