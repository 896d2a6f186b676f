// What every element of a shell must reproduce: constant strain whatever the mesh, convergence at the rate of
// its order, rigid motions for nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "forward/compiled_shell.h"
#include "forward/material/layer_moduli.h"
#include "forward/mesh/prism_shell.h"

namespace furrow {
namespace {

/// Skin alone.
struct Block {
  Block(PrismMesh m, RuleKind rule, const FixedFlags& fixed, Volumetric volumetric = Volumetric::quadratic) {
    ShellPhysics physics;
    physics.elastic.rule = rule;
    physics.elastic.volumetric = volumetric;
    physics.surface_rule = triangle_rule(1);
    const std::size_t layers = m.layers.size();
    shell = std::make_unique<CompiledShell>(std::move(m), physics, fixed);
    LayerTheta layer;
    layer.young = 1;
    layer.poisson = 0.3;
    layer.stiffening = 0.5;
    layer.steady_fraction = 1;
    theta.layers.assign(layers, layer);
    theta.ligament_b = VectorXd::Zero(shell->inner().nodes().size());
    from = shell->rest_state();
  }

  /// Newton on the skin's energy - load . x from `x`, whose fixed dofs stay.
  Positions solve(Positions x, const Positions& load) const {
    HessianSum sum = shell->empty_hessian();
    for (int k = 0; k < 20; ++k) {
      Positions g = -load;
      shell->elastic().value(x, {from, frame, theta}, &g);
      const VectorXd residual = shell->dofs().gather(g);
      if (k > 0 && residual.lpNorm<Eigen::Infinity>() < 1e-14) break;
      sum.clear();
      shell->elastic().add_hessian(x, {from, frame, theta}, false, sum);
      if (!shell->solver().factorize(sum.values())) throw std::runtime_error("not a minimum");
      x -= shell->dofs().spread(VectorXd(shell->solver().solve(residual)));
    }
    return x;
  }

