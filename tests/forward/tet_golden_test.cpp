// golden/tet_gravity.json: 72 linear tetrahedra, five poses, energies, positions and the gradients by
// stiffness and rest shape.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "forward/compiled_scene.h"
#include "forward/solve/equilibrium.h"
#include "tests/forward/tet_golden.h"

namespace furrow {
namespace {

using testing::TetGolden;

TEST(TetGolden, EnergiesAndPositionsOfAllPoses) {
  const TetGolden golden = testing::read_tet_golden();
  const CompiledScene scene = golden.scene();
  FrozenFactor factor(scene);
  factor.refresh(golden.theta);
  const std::vector<Positions> starts(golden.gravities.size(), golden.X);
  const auto lockstep =
      solve_lockstep(scene, golden.theta, golden.X, golden.gravities, starts, factor, {.tolerance = 1e-12});
  for (std::size_t p = 0; p < lockstep.size(); ++p) {
    EXPECT_EQ(lockstep[p].failure, SolveFailure::none)
        << golden.names[p] << " residual " << lockstep[p].residual;
    EXPECT_LT((lockstep[p].x - golden.x[p]).norm() / golden.x[p].norm(), 1e-9) << golden.names[p];
    // the reference counts gravity's potential from the origin
    const double from_origin =
        scene.gravity_force(golden.X, golden.theta.density, golden.gravities[p]).cwiseProduct(golden.X).sum();
    EXPECT_NEAR(lockstep[p].energy - from_origin, golden.energies[p], 1e-8 * std::abs(golden.energies[p]))
        << golden.names[p];
    EXPECT_NEAR(lockstep[p].smallest_j, golden.smallest_j[p], 1e-8);
    CholmodSolver solver(scene.symmetric_pattern(), scene.dofs());
    const Equilibrium newton = solve_newton(scene, golden.theta, golden.X, golden.gravities[p], golden.X,
                                            solver, {.tolerance = 1e-12});
    EXPECT_LT((newton.x - golden.x[p]).norm() / golden.x[p].norm(), 1e-9) << golden.names[p];
    EXPECT_LT(newton.iterations, 10);
  }
}

}  // namespace
}  // namespace furrow
