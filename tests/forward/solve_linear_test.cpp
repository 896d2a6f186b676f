// Linear solvers against dense algebra: CHOLMOD, the frozen factor, conjugate gradients and GMRES.
#include <gtest/gtest.h>

#include "forward/assembly/cholmod_solver.h"
#include "forward/solve/frozen_factor.h"
#include "forward/solve/krylov.h"
#include "tests/forward/tet_body.h"

namespace furrow {
namespace {

using testing::random_vector;
using testing::TetBody;

MatrixXd random_matrix(int rows, int columns, unsigned seed) {
  return random_vector(rows * columns, seed).reshaped(rows, columns);
}

struct Stiffness {
  TetBody body;
  CompiledScene scene;
  std::vector<double> values;
  MatrixXd dense;

  explicit Stiffness(int order) : body(testing::tet_body(order)), scene(body.scene(Law::neo_hookean)) {
    const Positions& X = scene.reference();
    scene.elastic().hessian(X, X, scene.moduli(testing::two_stiffnesses()), scene.dofs(),
                            scene.symmetric_pattern(), values);
    const int n = scene.dofs().free_count;
    dense = multiply_symmetric(scene.symmetric_pattern(), values, MatrixXd::Identity(n, n));
  }
};

class Cholmod : public ::testing::TestWithParam<int> {
 protected:
  Stiffness K_{GetParam()};
};

TEST_P(Cholmod, SolvesManyColumns) {
  CholmodSolver solver(K_.scene.symmetric_pattern(), K_.scene.dofs());
  EXPECT_FALSE(solver.factorized());
  ASSERT_TRUE(solver.factorize(K_.values));
  EXPECT_TRUE(solver.factorized());
  for (const int columns : {1, 2, 7, 40}) {
    const MatrixXd b = random_matrix(K_.scene.dofs().free_count, columns, 41);
    const MatrixXd exact = K_.dense.ldlt().solve(b), x = solver.solve(b);
    EXPECT_LT((x - exact).norm(), 1e-11 * exact.norm()) << columns;
  }
  EXPECT_GT(solver.factor_megabytes(), 0);
}

TEST_P(Cholmod, RefusesIndefiniteMatricesAndGoesOn) {
  CholmodSolver solver(K_.scene.symmetric_pattern(), K_.scene.dofs());
  std::vector<double> shifted = K_.values;
  const SymmetricPattern& pattern = K_.scene.symmetric_pattern();
  for (int j = 0; j < pattern.size; ++j) shifted[pattern.column_start[j]] -= 1;
  for (int twice = 0; twice < 2; ++twice) EXPECT_FALSE(solver.factorize(shifted));
  EXPECT_FALSE(solver.factorized());
  ASSERT_TRUE(solver.factorize(K_.values));
  const MatrixXd b = random_matrix(pattern.size, 1, 42), exact = K_.dense.ldlt().solve(b);
  EXPECT_LT((solver.solve(b) - exact).norm(), 1e-11 * exact.norm());
}

TEST_P(Cholmod, FrozenFactorTakesACommonScaleExactly) {
  FrozenFactor factor(K_.scene);
  EXPECT_FALSE(factor.ready());
  const TissueTheta theta = testing::two_stiffnesses();
  factor.refresh(theta);
  TissueTheta stiffer = theta;
  stiffer.young *= 7;
  const MatrixXd b = random_matrix(K_.scene.dofs().free_count, 2, 43), exact = K_.dense.ldlt().solve(b);
  EXPECT_LT((factor.apply(b, theta) - exact).norm(), 1e-11 * exact.norm());
  EXPECT_LT((factor.apply(b, stiffer) - exact / 7).norm(), 1e-11 * exact.norm());
  EXPECT_FALSE(FrozenFactor::stale(K_.scene, theta, stiffer));
  stiffer.young[0] *= 5;
  EXPECT_TRUE(FrozenFactor::stale(K_.scene, theta, stiffer));
}

INSTANTIATE_TEST_SUITE_P(Orders, Cholmod, ::testing::Values(1, 2));

TEST(FrozenFactorTest, LooseBodiesAreRefused) {
  TetBody body = testing::tet_body(1);
  body.fixed.setConstant(false);
  const CompiledScene scene = body.scene(Law::neo_hookean);
  FrozenFactor factor(scene);
  EXPECT_THROW(factor.refresh(testing::two_stiffnesses()), std::runtime_error);
}

/// Right-hand sides in lockstep, each with a matrix of its own.
struct ManyProblems {
  int n = 30, count = 6;
  std::vector<MatrixXd> A, M;
  MatrixXd b = random_matrix(n, count, 51);

  explicit ManyProblems(bool symmetric) {
    b.col(2).setZero();
    b.col(4) *= 1e6;
    for (int c = 0; c < count; ++c) {
      const MatrixXd R = random_matrix(n, n, 60 + c);
      const MatrixXd noise = 0.2 * R / std::sqrt(n);
      const MatrixXd base = MatrixXd(VectorXd::LinSpaced(n, 1, 30).asDiagonal());
      A.push_back(symmetric ? MatrixXd(base + noise + noise.transpose()) : MatrixXd(base + 3 * noise));
      M.push_back(base.inverse());
    }
  }
  BlockOperator apply(const std::vector<MatrixXd>& matrices) const {
    return [&matrices](const MatrixXd& v, const std::vector<int>& columns) {
      MatrixXd out(v.rows(), v.cols());
      EXPECT_EQ(static_cast<std::size_t>(v.cols()), columns.size());
      for (std::size_t k = 0; k < columns.size(); ++k) out.col(k) = matrices[columns[k]] * v.col(k);
      return out;
    };
  }
  void expect_solved(const KrylovResult& result) const {
    EXPECT_TRUE(result.converged);
    EXPECT_FALSE(result.indefinite);
    EXPECT_LE(result.residual, 1e-11);
    for (int c = 0; c < count; ++c)
      EXPECT_LE((A[c] * result.x.col(c) - b.col(c)).norm(), 1e-11 * b.col(c).norm()) << c;
    EXPECT_EQ(result.x.col(2).norm(), 0);
  }
};

TEST(Krylov, ConjugateGradientsSolveEveryColumn) {
  const ManyProblems problems(true);
  problems.expect_solved(
      conjugate_gradients(problems.apply(problems.A), problems.apply(problems.M), problems.b, {1e-12, 100}));
}

TEST(Krylov, GmresSolvesEveryColumn) {
  const ManyProblems problems(false);
  problems.expect_solved(
      gmres(problems.apply(problems.A), problems.apply(problems.M), problems.b, {1e-12, 100}));
}

TEST(Krylov, TheIterationLimitIsReported) {
  for (const bool symmetric : {true, false}) {
    const ManyProblems problems(symmetric);
    const auto method = symmetric ? conjugate_gradients : gmres;
    const KrylovResult result =
        method(problems.apply(problems.A), problems.apply(problems.M), problems.b, {1e-12, 2});
    EXPECT_FALSE(result.converged);
    EXPECT_GT(result.residual, 1e-12);
    EXPECT_LE(result.iterations, 3);
  }
}

TEST(Krylov, IndefiniteMatricesAreReported) {
  ManyProblems problems(true);
  problems.A[3].diagonal()[5] -= 100;
  EXPECT_TRUE(
      conjugate_gradients(problems.apply(problems.A), problems.apply(problems.M), problems.b, {1e-12, 100})
          .indefinite);
}

}  // namespace
}  // namespace furrow