  std::unique_ptr<CompiledShell> shell;
  ShellTheta theta;
  ShellState from;
  Frame frame;
};

Mat3 stretch() {
  return (Mat3() << 1.12, 0.05, -0.03, 0.02, 0.93, 0.06, -0.04, 0.03, 1.05).finished();
}

ThicknessPlan stack(int elements) {
  ThicknessPlan plan;
  plan.element_cuts.clear();
  for (int k = 0; k <= elements; ++k) plan.element_cuts.push_back(k / static_cast<double>(elements));
  return plan;
}

FixedFlags boundary_of(const PrismMesh& mesh) {
  FixedFlags fixed = FixedFlags::Constant(mesh.nodes.rows(), 3, false);
  for (const auto& nodes : {mesh.rim, mesh.inner_nodes(), mesh.outer_nodes()})
    for (const int node : nodes) fixed.row(node).setConstant(true);
  return fixed;
}

class PatchTest : public ::testing::TestWithParam<std::tuple<int, int, RuleKind>> {};

/// x = A X + c on the boundary, nothing else: the same inside. The mesh is bent and its insides are moved, as
/// far as the rule integrates exactly: straight-sided prisms at order 1, quadratic maps above.
TEST_P(PatchTest, ConstantStrain) {
  const auto [p, q, rule] = GetParam();
  PatchOptions options{3, 2, 3.0, 2.2, 1.2, {}};
  if (p > 1) options.height = [](double x, double y) { return -0.05 * x * x + 0.03 * x * y - 0.04 * y * y; };
  PrismMesh mesh = make_patch({p, q}, options, stack(3));
  for (Eigen::Index n = 0; n < mesh.nodes.rows(); ++n) {
    const double u = mesh.nodes(n, 0), v = mesh.nodes(n, 1);
    if (p > 1) {
      mesh.nodes(n, 0) += 0.05 * (u * u - 2.25) + 0.04 * u * v;
      mesh.nodes(n, 1) += 0.06 * (v * v - 1.21);
    } else if (std::abs(u) < 1.4 &&
               std::abs(v) < 1.0) {  // whole columns: the prisms stay affine in the plane
      mesh.nodes(n, 0) += 0.1;
      mesh.nodes(n, 1) -= 0.07;
    }
  }
  check_prism_mesh(mesh, "patch");
  const Positions exact = (mesh.nodes * stretch().transpose()).rowwise() + Vec3(0.3, -0.2, 0.1).transpose();
  const FixedFlags fixed = boundary_of(mesh);
  const Block block(mesh, rule, fixed);
  ASSERT_GT(block.shell->dofs().free_count, 0);
  Positions start = exact;
  for (Eigen::Index n = 0; n < start.rows(); ++n)
    if (!fixed(n, 0))
      start.row(n) += 0.01 / p * Vec3(std::sin(n), std::cos(3 * n), std::sin(5 * n)).transpose();
  const Positions solved = block.solve(start, Positions::Zero(exact.rows(), 3));
  EXPECT_LT((solved - exact).cwiseAbs().maxCoeff(), 1e-11);
}
INSTANTIATE_TEST_SUITE_P(Orders, PatchTest,
                         ::testing::Combine(::testing::Range(1, 5), ::testing::Values(1, 2),
                                            ::testing::Values(RuleKind::tensor, RuleKind::exact)));

/// A smooth deformation of [-1, 1]^2 x [-1, 0] and its gradient.
struct Deformation {
  bool in_plane;  ///< sines in the plane and linear in z, or sines in z and linear in the plane
  Vec3 at(const Vec3& X) const { return X + displacement(X); }
  Vec3 displacement(const Vec3& X) const {
    if (in_plane) {
      const double s = std::sin(1.3 * X[0] + 0.4), c = std::cos(1.1 * X[1] - 0.3);
      return {0.12 * s * c, 0.1 * std::cos(X[0]) * std::sin(X[1] + 0.5) * (1 + 0.5 * X[2]),
              0.15 * s * std::sin(1.2 * X[1]) + 0.05 * X[2] * std::cos(X[0] + X[1])};
    }
    const double s = std::sin(2 * X[2] + 0.4);
    return {0.1 * s * (1 + 0.3 * X[1]), 0.08 * std::cos(1.8 * X[2]), 0.07 * s + 0.02 * X[0]};
  }
  Mat3 gradient(const Vec3& X) const {
    Mat3 G = Mat3::Identity();
    if (in_plane) {
      const double a = 1.3 * X[0] + 0.4, b = 1.1 * X[1] - 0.3, z = 1 + 0.5 * X[2];
      G(0, 0) += 0.12 * 1.3 * std::cos(a) * std::cos(b);
      G(0, 1) -= 0.12 * 1.1 * std::sin(a) * std::sin(b);
      G(1, 0) -= 0.1 * std::sin(X[0]) * std::sin(X[1] + 0.5) * z;
      G(1, 1) += 0.1 * std::cos(X[0]) * std::cos(X[1] + 0.5) * z;
      G(1, 2) += 0.05 * std::cos(X[0]) * std::sin(X[1] + 0.5);
      G(2, 0) += 0.15 * 1.3 * std::cos(a) * std::sin(1.2 * X[1]) - 0.05 * X[2] * std::sin(X[0] + X[1]);
      G(2, 1) += 0.15 * 1.2 * std::sin(a) * std::cos(1.2 * X[1]) - 0.05 * X[2] * std::sin(X[0] + X[1]);
      G(2, 2) += 0.05 * std::cos(X[0] + X[1]);
      return G;
    }
    const double s = std::sin(2 * X[2] + 0.4), c = 2 * std::cos(2 * X[2] + 0.4);
    G(0, 1) += 0.03 * s;
    G(0, 2) += 0.1 * c * (1 + 0.3 * X[1]);
    G(1, 2) -= 0.08 * 1.8 * std::sin(1.8 * X[2]);
    G(2, 2) += 0.07 * c;
    G(2, 0) += 0.02;
    return G;
  }
};

PackMat3 in_all_lanes(const Mat3& m) {
  PackMat3 out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out.m[i][j] = Pack{} + m(i, j);
  return out;
}

SkinModuli moduli_of(const LayerTheta& layer) {
  const LayerModuli from = layer_moduli(layer, 1, 1);
  SkinModuli m{};
  m.mu_inf = Pack{} + from.mu_inf;
  m.stiffening = Pack{} + from.stiffening;
  m.bulk = Pack{} + from.bulk;
  return m;
}

/// visit(element, point, weight det, dN/dX (nodes x 3), N) at every point of a rule finer than the skin's
/// own.
template <class Visit>
void for_each_point(const PrismMesh& mesh, const Visit& visit) {
  const PrismRule rule = tensor_rule(triangle_rule(12), 5);
  const PrismBasis basis = prism_basis(mesh.order, rule.points);
  for (Eigen::Index e = 0; e < mesh.elements.rows(); ++e) {
    Positions X(mesh.order.nodes(), 3);
    for (int a = 0; a < X.rows(); ++a) X.row(a) = mesh.nodes.row(mesh.elements(e, a));
    for (Eigen::Index g = 0; g < rule.weights.size(); ++g) {
      MatrixXd by_xi(X.rows(), 3);
      for (int k = 0; k < 3; ++k) by_xi.col(k) = basis.derivative[k].row(g);
      const Mat3 J = X.transpose() * by_xi;
      visit(e, X.transpose() * basis.value.row(g).transpose(), rule.weights[g] * J.determinant(),
            MatrixXd(by_xi * J.inverse()), VectorXd(basis.value.row(g)));
    }
  }
}

struct Errors {
  double l2 = 0, h1 = 0;
};

/// Body force -Div P and tractions P N of a deformation in their weak form, integral of P : grad N_a, act on
/// the mesh whose side walls are held where the deformation puts them; error of the solution.
Errors error_of(const Deformation& exact, PrismOrder order, int cells, int elements, RuleKind rule) {
  const PrismMesh mesh = make_patch(order, {cells, cells, 2, 2, 1, {}}, stack(elements));
  FixedFlags fixed = FixedFlags::Constant(mesh.nodes.rows(), 3, false);
  for (const int node : mesh.rim) fixed.row(node).setConstant(true);
  if (!exact.in_plane) fixed = boundary_of(mesh);
  const Block block(mesh, rule, fixed);
  const SkinModuli moduli = moduli_of(block.theta.layers[0]);
  Positions load = Positions::Zero(mesh.nodes.rows(), 3), start(mesh.nodes.rows(), 3);
  for (Eigen::Index n = 0; n < start.rows(); ++n)
    start.row(n) = exact.at(mesh.nodes.row(n).transpose()).transpose();
  for_each_point(mesh,
                 [&](Eigen::Index e, const Vec3& X, double weight, const MatrixXd& by_X, const VectorXd&) {
                   SkinPoint point;
                   point.F = in_all_lanes(exact.gradient(X));
                   const SkinStress stress = skin_stress(point, moduli);
                   Mat3 P;
                   for (int i = 0; i < 3; ++i)
                     for (int j = 0; j < 3; ++j) P(i, j) = stress.P.m[i][j][0];
                   for (int a = 0; a < by_X.rows(); ++a)
                     load.row(mesh.elements(e, a)) += weight * by_X.row(a) * P.transpose();
                 });
  const Positions x = block.solve(start, load);
  Errors sum;
  for_each_point(mesh,
                 [&](Eigen::Index e, const Vec3& X, double weight, const MatrixXd& by_X, const VectorXd& N) {
                   Positions local(by_X.rows(), 3);
                   for (int a = 0; a < local.rows(); ++a) local.row(a) = x.row(mesh.elements(e, a));
                   sum.l2 += weight * (local.transpose() * N - exact.at(X)).squaredNorm();
                   sum.h1 += weight * (local.transpose() * by_X - exact.gradient(X)).squaredNorm();
                 });
  return {std::sqrt(sum.l2), std::sqrt(sum.h1)};
}

class Convergence : public ::testing::TestWithParam<std::tuple<int, int, RuleKind>> {};

TEST_P(Convergence, InThePlane) {
  const auto [p, q, rule] = GetParam();
  const Deformation exact{true};
  const int coarse = p == 1 ? 8 : p == 2 ? 4 : 2;
  const Errors a = error_of(exact, {p, q}, coarse, 1, rule), b = error_of(exact, {p, q}, 2 * coarse, 1, rule);
  EXPECT_NEAR(std::log2(a.l2 / b.l2), p + 1, 0.25) << a.l2 << ' ' << b.l2;
  EXPECT_NEAR(std::log2(a.h1 / b.h1), p, 0.25) << a.h1 << ' ' << b.h1;
}
TEST_P(Convergence, ThroughTheThickness) {
  const auto [p, q, rule] = GetParam();
  const Deformation exact{false};
  const Errors a = error_of(exact, {p, q}, 2, 4, rule), b = error_of(exact, {p, q}, 2, 8, rule);
  EXPECT_NEAR(std::log2(a.l2 / b.l2), q + 1, 0.25) << a.l2 << ' ' << b.l2;
  EXPECT_NEAR(std::log2(a.h1 / b.h1), q, 0.25) << a.h1 << ' ' << b.h1;
}
INSTANTIATE_TEST_SUITE_P(Orders, Convergence,
                         ::testing::Combine(::testing::Range(1, 5), ::testing::Values(1, 2),
                                            ::testing::Values(RuleKind::tensor, RuleKind::exact)));

class RigidMotion : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(RigidMotion, CostsNothing) {
  const auto [p, q] = GetParam();
  for (const Volumetric volumetric : {Volumetric::quadratic, Volumetric::logarithmic}) {
    const PrismMesh mesh = make_patch(
        {p, q}, {2, 1, 3, 2, 1, [](double x, double y) { return -0.05 * x * x - 0.04 * y * y; }}, stack(2));
    const Block block(mesh, RuleKind::tensor, FixedFlags::Constant(mesh.nodes.rows(), 3, false), volumetric);
    const double stretched = block.shell->elastic()
                                 .value(1.01 * mesh.nodes, {block.from, block.frame, block.theta}, nullptr)
                                 .energy;
    for (int k = 0; k <= 12; ++k) {
      const Mat3 R = Eigen::AngleAxisd(k * std::acos(-1.0) / 6, Vec3(1, 0.3 * k - 1, 0.5).normalized())
                         .toRotationMatrix();
      const Positions x = (mesh.nodes * R.transpose()).rowwise() + Vec3(5, -3, 2).transpose();
      Positions force = Positions::Zero(x.rows(), 3);
      const double energy =
          block.shell->elastic().value(x, {block.from, block.frame, block.theta}, &force).energy;
      EXPECT_LT(std::abs(energy), 1e-20 * stretched) << "rotation " << k;
      EXPECT_LT(force.cwiseAbs().maxCoeff(), 1e-13) << "rotation " << k;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Orders, RigidMotion,
                         ::testing::Combine(::testing::Range(1, 5), ::testing::Values(1, 2)));

}  // namespace
}  // namespace furrow
