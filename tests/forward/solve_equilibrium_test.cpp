// Equilibria: two solvers, one answer; closed forms of a tied column; bad starts; the same digits for any
// number of threads.
#include "forward/solve/equilibrium.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "forward/solve/line_search.h"
#include "tests/forward/tet_body.h"

namespace furrow {
namespace {

using testing::TetBody;

const std::vector<Vec3> kGravities{{9810, 0, 0}, {0, -9810, 0}, {3000, 2000, -9000}};

class EquilibriumTest : public testing::EveryTet {
 protected:
  EquilibriumTest()
      : scene_(testing::tet_body(order()).scene(law())),
        factor_(scene_),
        newton_(scene_.symmetric_pattern(), scene_.dofs()) {
    factor_.refresh(theta_);
  }
  Equilibrium newton(const TissueTheta& theta, const Vec3& gravity, const Positions& start,
                     const EquilibriumOptions& options) {
    return solve_newton(scene_, theta, X_, gravity, start, newton_, options);
  }

  CompiledScene scene_;
  TissueTheta theta_ = testing::two_stiffnesses();
  FrozenFactor factor_;
  CholmodSolver newton_;
  const Positions& X_ = scene_.reference();
};

TEST_P(EquilibriumTest, LockstepAndNewtonAgree) {
  const auto poses = solve_lockstep(scene_, theta_, X_, kGravities, {X_, X_, testing::deformed(X_)}, factor_,
                                    {.tolerance = 1e-12});
  for (std::size_t p = 0; p < poses.size(); ++p) {
    EXPECT_EQ(poses[p].failure, SolveFailure::none) << poses[p].residual;
    Positions start = X_;
    if (p == 2) start = testing::deformed(X_);  // its fixed dofs are not those of X
    const Equilibrium own = newton(theta_, kGravities[p], start, {.tolerance = 1e-12});
    EXPECT_EQ(own.failure, SolveFailure::none) << own.residual;
    EXPECT_GT((own.x - X_).cwiseAbs().maxCoeff(), 0.1);
    EXPECT_LT((own.x - poses[p].x).cwiseAbs().maxCoeff(), 1e-9) << p;
    EXPECT_NEAR(own.energy, poses[p].energy, 1e-10 * std::abs(own.energy));
    EXPECT_NEAR(own.smallest_j, poses[p].smallest_j, 1e-9);
    for (int i = 0; i < scene_.node_count(); ++i)
      for (int c = 0; c < 3; ++c)
        if (scene_.dofs().dof[3 * i + c] < 0) {
          ASSERT_EQ(poses[p].x(i, c), start(i, c));
        }
  }
}

TEST_P(EquilibriumTest, StiffnessAndDensityScaleTogether) {
  TissueTheta scaled = theta_;
  scaled.young *= 50;
  scaled.density *= 50;
  const Equilibrium a = newton(theta_, kGravities[2], X_, {.tolerance = 1e-12}),
                    b = newton(scaled, kGravities[2], X_, {.tolerance = 1e-12});
  EXPECT_LT((a.x - b.x).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(b.energy, 50 * a.energy, 1e-9 * std::abs(b.energy));
}

TEST_P(EquilibriumTest, WithoutGravityNothingMoves) {
  const auto poses = solve_lockstep(scene_, theta_, X_, {Vec3::Zero()}, {X_}, factor_, {});
  EXPECT_EQ(poses[0].failure, SolveFailure::none);
  EXPECT_LT((poses[0].x - X_).cwiseAbs().maxCoeff(), 1e-12);
}

TEST_P(EquilibriumTest, TheLineSearchNeverAcceptsAnInvertedElement) {
  const ElementModuli moduli = scene_.moduli(theta_);
  const Positions none = Positions::Zero(scene_.node_count(), 3);
  Positions stretched = X_;
  scene_.dofs().scatter(1.2 * scene_.dofs().gather(X_), stretched);
  const Iterate from{stretched, evaluate_total(scene_, moduli, X_, stretched, none)};
  ASSERT_GT(from.value.smallest_j, 0);
  const VectorXd collapse = -2 * scene_.dofs().gather(stretched);
  ASSERT_LT(from.value.gradient.dot(collapse), 0);
  ASSERT_LE(evaluate_total(scene_, moduli, X_, stretched + scene_.dofs().spread(collapse), none).smallest_j,
            0);
  const auto to = backtrack(scene_, moduli, X_, none, from, collapse);
  ASSERT_TRUE(to);
  EXPECT_GT(to->value.smallest_j, 0.1 * from.value.smallest_j);
  EXPECT_LT(to->value.energy, from.value.energy);
  EXPECT_FALSE(backtrack(scene_, moduli, X_, none, from, -collapse));  // uphill
}

TEST_P(EquilibriumTest, BadStartsAreRefusedOrThresholded) {
  Positions bad = X_;
  scene_.dofs().scatter(scene_.dofs().gather(X_) +
                            testing::random_vector(scene_.dofs().free_count, 61, order() == 1 ? 3.0 : 1.2),
                        bad);
  ASSERT_LT(scene_.elastic().evaluate(X_, bad, scene_.moduli(theta_), false).smallest_j, 0);
  const Equilibrium refused = newton(theta_, kGravities[0], bad, {.tolerance = 1e-12});
  EXPECT_EQ(refused.failure, SolveFailure::inverted_start);
  const Equilibrium good = newton(theta_, kGravities[0], X_, {.tolerance = 1e-12});
  const Equilibrium healed =
      newton(theta_, kGravities[0], bad, {.tolerance = 1e-12, .inversion_thresholding = true});
  EXPECT_EQ(healed.failure, SolveFailure::none) << describe(healed.failure);
  EXPECT_LT((healed.x - good.x).cwiseAbs().maxCoeff(), 1e-9);
  const auto replaced =
      solve_lockstep(scene_, theta_, X_, {kGravities[0]}, {bad}, factor_, {.tolerance = 1e-12});
  EXPECT_EQ(replaced[0].failure, SolveFailure::none);
  EXPECT_LT((replaced[0].x - good.x).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_P(EquilibriumTest, TheIterationLimitIsReportedNotThrown) {
  const EquilibriumOptions options{.tolerance = 1e-12, .max_iterations = 1};
  EXPECT_EQ(newton(theta_, kGravities[0], X_, options).failure, SolveFailure::iterations);
  const auto poses = solve_lockstep(scene_, theta_, X_, kGravities, {X_, X_, X_}, factor_, options);
  for (const Equilibrium& pose : poses) EXPECT_EQ(pose.failure, SolveFailure::iterations);
}

INSTANTIATE_TEST_SUITE_P(All, EquilibriumTest,
                         ::testing::Combine(::testing::ValuesIn(testing::kLaws), ::testing::Values(1, 2)),
                         testing::tet_name);

/// A slab's column, laterally tied: what is held across the motion depends on the load.
Positions solve_column(int cells, const Vec3& gravity, bool tangential, Law law) {
  TetMesh mesh = elevate_order(testing::box_mesh(Vec3(6, 5, 10), cells));
  FixedFlags fixed = FixedFlags::Constant(mesh.node_count(), 3, false);
  for (int i = 0; i < mesh.node_count(); ++i) {
    if (mesh.nodes(i, 2) < 1e-9) fixed.row(i).setConstant(true);
    const bool side = mesh.nodes(i, 0) < 1e-9 || mesh.nodes(i, 0) > 6 - 1e-9 || mesh.nodes(i, 1) < 1e-9 ||
                      mesh.nodes(i, 1) > 5 - 1e-9;
    if (side && tangential) fixed(i, 1) = fixed(i, 2) = true;
    if (side && !tangential) fixed(i, 0) = fixed(i, 1) = true;
  }
  SparseRows one(mesh.element_count(), 1);
  one = MatrixXd::Ones(mesh.element_count(), 1).sparseView();
  const CompiledScene scene(mesh.elements, mesh.nodes, one, fixed, law);
  CholmodSolver solver(scene.symmetric_pattern(), scene.dofs());
  const TissueTheta theta{VectorXd::Constant(1, 2.5e-3), 0.45, 1e-9};
  const Equilibrium solved =
      solve_newton(scene, theta, mesh.nodes, gravity, mesh.nodes, solver, {.tolerance = 1e-12});
  EXPECT_EQ(solved.failure, SolveFailure::none) << describe(solved.failure);
  Positions top(0, 3);
  for (int i = 0; i < mesh.node_count(); ++i)
    if (mesh.nodes(i, 2) > 10 - 1e-9) {
      top.conservativeResize(top.rows() + 1, 3);
      top.bottomRows<1>() = solved.x.row(i) - mesh.nodes.row(i);
    }
  return top;
}

TEST(TiedColumn, TangentialGravityShearsItByTheClosedForm) {
  // neo_hookean in simple shear: P_xz = mu u', P_zz = 0, so u = rho g (H z - z^2/2) / mu, 0.568980 mm at the
  // top
  const double mu = 2.5e-3 / (2 * 1.45), exact = 1e-9 * 9810 * 100 / (2 * mu);
  EXPECT_NEAR(exact, 0.56898, 1e-9);
  const Positions top = solve_column(2, Vec3(9810, 0, 0), true, Law::neo_hookean);
  for (Eigen::Index i = 0; i < top.rows(); ++i) {
    EXPECT_NEAR(top(i, 0), exact, 1e-3 * exact);
    EXPECT_LT(std::hypot(top(i, 1), top(i, 2)), 1e-6);
  }
}

TEST(TiedColumn, NormalGravityPressesAndPullsItByTheClosedForm) {
  // P_zz(s) = mu (s - 1/s) + lambda ln s / s = rho g_z (H - z), u = integral of s - 1; the isochoric figures
  // are another code's
  const auto mean = [](const Positions& top) { return top.col(2).mean(); };
  EXPECT_NEAR(mean(solve_column(3, Vec3(0, 0, -9810), false, Law::neo_hookean)), -0.051260364, 1e-5 * 0.05);
  EXPECT_NEAR(mean(solve_column(3, Vec3(0, 0, 9810), false, Law::neo_hookean)), 0.052200978, 1e-5 * 0.05);
  EXPECT_NEAR(mean(solve_column(3, Vec3(0, 0, -9810), false, Law::neo_hookean_isochoric)), -0.05167465,
              1e-5 * 0.05);
  EXPECT_NEAR(mean(solve_column(3, Vec3(0, 0, 9810), false, Law::neo_hookean_isochoric)), 0.051775549,
              1e-5 * 0.05);
}

TEST(Threads, OneAndTwoGiveTheSameDigits) {
  const TetBody body = testing::tet_body(2, 6);
  auto solve = [&](int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const CompiledScene scene = body.scene(Law::neo_hookean);
    const TissueTheta theta = testing::two_stiffnesses();
    FrozenFactor factor(scene);
    factor.refresh(theta);
    const Positions& X = scene.reference();
    MatrixXd out(X.size(), kGravities.size() + 2);
    const auto poses = solve_lockstep(scene, theta, X, kGravities, {X, X, X}, factor, {});
    for (std::size_t p = 0; p < poses.size(); ++p) out.col(p) = testing::flat(poses[p].x);
    CholmodSolver solver(scene.symmetric_pattern(), scene.dofs());
    out.col(3) = testing::flat(solve_newton(scene, theta, X, kGravities[0], X, solver, {}).x);
    out.col(4) = testing::flat(
        scene.elastic().rest_pullback(X, poses[0].x, scene.moduli(theta), Vec3(1, 2, 3), poses[1].x));
    return out;
  };
  const MatrixXd one = solve(1);
  for (int twice = 0; twice < 2; ++twice) EXPECT_TRUE(solve(2) == one);
}

}  // namespace
}  // namespace furrow
