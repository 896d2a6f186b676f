#include "forward/solve/uninvert.h"

#include <Eigen/SVD>
#include <algorithm>

#include "forward/element/lagrange_tet.h"

namespace furrow {

namespace {

constexpr double kThreshold = 0.3;  ///< smallest singular value at which the law is evaluated

/// Signed SVD: F = U diag(s) V' with rotations U, V; only the last singular value may be negative. Clamped
/// from below.
Mat3 thresholded(const Mat3& F) {
  Eigen::JacobiSVD<Mat3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 U = svd.matrixU(), V = svd.matrixV();
  Vec3 s = svd.singularValues();
  if (U.determinant() < 0) U.col(2) *= -1, s[2] *= -1;
  if (V.determinant() < 0) V.col(2) *= -1, s[2] *= -1;
  return U * s.cwiseMax(kThreshold).asDiagonal() * V.transpose();
}

struct Forces {
  VectorXd residual;
  double smallest_j;
};

Forces thresholded_residual(const CompiledScene& scene, const ElementModuli& moduli, const Positions& X,
                            const Positions& x, const Positions& force) {
  const int n = static_cast<int>(scene.elements().cols()), points = n == 4 ? 1 : 4;
  Positions gradient = -force;
  double smallest = 1e300;
  for (int e = 0; e < scene.element_count(); ++e)
    for (int q = 0; q < points; ++q) {
      const auto* dN = n == 4 ? linear_tet().gradient[q] : quadratic_tet().gradient[q];
      const double weight = n == 4 ? linear_tet().weight[q] : quadratic_tet().weight[q];
      Mat3 rest = Mat3::Zero(), now = Mat3::Zero();
      for (int a = 0; a < n; ++a) {
        const Eigen::RowVector3d d(dN[a][0], dN[a][1], dN[a][2]);
        rest += X.row(scene.elements()(e, a)).transpose() * d;
        now += x.row(scene.elements()(e, a)).transpose() * d;
      }
      const Mat3 inverse = rest.inverse(), F = now * inverse;
      smallest = std::min(smallest, F.determinant());
      const Mat3 P = evaluate_point(scene.law(), {moduli.mu[e], moduli.k[e]}, thresholded(F)).stress;
      const Mat3 per_reference = weight * rest.determinant() * P * inverse.transpose();
      for (int a = 0; a < n; ++a)
        gradient.row(scene.elements()(e, a)) +=
            (per_reference * Vec3(dN[a][0], dN[a][1], dN[a][2])).transpose();
    }
  return {scene.dofs().gather(gradient), smallest};
}

}  // namespace

Positions uninvert(const CompiledScene& scene, const TissueTheta& theta, const Positions& X,
                   const Positions& force, const Positions& start, CholmodSolver& solver) {
  const ElementModuli moduli = scene.moduli(theta);
  std::vector<double> values;
  scene.elastic().hessian(X, X, moduli, scene.dofs(), scene.symmetric_pattern(), values);
  if (!solver.factorize(values)) return start;
  constexpr double kStep =
      0.15;  // stress is up to five times steeper at the threshold than at rest, where the factor was made
  Positions x = start;
  for (int iteration = 0; iteration < 200; ++iteration) {
    const Forces now = thresholded_residual(scene, moduli, X, x, force);
    if (now.smallest_j > 0.05) return x;
    x -= scene.dofs().spread(kStep * solver.solve(now.residual).col(0));
  }
  return start;
}

}  // namespace furrow
