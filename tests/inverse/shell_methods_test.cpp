// The three minimisers of a step find the same equilibria.
#include <gtest/gtest.h>

#include "tests/support/shell_patch.h"

namespace furrow {
namespace {

using testing::ShellPatch;

Trajectory solved_by(StepMethod method) {
  ShellPatch patch;
  patch.schedule.viscous = ViscousScheme::strang;
  patch.schedule.friction_lag = 2;
  patch.schedule.solver.method = method;
  patch.schedule.solver.tolerance = 1e-11;
  const CompiledShell shell(patch.mesh, patch.physics, patch.fixed);
  return simulate(shell, patch.theta(), patch.schedule);
}

TEST(ShellMethods, LbfgsAndConjugateGradientsFindNewtonsEquilibria) {
  const Trajectory newton = solved_by(StepMethod::newton);
  ASSERT_EQ(newton.failure, StepFailure::none);
  for (const StepMethod method : {StepMethod::lbfgs, StepMethod::pcg, StepMethod::automatic}) {
    const Trajectory other = solved_by(method);
    ASSERT_EQ(other.failure, StepFailure::none) << static_cast<int>(method);
    for (std::size_t f = 1; f < newton.frames.size(); ++f)
      EXPECT_LT((other.frames[f].state->x - newton.frames[f].state->x).cwiseAbs().maxCoeff(), 1e-7)
          << "method " << static_cast<int>(method) << ", frame " << f;
  }
}

}  // namespace
}  // namespace furrow
