// golden/tet_gravity.json: both gradients of J = 1/2 sum over poses and observed nodes |x(E) -
// x(E_target)|^2.
#include <gtest/gtest.h>

#include "inverse/gravity_experiment.h"
#include "tests/forward/tet_golden.h"

namespace furrow {
namespace {

using testing::TetGolden;

struct Misfit {
  TetGolden golden = testing::read_tet_golden();
  CompiledScene scene = golden.scene();
  FrozenFactor factor{scene};
  GravityExperiment experiment{
      scene, {RestMode::known, Vec3::Zero(), golden.gravities}, {.tolerance = 1e-12}};
  bool tight = (experiment.krylov.tolerance = 1e-12, true);
  ExperimentSolution now = experiment.solve(golden.theta, {}, factor);
  std::vector<Positions> bars;
  double value = 0;

  Misfit() {
    TissueTheta target = golden.theta;
    target.young = VectorXd(2);
    target.young << golden.json["target_E"][0].get<double>(), golden.json["target_E"][1].get<double>();
    const ExperimentSolution wanted = experiment.solve(target, {}, factor);
    for (std::size_t p = 0; p < golden.gravities.size(); ++p) {
      Positions bar = Positions::Zero(scene.node_count(), 3);
      for (const int node : golden.observed) bar.row(node) = now.x[p].row(node) - wanted.x[p].row(node);
      value += 0.5 * bar.squaredNorm();
      bars.push_back(bar);
    }
  }
  std::vector<VectorXd> free_bars() const {
    std::vector<VectorXd> out;
    for (const Positions& bar : bars) out.push_back(scene.dofs().gather(bar));
    return out;
  }
};

TEST(TetGoldenGradient, StiffnessByAdjointAndTangent) {
  Misfit misfit;
  ASSERT_TRUE(misfit.now.ok);
  EXPECT_NEAR(misfit.value, misfit.golden.json["objective"].get<double>(), 1e-8 * misfit.value);
  const auto pullback = misfit.experiment.pullback(misfit.now, misfit.golden.gravities, misfit.free_bars(),
                                                   {0, 1}, misfit.factor);
  const auto tangent =
      misfit.experiment.tangent(misfit.now, misfit.golden.gravities, {0, 1}, {}, misfit.factor);
  for (int c = 0; c < 2; ++c) {
    const double expected = misfit.golden.json["grad_E_adjoint"][c].get<double>();
    EXPECT_NEAR(pullback.theta[c], expected, 1e-6 * std::abs(expected));
    double by_tangent = 0;
    for (std::size_t p = 0; p < tangent.x.size(); ++p)
      by_tangent += tangent.x[p].col(c).dot(misfit.free_bars()[p]);
    EXPECT_NEAR(by_tangent, pullback.theta[c], 1e-9 * std::abs(expected));
  }
}

TEST(TetGoldenGradient, RestShapeInBothConventionsForClampedNodes) {
  Misfit misfit;
  const auto pullback =
      misfit.experiment.pullback(misfit.now, misfit.golden.gravities, misfit.free_bars(), {}, misfit.factor);
  const Positions held = testing::positions_of(misfit.golden.json["grad_X_adjoint_clamp_held"]);
  EXPECT_LT((pullback.X - held).norm(), 1e-6 * held.norm());
}

TEST(TetGoldenGradient, AgreesWithFiniteDifferencesOfAnInverseRestShape) {
  Misfit misfit;
  const TetGolden& golden = misfit.golden;
  GravityExperiment inverse(
      misfit.scene, {RestMode::inverse, golden.gravities[0], {golden.gravities[1], golden.gravities[3]}},
      {.tolerance = 1e-12});
  inverse.krylov.tolerance = 1e-13;
  auto solve = [&](const VectorXd& theta) {
    return inverse.solve(TissueTheta::from_flat(theta), {}, misfit.factor);
  };
  const VectorXd theta = golden.theta.flat();
  const ExperimentSolution at = solve(theta);
  ASSERT_TRUE(at.ok) << at.failure;
  const std::vector<int> which{0, 1, 2, 3};
  const auto gravities = inverse.gravity_case().gravities;
  const auto tangent = inverse.tangent(at, gravities, which, {}, misfit.factor);
  for (const int k : which) {
    auto difference = [&](double h) {
      if (k == 2) h *= 0.1;  // 1 - 2 nu is small
      VectorXd up = theta, down = theta;
      up[k] *= 1 + h;
      down[k] *= 1 - h;
      return VectorXd(
          (misfit.scene.dofs().gather(solve(up).x[1]) - misfit.scene.dofs().gather(solve(down).x[1])) /
          (2 * h * theta[k]));
    };
    const double exact = tangent.x[1].col(k).norm();
    const double coarse = (difference(4e-3) - tangent.x[1].col(k)).norm(),
                 fine = (difference(2e-3) - tangent.x[1].col(k)).norm();
    EXPECT_LT(fine, 1e-5 * exact) << k;
    if (fine > 1e-8 * exact) {
      EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.05) << k;
    }
  }
  // adjoint = tangent
  std::vector<VectorXd> bars;
  for (std::size_t p = 0; p < gravities.size(); ++p)
    bars.push_back(VectorXd::LinSpaced(misfit.scene.dofs().free_count, -1, 2));
  const auto pullback = inverse.pullback(at, gravities, bars, which, misfit.factor);
  for (const int k : which) {
    double by_tangent = 0;
    for (std::size_t p = 0; p < bars.size(); ++p) by_tangent += tangent.x[p].col(k).dot(bars[p]);
    EXPECT_NEAR(by_tangent, pullback.theta[k], 1e-9 * std::abs(by_tangent)) << k;
  }
}

}  // namespace
}  // namespace furrow
