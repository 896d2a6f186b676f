// A block of quartic prisms on rollers, stretched by 30 %: the numbers of GetFEM's identical element,
// FEM_PRODUCT(FEM_PK(2,4),FEM_PK(1,2)), to ten digits. data/cases/getfem-uniaxial computes them there.
#include <gtest/gtest.h>

#include <cmath>

#include "forward/mesh/prism_shell.h"
#include "forward/solve/trajectory.h"

namespace furrow {
namespace {

constexpr double kStretch = 1.3;

/// Hencky law psi = mu |dev ln U|^2 + K vol(J) with mu = 1 MPa, K = 5 MPa.
ShellTheta hencky(const CompiledShell& shell) {
  constexpr double mu = 1, bulk = 5;
  LayerTheta layer;
  layer.young = 9 * bulk * mu / (3 * bulk + mu);
  layer.poisson = (3 * bulk - 2 * mu) / (6 * bulk + 2 * mu);
  layer.stiffening = 0;
  layer.steady_fraction = 1;
  layer.prestretch.setOnes();
  ShellTheta theta;
  theta.layers = {layer};
  theta.ligament_b = VectorXd::Zero(shell.inner().nodes().size());
  return theta;
}

/// Three planes of symmetry and, opposite the first of them, the face that is pulled along x.
struct Rollers {
  FixedFlags fixed;
  std::vector<int> pulled;

  explicit Rollers(const Positions& X) : fixed(FixedFlags::Constant(X.rows(), 3, false)) {
    const Vec3 low = X.colwise().minCoeff(), high = X.colwise().maxCoeff();
    for (int n = 0; n < X.rows(); ++n) {
      for (int c = 0; c < 3; ++c) fixed(n, c) = std::abs(X(n, c) - low[c]) < 1e-9;
      if (std::abs(X(n, 0) - high[0]) > 1e-9) continue;
      fixed(n, 0) = true;
      pulled.push_back(n);
    }
  }
};

struct Uniaxial {
  double lateral = 0;     ///< stretch along y
  double nominal = 0;     ///< P11: what pulls over the area at rest [MPa]
  double unevenness = 0;  ///< largest distance from the uniform stretch [mm]
};

/// Nodes inside the block are moved at rest, so that a uniform stretch is not what the mesh is made for.
Uniaxial stretched(PrismOrder order, RuleKind rule, Volumetric volumetric) {
  const PatchOptions patch{2, 1, 3, 2, 1, {}};
  PrismMesh mesh = make_patch(order, patch, {{0, 0.4, 1}, {0, 1}, {"block"}});
  const Rollers rollers(mesh.nodes);
  for (int n = 0; n < mesh.nodes.rows(); ++n) {
    const double u = mesh.nodes(n, 0), v = mesh.nodes(n, 1);
    mesh.nodes(n, 0) += 0.04 * (u * u - 2.25);
    mesh.nodes(n, 1) += 0.05 * (v * v - 1);
  }
  ShellPhysics physics;
  physics.elastic.rule = rule;
  physics.elastic.volumetric = volumetric;
  physics.surface_rule = triangle_rule(1);
  const CompiledShell shell(mesh, physics, rollers.fixed);
  const ShellTheta theta = hencky(shell);
  const Positions& X = mesh.nodes;
  const Vec3 low = X.colwise().minCoeff();
  ShellSchedule schedule;
  schedule.dt = 0.5;
  schedule.frames = 2;
  schedule.solver.tolerance = 1e-13;
  schedule.boundary = [&](double t) {
    Positions x = X;
    for (const int n : rollers.pulled) x(n, 0) += t * (kStretch - 1) * patch.size_x;
    return x;
  };
  const Trajectory run = simulate(shell, theta, schedule);
  EXPECT_EQ(run.failure, StepFailure::none);
  const TapeEntry& last = run.tape[run.frames.back().last_step];
  const Positions& x = last.to->x;
  const ShellValue value = shell.evaluate(x, {*last.from, last.step->frame(), theta}, true);
  Uniaxial out;
  for (const int n : rollers.pulled) out.nominal += value.gradient(n, 0) / (patch.size_y * patch.thickness);
  out.lateral = (x.col(1).maxCoeff() - low[1]) / patch.size_y;
  const Vec3 stretch(kStretch, out.lateral, out.lateral);
  for (int n = 0; n < X.rows(); ++n) {
    const Vec3 at = X.row(n).transpose();
    const Vec3 uniform = low + stretch.cwiseProduct(at - low);
    out.unevenness = std::max(out.unevenness, (x.row(n).transpose() - uniform).norm());
  }
  return out;
}

class UniaxialStretch : public ::testing::TestWithParam<RuleKind> {};

TEST_P(UniaxialStretch, OfTheQuadraticVolumetricEnergy) {
  const Uniaxial block = stretched({4, 2}, GetParam(), Volumetric::quadratic);
  EXPECT_NEAR(block.lateral, 0.897506973093, 1e-12);
  EXPECT_NEAR(block.nominal, 0.569997928699, 1e-12);
  EXPECT_LT(block.unevenness, 1e-11);
}
/// Here in closed form too: P11 = E ln l / l, lateral stretch l^-nu.
TEST_P(UniaxialStretch, OfTheLogarithmicVolumetricEnergy) {
  const Uniaxial block = stretched({4, 2}, GetParam(), Volumetric::logarithmic);
  EXPECT_NEAR(block.lateral, 0.898898204865, 1e-12);
  EXPECT_NEAR(block.nominal, 0.567614995242, 1e-12);
  EXPECT_NEAR(block.nominal, 2.8125 * std::log(kStretch) / kStretch, 1e-13);
  EXPECT_NEAR(block.lateral, std::pow(kStretch, -0.40625), 1e-13);
  EXPECT_LT(block.unevenness, 1e-11);
}
INSTANTIATE_TEST_SUITE_P(Rules, UniaxialStretch, ::testing::Values(RuleKind::tensor, RuleKind::exact));

}  // namespace
}  // namespace furrow
