#include "forward/field/heat_map.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

#include "forward/field/nearest_source.h"

namespace furrow {
namespace {

constexpr double smallest_heat = 1e-30;  // below it the nearest source counts
constexpr double sliver = 1e-12;         // twice the area over the longest edge squared: no area at all

void check(const Positions& vertices, const Triangles& triangles, const std::vector<int>& sources,
           const HeatMapOptions& options) {
  const auto n = vertices.rows();
  if (sources.empty()) throw std::invalid_argument("a field needs at least one source");
  if (!(options.length > 0) || !std::isfinite(options.length))
    throw std::invalid_argument("the blending length of a field must be positive");
  if (!(options.background >= 0) || !std::isfinite(options.background))
    throw std::invalid_argument("the background's weight must not be negative");
  if (!vertices.allFinite()) throw std::invalid_argument("a vertex position is not finite");
  if (triangles.size() > 0 && (triangles.minCoeff() < 0 || triangles.maxCoeff() >= n))
    throw std::invalid_argument("a triangle names a vertex that does not exist");
  std::set<int> seen;
  for (const int s : sources) {
    if (s < 0 || s >= n) {
      throw std::invalid_argument("source vertex " + std::to_string(s) + " does not exist; there are " +
                                  std::to_string(n) + " vertices, counted from 0");
    }
    if (!seen.insert(s).second)
      throw std::invalid_argument("source vertex " + std::to_string(s) + " is there twice; keep one");
  }
}

/// Lumped masses M_i = a third of the area around i, and edge weights w_ij = (cot a_ij + cot b_ij)/2 of the
/// angles opposite the edge, in the upper triangle of a sparse matrix.
struct Discrete {
  VectorXd mass;
  Eigen::SparseMatrix<double> edge_weights;
};

Discrete discretise(const Positions& vertices, const Triangles& triangles) {
  Discrete discrete{VectorXd::Zero(vertices.rows()), {vertices.rows(), vertices.rows()}};
  std::vector<Eigen::Triplet<double>> halves;
  halves.reserve(static_cast<std::size_t>(triangles.size()));
  for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int at = triangles(t, k), i = triangles(t, (k + 1) % 3), j = triangles(t, (k + 2) % 3);
      const Vec3 p = vertices.row(i) - vertices.row(at), q = vertices.row(j) - vertices.row(at);
      const double twice_area = p.cross(q).norm();
      if (!(twice_area > sliver * std::max({p.squaredNorm(), q.squaredNorm(), (p - q).squaredNorm()})))
        continue;
      discrete.mass[at] += twice_area / 6;
      halves.emplace_back(std::min(i, j), std::max(i, j), p.dot(q) / twice_area / 2);
    }
  }
  discrete.edge_weights.setFromTriplets(halves.begin(), halves.end());
  return discrete;
}

/// A = M + t L,  L_ij = -w_ij,  L_ii = sum_j w_ij; a vertex without area stands alone with A_ii = 1.
Eigen::SparseMatrix<double> system(const Discrete& discrete, double t, bool clamp) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index i = 0; i < discrete.mass.size(); ++i)
    entries.emplace_back(i, i, discrete.mass[i] > 0 ? discrete.mass[i] : 1.0);
  for (int column = 0; column < discrete.edge_weights.outerSize(); ++column) {
    for (Eigen::SparseMatrix<double>::InnerIterator edge(discrete.edge_weights, column); edge; ++edge) {
      const double w = t * (clamp ? std::max(0.0, edge.value()) : edge.value());
      const auto i = edge.row(), j = edge.col();
      entries.emplace_back(i, j, -w);
      entries.emplace_back(j, i, -w);
      entries.emplace_back(i, i, w);
      entries.emplace_back(j, j, w);
    }
  }
  Eigen::SparseMatrix<double> A(discrete.mass.size(), discrete.mass.size());
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

}  // namespace

/// A uniform background adds its weight at every vertex, for A 1 = M 1. With clamped weights A is an
/// M-matrix: its Cholesky substitution adds positive terms only, so that even the heat far away, 1e-100 and
/// less, keeps its digits.
MatrixXd source_heat(const Positions& vertices, const Triangles& triangles, const std::vector<int>& sources,
                     const HeatMapOptions& options) {
  check(vertices, triangles, sources, options);
  const auto A =
      system(discretise(vertices, triangles), options.length * options.length, options.clamp_cotangents);
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(A);
  if (factor.info() != Eigen::Success)
    throw std::invalid_argument("the heat equation on this mesh is singular");
  const auto count = static_cast<Eigen::Index>(sources.size());
  MatrixXd deltas = MatrixXd::Zero(A.rows(), count);
  for (Eigen::Index s = 0; s < count; ++s) deltas(sources[static_cast<std::size_t>(s)], s) = 1;
  MatrixXd heat(A.rows(), count + (options.background > 0 ? 1 : 0));
  heat.leftCols(count) = factor.solve(deltas);
  if (options.background > 0) heat.col(count).setConstant(options.background);
  return heat;
}

MatrixXd heat_map_weights(const Positions& vertices, const Triangles& triangles,
                          const std::vector<int>& sources, const HeatMapOptions& options) {
  MatrixXd weights = source_heat(vertices, triangles, sources, options);
  const VectorXd phi = weights.rowwise().sum();
  std::vector<int> nearest;
  for (Eigen::Index i = 0; i < phi.size(); ++i) {
    if (std::abs(phi[i]) >= smallest_heat) {
      weights.row(i) /= phi[i];
      continue;
    }
    if (nearest.empty()) nearest = nearest_sources(vertices, triangles, sources);
    weights.row(i).setZero();
    weights(i, nearest[static_cast<std::size_t>(i)]) = 1;
  }
  return weights;
}

}  // namespace furrow
