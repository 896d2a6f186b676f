// A small unstructured body: a block of uneven, for order 2 curved, tetrahedra in two clusters, its bottom
// fixed and two more nodes fixed in some components only.
#pragma once

#include "forward/compiled_scene.h"
#include "tests/forward/mesh_shapes.h"
#include "tests/support/check_derivative.h"

namespace furrow::testing {

struct TetBody {
  TetMesh mesh;
  SparseRows weights;  ///< elements x 2
  FixedFlags fixed;
  Vec3 size;

  CompiledScene scene(Law law) const { return CompiledScene(mesh.elements, mesh.nodes, weights, fixed, law); }
};

/// n x n x n cells; the number of elements is no multiple of four, so that a last pack is incomplete.
/// `curve`: how far the nodes of order 2 stray [mm].
inline TetBody tet_body(int order, int n = 2, double curve = 0.05) {
  TetBody body;
  body.size = Vec3(20, 16, 12);
  TetMesh mesh = box_mesh(body.size, n);
  mesh.elements.conservativeResize(mesh.elements.rows() - 1, Eigen::NoChange);
  mesh.nodes +=
      random_vector(3 * mesh.node_count(), 3, 0.5 / n).reshaped<Eigen::RowMajor>(mesh.node_count(), 3);
  if (order == 2) {
    mesh = elevate_order(mesh);
    mesh.nodes +=
        random_vector(3 * mesh.node_count(), 4, curve).reshaped<Eigen::RowMajor>(mesh.node_count(), 3);
  }
  const VectorXd share = 0.5 * (random_vector(mesh.element_count(), 5).array().sin() + 1);
  MatrixXd weights(mesh.element_count(), 2);
  weights << share, (1 - share.array()).matrix();
  body.weights = weights.sparseView();
  body.fixed = FixedFlags::Constant(mesh.node_count(), 3, false);
  for (int i = 0; i < mesh.node_count(); ++i)
    if (mesh.nodes(i, 2) < 0.35 * body.size[2] / n) body.fixed.row(i).setConstant(true);
  body.fixed.row(mesh.node_count() - 1) << true, false, false;
  body.fixed.row(mesh.node_count() / 2) << false, true, true;
  body.mesh = std::move(mesh);
  return body;
}

/// About 5 % of strain and a little noise; fixed dofs move too.
inline Positions deformed(const Positions& X) {
  Mat3 A;
  A << 1.04, 0.05, -0.02, 0.01, 0.97, 0.04, 0.06, -0.03, 1.02;
  return X * A.transpose() +
         random_vector(static_cast<int>(X.size()), 6, 0.06).reshaped<Eigen::RowMajor>(X.rows(), 3);
}

inline TissueTheta two_stiffnesses(double poisson = 0.45) {
  return {Eigen::Vector2d(3e-3, 5e-3), poisson, 1e-9};
}

inline VectorXd flat(const Positions& p) {
  return Eigen::Map<const VectorXd>(p.data(), p.size());
}
inline Positions unflat(const VectorXd& v) {
  return Eigen::Map<const Positions>(v.data(), v.size() / 3, 3);
}

inline constexpr Law kLaws[] = {Law::neo_hookean, Law::neo_hookean_isochoric};

/// Law and order.
class EveryTet : public ::testing::TestWithParam<std::tuple<Law, int>> {
 protected:
  Law law() const { return std::get<0>(GetParam()); }
  int order() const { return std::get<1>(GetParam()); }
};

inline std::string tet_name(const ::testing::TestParamInfo<std::tuple<Law, int>>& info) {
  return std::string(std::get<0>(info.param) == Law::neo_hookean ? "NeoHookean" : "Isochoric") + "Order" +
         std::to_string(std::get<1>(info.param));
}

}  // namespace furrow::testing
