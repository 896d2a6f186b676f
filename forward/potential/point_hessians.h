// What the surface potentials share: a potential given by its point Hessians.
#pragma once

#include <Eigen/Eigenvalues>

#include "forward/potential/surface_points.h"

namespace furrow {

/// out += S' (H (S v)).
inline void add_point_product(const SurfacePoints& points, const std::vector<Mat3>& H, const Positions& v,
                              Positions& out) {
  Positions f = points.at(v);
  for (Eigen::Index q = 0; q < f.rows(); ++q) f.row(q) = (H[q] * f.row(q).transpose()).transpose();
  points.add_transposed(f, out);
}

/// Eigenvalues clamped at zero.
inline Mat3 positive_part(const Mat3& h) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(h);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

}  // namespace furrow
