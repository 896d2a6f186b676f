// The reference that assembly is measured against: what one writes with Eigen and triplets, one thread,
// linear tetrahedra.
#pragma once

#include "forward/compiled_scene.h"

namespace furrow::bench {

inline Mat3 corner_matrix(const Elements& elements, const Positions& p, int e) {
  Mat3 m;
  for (int a = 0; a < 3; ++a) m.col(a) = (p.row(elements(e, a + 1)) - p.row(elements(e, 0))).transpose();
  return m;
}

/// Shape gradients, rows per node.
inline Eigen::Matrix<double, 4, 3> shape_gradients(const Mat3& rest_inverse) {
  Eigen::Matrix<double, 4, 3> g;
  g.bottomRows<3>() = rest_inverse;
  g.row(0) = -rest_inverse.colwise().sum();
  return g;
}

inline VectorXd plain_gradient(const CompiledScene& scene, const Positions& X, const Positions& x,
                               const ElementModuli& moduli) {
  VectorXd r = VectorXd::Zero(3 * scene.node_count());
  for (int e = 0; e < scene.element_count(); ++e) {
    const Mat3 rest = corner_matrix(scene.elements(), X, e), inverse = rest.inverse();
    const Mat3 F = corner_matrix(scene.elements(), x, e) * inverse;
    const Mat3 P = evaluate_point(Law::neo_hookean, {moduli.mu[e], moduli.k[e]}, F).stress;
    const Eigen::Matrix<double, 4, 3> forces =
        rest.determinant() / 6 * shape_gradients(inverse) * P.transpose();
    for (int a = 0; a < 4; ++a) r.segment<3>(3 * scene.elements()(e, a)) += forces.row(a).transpose();
  }
  return r;
}

inline Eigen::SparseMatrix<double> plain_hessian(const CompiledScene& scene, const Positions& X,
                                                 const Positions& x, const ElementModuli& moduli) {
  using Mat9 = Eigen::Matrix<double, 9, 9>;
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(144 * static_cast<std::size_t>(scene.element_count()));
  for (int e = 0; e < scene.element_count(); ++e) {
    const Mat3 rest = corner_matrix(scene.elements(), X, e), inverse = rest.inverse();
    const Mat3 F = corner_matrix(scene.elements(), x, e) * inverse, G = F.inverse();
    const double mu = moduli.mu[e], lambda = moduli.k[e], log_j = std::log(F.determinant());
    Mat9 C;  // dP_ij / dF_kl, row-major pairs
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l)
            C(3 * i + j, 3 * k + l) = mu * (i == k && j == l) + (mu - lambda * log_j) * G(l, i) * G(j, k) +
                                      lambda * G(j, i) * G(l, k);
    Eigen::Matrix<double, 9, 12> B = Eigen::Matrix<double, 9, 12>::Zero();
    const Eigen::Matrix<double, 4, 3> g = shape_gradients(inverse);
    for (int a = 0; a < 4; ++a)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) B(3 * i + j, 3 * a + i) = g(a, j);
    const Eigen::Matrix<double, 12, 12> K = rest.determinant() / 6 * B.transpose() * C * B;
    for (int a = 0; a < 12; ++a)
      for (int b = 0; b < 12; ++b) {
        const int row = scene.dofs().dof[3 * scene.elements()(e, a / 3) + a % 3];
        const int column = scene.dofs().dof[3 * scene.elements()(e, b / 3) + b % 3];
        if (row >= 0 && column >= 0) triplets.emplace_back(row, column, K(a, b));
      }
  }
  Eigen::SparseMatrix<double> H(scene.dofs().free_count, scene.dofs().free_count);
  H.setFromTriplets(triplets.begin(), triplets.end());
  return H;
}

}  // namespace furrow::bench
