// The linear elastic stiffness of one affine prism, written out plainly: what a quadrature rule does to its
// rank.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "forward/element/quadrature.h"

namespace furrow::testing {

inline nlohmann::json read_golden(const std::string& name) {
  std::ifstream in(std::string(FURROW_SOURCE_DIR) + "/tests/golden/" + name);
  return nlohmann::json::parse(in);
}

/// K = sum_q w_q det J B_q^T C B_q with sigma = 2 mu dev(eps) + K tr(eps) I, mu = 0.3, K = 16.
inline MatrixXd affine_stiffness(PrismOrder order, const PrismRule& rule) {
  const Mat3 map = (Mat3() << 2, 0.3, 0.1, -0.2, 1.5, 0.2, 0.1, -0.1, 0.7).finished();  // dX/dxi
  const Mat3 inverse = map.inverse();
  const PrismBasis basis = prism_basis(order, rule.points);
  Eigen::Matrix<double, 6, 6> C = Eigen::Matrix<double, 6, 6>::Zero();
  C.topLeftCorner<3, 3>().setConstant(16 - 2.0 / 3 * 0.3);
  C.diagonal() += (Eigen::Matrix<double, 6, 1>() << 0.6, 0.6, 0.6, 0.3, 0.3, 0.3).finished();
  MatrixXd K = MatrixXd::Zero(3 * order.nodes(), 3 * order.nodes());
  for (Eigen::Index g = 0; g < rule.weights.size(); ++g) {
    MatrixXd B = MatrixXd::Zero(6, K.rows());
    for (int n = 0; n < order.nodes(); ++n) {
      const Vec3 by_xi(basis.derivative[0](g, n), basis.derivative[1](g, n), basis.derivative[2](g, n));
      const Vec3 d = inverse.transpose() * by_xi;
      B.middleCols<3>(3 * n) << d[0], 0, 0, 0, d[1], 0, 0, 0, d[2], d[1], d[0], 0, d[2], 0, d[0], 0, d[2],
          d[1];
    }
    K += rule.weights[g] * map.determinant() * B.transpose() * C * B;
  }
  return K;
}

inline int zero_modes(const MatrixXd& K) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(K, Eigen::EigenvaluesOnly);
  return static_cast<int>((solver.eigenvalues().array() < 1e-9 * solver.eigenvalues().maxCoeff()).count());
}

}  // namespace furrow::testing
