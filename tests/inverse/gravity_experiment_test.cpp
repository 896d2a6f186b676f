// From stiffnesses to a rest shape to poses, and its exact derivative in both directions.
#include "inverse/gravity_experiment.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "inverse/linearized_equilibrium.h"
#include "inverse/rest_shape.h"
#include "tests/forward/tet_body.h"

namespace furrow {
namespace {

using testing::random_vector;
using testing::two_stiffnesses;

const Vec3 kNeutral(0, -9810, 0);
const std::vector<Vec3> kGravities{{9810, 0, 0}, {2000, 4000, -8500}};

class ExperimentTest : public testing::EveryTet {
 protected:
  ExperimentTest() : scene_(testing::tet_body(order()).scene(law())), factor_(scene_) {
    factor_.refresh(theta_);
  }

  GravityExperiment experiment(RestMode rest) const {
    GravityExperiment out(scene_, {rest, kNeutral, kGravities}, {.tolerance = 1e-12});
    out.krylov.tolerance = 1e-13;
    return out;
  }
  MatrixXd dense(const std::function<MatrixXd(const MatrixXd&)>& apply) const {
    return apply(MatrixXd::Identity(scene_.dofs().free_count, scene_.dofs().free_count));
  }

  CompiledScene scene_;
  TissueTheta theta_ = two_stiffnesses();
  FrozenFactor factor_;
};

TEST_P(ExperimentTest, TheRestShapeSagsBackIntoTheNeutral) {
  const Positions& neutral = scene_.reference();
  const RecoveredRest rest =
      solve_rest_shape(scene_, theta_, neutral, kNeutral, neutral, factor_, {.tolerance = 1e-12});
  ASSERT_EQ(rest.failure, SolveFailure::none) << rest.residual;
  EXPECT_GT((rest.X - neutral).cwiseAbs().maxCoeff(), 0.05);
  CholmodSolver solver(scene_.symmetric_pattern(), scene_.dofs());
  Positions start = neutral;
  scene_.dofs().scatter(scene_.dofs().gather(rest.X), start);
  const Equilibrium back =
      solve_newton(scene_, theta_, rest.X, kNeutral, start, solver, {.tolerance = 1e-12});
  EXPECT_EQ(back.failure, SolveFailure::none);
  EXPECT_LT((back.x - neutral).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_P(ExperimentTest, LinearisedSolvesAgreeWithDenseOnes) {
  const ExperimentSolution at = experiment(RestMode::inverse).solve(theta_, {}, factor_);
  ASSERT_TRUE(at.ok) << at.failure;
  const KrylovOptions tight{1e-13, 300};
  const int n = scene_.dofs().free_count;
  const LinearizedEquilibria K(scene_, theta_, at.X, at.x, factor_, tight);
  for (const int columns : {1, 9}) {  // few: without a matrix; many: with
    std::vector<MatrixXd> b;
    for (std::size_t p = 0; p < at.x.size(); ++p)
      b.push_back(random_vector(n * columns, 71 + p).reshaped(n, columns));
    const std::vector<MatrixXd> x = K.solve(b);
    for (std::size_t p = 0; p < at.x.size(); ++p) {
      std::vector<double> values;
      scene_.elastic().hessian(at.X, at.x[p], scene_.moduli(theta_), scene_.dofs(),
                               scene_.symmetric_pattern(), values);
      const MatrixXd dense_K =
          dense([&](const MatrixXd& v) { return multiply_symmetric(scene_.symmetric_pattern(), values, v); });
      EXPECT_LT((x[p] - dense_K.ldlt().solve(b[p])).norm(), 1e-9 * x[p].norm()) << p;
    }
  }
  const LinearizedRestShape D(scene_, theta_, at.X, scene_.reference(), kNeutral, factor_, tight);
  const MatrixXd dense_D = dense([&](const MatrixXd& v) { return D.multiply(v); });
  EXPECT_LT((dense([&](const MatrixXd& v) { return D.multiply_transposed(v); }) - dense_D.transpose()).norm(),
            1e-13 * dense_D.norm());
  const MatrixXd b = random_vector(n * 10, 75).reshaped(n, 10);
  const MatrixXd straight = dense_D.partialPivLu().solve(b),
                 transposed = dense_D.transpose().partialPivLu().solve(b);
  EXPECT_LT((D.solve(b) - straight).norm(), 1e-9 * straight.norm());
  EXPECT_LT((D.solve_transposed(b) - transposed).norm(), 1e-9 * transposed.norm());
}

TEST_P(ExperimentTest, IndefiniteTangentsAreRefused) {
  Positions crushed = scene_.reference();  // pressed flat, its sides free: it would buckle
  crushed.col(2) *= 0.25;
  const std::vector<Positions> x{crushed};
  ASSERT_GT(scene_.elastic().evaluate(scene_.reference(), crushed, scene_.moduli(theta_), false).smallest_j,
            0);
  const LinearizedEquilibria K(scene_, theta_, scene_.reference(), x, factor_, {1e-10, 300});
  EXPECT_THROW(K.solve({MatrixXd(random_vector(scene_.dofs().free_count, 76))}), NoDerivative);
}

TEST_P(ExperimentTest, TangentIsTheDerivative) {
  for (const RestMode rest : {RestMode::known, RestMode::inverse}) {
    const GravityExperiment head = experiment(rest);
    const VectorXd theta = theta_.flat();
    const ExperimentSolution at = head.solve(theta_, {}, factor_);
    ASSERT_TRUE(at.ok) << at.failure;
    const ExperimentTangent tangent = head.tangent(at, kGravities, {0, 1, 2, 3}, {false, true}, factor_);
    const int n = scene_.dofs().free_count;
    // coordinates: log of the four components, then the gravity of the second pose in units of 9810
    VectorXd scale(4);
    scale << theta[0], theta[1], 0.05, theta[3];
    testing::check_derivative(
        [&](const VectorXd& p) {
          VectorXd moved = theta + scale.cwiseProduct(p.head(4));
          std::vector<Vec3> gravities = kGravities;
          gravities[1] += 9810 * p.tail<3>();
          const ExperimentSolution now = head.solve(TissueTheta::from_flat(moved), {}, factor_, gravities);
          EXPECT_TRUE(now.ok) << now.failure;
          VectorXd out(2 * n);
          out << scene_.dofs().gather(now.x[0]), scene_.dofs().gather(now.x[1]);
          return out;
        },
        [&](const VectorXd&, const VectorXd& d) {
          const VectorXd by_theta = scale.cwiseProduct(d.head(4));
          VectorXd out(2 * n);
          out << tangent.x[0] * by_theta,
              tangent.x[1].leftCols(4) * by_theta + tangent.x[1].rightCols(3) * (9810 * d.tail<3>());
          return out;
        },
        VectorXd::Zero(7), 0.02);
  }
}

TEST_P(ExperimentTest, AdjointEqualsTangent) {
  for (const RestMode rest : {RestMode::known, RestMode::inverse}) {
    const GravityExperiment head = experiment(rest);
    const ExperimentSolution at = head.solve(theta_, {}, factor_);
    const std::vector<int> which{0, 1, 2, 3};
    const ExperimentTangent tangent = head.tangent(at, kGravities, which, {true, true}, factor_);
    std::vector<VectorXd> bars;
    VectorXd by_tangent = VectorXd::Zero(4);
    for (std::size_t p = 0; p < kGravities.size(); ++p) {
      bars.push_back(random_vector(scene_.dofs().free_count, 81 + p));
      by_tangent += tangent.x[p].leftCols(4).transpose() * bars[p];
    }
    const ExperimentPullback pullback = head.pullback(at, kGravities, bars, which, factor_);
    for (const int k : which)
      EXPECT_NEAR(pullback.theta[k], by_tangent[k], 1e-9 * std::abs(by_tangent[k])) << k;
    for (std::size_t p = 0; p < kGravities.size(); ++p) {
      const Vec3 by_gravity = tangent.x[p].rightCols<3>().transpose() * bars[p];
      EXPECT_LT((pullback.gravity[p] - by_gravity).norm(), 1e-9 * by_gravity.norm());
    }
    EXPECT_EQ(head.pullback(at, kGravities, bars, {1}, factor_).theta[0], 0);  // only what is asked for
  }
}

TEST_P(ExperimentTest, PullbackByAFreeRestShape) {
  const GravityExperiment head = experiment(RestMode::known);
  const ExperimentSolution at = head.solve(theta_, {}, factor_);
  std::vector<VectorXd> bars;
  for (std::size_t p = 0; p < kGravities.size(); ++p)
    bars.push_back(random_vector(scene_.dofs().free_count, 91 + p));
  const Positions by_X = head.pullback(at, kGravities, bars, {0}, factor_).X;
  const DofMap& dofs = scene_.dofs();
  testing::check_derivative(
      [&](const VectorXd& free) {
        Positions X = scene_.reference();
        dofs.scatter(free, X);
        const ExperimentSolution now = head.solve_at_rest(theta_, X, {}, factor_);
        EXPECT_TRUE(now.ok) << now.failure;
        double sum = 0;
        for (std::size_t p = 0; p < bars.size(); ++p) sum += bars[p].dot(dofs.gather(now.x[p]));
        return VectorXd::Constant(1, sum);
      },
      [&](const VectorXd&, const VectorXd& d) { return VectorXd::Constant(1, dofs.gather(by_X).dot(d)); },
      dofs.gather(scene_.reference()), 0.5);
}

INSTANTIATE_TEST_SUITE_P(All, ExperimentTest,
                         ::testing::Combine(::testing::ValuesIn(testing::kLaws), ::testing::Values(1, 2)),
                         testing::tet_name);

TEST(GravityExperimentTest, AResultDependsOnItsStartAloneForAnyThreads) {
  const CompiledScene scene = testing::tet_body(2, 5).scene(Law::neo_hookean);
  const GravityExperiment head(scene, {RestMode::inverse, kNeutral, kGravities}, {});
  const TissueTheta theta = two_stiffnesses();
  TissueTheta other = theta;
  other.young[0] *= 1.2;
  auto run = [&](int threads, bool with_history) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    FrozenFactor factor(scene);
    ExperimentStart start;
    start.factor_theta = theta;
    if (with_history) {  // another factor was in use before
      TissueTheta far = theta;
      far.young[1] *= 4;
      head.solve(far, {}, factor);
    }
    const ExperimentSolution at = head.solve(other, start, factor);
    EXPECT_TRUE(at.ok) << at.failure;
    const ExperimentTangent tangent = head.tangent(at, kGravities, {0, 1, 2}, {true, false}, factor);
    VectorXd bar = VectorXd::Ones(scene.dofs().free_count);
    const ExperimentPullback pullback = head.pullback(at, kGravities, {bar, bar}, {0, 1, 2}, factor);
    VectorXd out(at.x[1].size() + tangent.x[0].size() + pullback.theta.size());
    out << testing::flat(at.x[1]), tangent.x[0].reshaped(), pullback.theta;
    return out;
  };
  const VectorXd one = run(1, false);
  EXPECT_TRUE(run(2, false) == one);
  EXPECT_TRUE(run(1, true) == one);
  EXPECT_TRUE(run(2, true) == one);
}

TEST(GravityExperimentTest, FailuresAreValues) {
  const CompiledScene scene = testing::tet_body(1).scene(Law::neo_hookean);
  const GravityExperiment head(scene, {RestMode::inverse, kNeutral, kGravities}, {.max_iterations = 1});
  FrozenFactor factor(scene);
  const ExperimentSolution at = head.solve(two_stiffnesses(), {}, factor);
  EXPECT_FALSE(at.ok);
  EXPECT_FALSE(at.failure.empty());
}

}  // namespace
}  // namespace furrow
