// The optimisers on functions with known minima, with points where nothing can be evaluated.
#include <gtest/gtest.h>

#include "inverse/least_squares.h"

namespace furrow {
namespace {

/// r = (10 (y - x^2), 1 - x); nothing where y < `wall`.
class Rosenbrock final : public LeastSquares {
 public:
  double wall = -1e9;
  int refused = 0;
  int size() const override { return 2; }
  int residual_count() const override { return 2; }
  std::optional<ResidualValue> evaluate(const VectorXd& p, bool with_jacobian) override {
    if (p[1] < wall) {
      ++refused;
      return std::nullopt;
    }
    ResidualValue out;
    out.residual = Eigen::Vector2d(10 * (p[1] - p[0] * p[0]), 1 - p[0]);
    if (with_jacobian) {
      out.jacobian.resize(2, 2);
      out.jacobian << -20 * p[0], 10, -1, 0;
    }
    return out;
  }
};

const VectorXd kStart = Eigen::Vector2d(-1.2, 1);
bool go_on(const IterationReport&) {
  return true;
}

TEST(Minimize, FindsTheMinimumByBothMethods) {
  for (const bool lbfgs : {false, true}) {
    Rosenbrock problem;
    const MinimizeReport report = minimize(
        problem, kStart, {.max_iterations = 200, .function_tolerance = 1e-12, .lbfgs = lbfgs}, go_on);
    EXPECT_EQ(report.termination, Termination::converged) << report.message;
    EXPECT_LT((report.p - VectorXd::Ones(2)).norm(), 1e-4);
    EXPECT_NEAR(report.initial_cost, 12.1, 1e-9);
    EXPECT_LT(report.cost, 1e-9);
    EXPECT_EQ(report.failed, 0);
    EXPECT_FALSE(report.message.empty());
  }
}

TEST(Minimize, AFailedEvaluationIsARejectedStep) {
  Rosenbrock problem;
  problem.wall = 0.2;  // the first full step goes to y = -3.2
  const MinimizeReport report =
      minimize(problem, kStart, {.max_iterations = 500, .function_tolerance = 1e-14}, go_on);
  EXPECT_GT(problem.refused, 0);
  EXPECT_EQ(report.failed, problem.refused);
  EXPECT_NE(report.termination, Termination::failed) << report.message;
  EXPECT_TRUE(problem.evaluate(report.p, false));
  EXPECT_LT(report.cost, 12.1);
}

TEST(Minimize, AStartThatCannotBeEvaluatedFails) {
  Rosenbrock problem;
  problem.wall = 5;
  EXPECT_EQ(minimize(problem, kStart, {}, go_on).termination, Termination::failed);
}

TEST(Minimize, StopsWhenTold) {
  Rosenbrock problem;
  const MinimizeReport report = minimize(problem, kStart, {.max_iterations = 200},
                                         [](const IterationReport& r) { return r.iteration < 2; });
  EXPECT_EQ(report.termination, Termination::interrupted);
  EXPECT_EQ(minimize(problem, kStart, {.max_iterations = 2}, go_on).termination, Termination::iterations);
}

TEST(Minimize, DescentOfAScalarFunction) {
  const ScalarProblem problem{[](const VectorXd& p, VectorXd* gradient) -> std::optional<double> {
                                if (gradient) *gradient = Eigen::Vector2d(2 * (p[0] - 1), 8 * (p[1] + 2));
                                return (p[0] - 1) * (p[0] - 1) + 4 * (p[1] + 2) * (p[1] + 2);
                              },
                              2};
  for (const Descent method : {Descent::steepest, Descent::bfgs, Descent::lbfgs}) {
    const MinimizeReport report =
        minimize(problem, kStart, {.max_iterations = 200, .function_tolerance = 1e-14}, method, go_on);
    EXPECT_EQ(report.termination, Termination::converged) << report.message;
    EXPECT_LT((report.p - VectorXd(Eigen::Vector2d(1, -2))).norm(), 1e-4);
  }
}

}  // namespace
}  // namespace furrow
