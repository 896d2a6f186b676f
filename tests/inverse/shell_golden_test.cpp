// golden/solve_patch.json: four prisms, five viscoelastic steps under a dragging finger; positions, energies
// and the gradient of a misfit, by the tangent and by the adjoint.
#include <gtest/gtest.h>

#include "inverse/shell_derivative.h"
#include "tests/support/shell_patch.h"

namespace furrow {
namespace {

using testing::Misfit;
using testing::ShellPatch;
using testing::solved;
using testing::SolvedPatch;

TEST(ShellGolden, PositionsAndEnergiesOfFiveSteps) {
  const SolvedPatch& s = solved();
  ASSERT_EQ(s.trajectory.failure, StepFailure::none);
  ASSERT_EQ(s.trajectory.frames.size(), 6u);
  for (int k = 0; k < 5; ++k) {
    const auto& golden = s.patch.json["steps"][k];
    const ShellFrame& frame = s.trajectory.frames[k + 1];
    const Positions x = testing::matrix3_of(golden["x"]);
    EXPECT_LT((frame.state->x - x).cwiseAbs().maxCoeff(), 1e-9) << "step " << k;
    const TapeEntry& entry = s.trajectory.tape[frame.last_step];
    const ShellValue value = s.shell.evaluate(entry.to->x, {*entry.from, frame.frame, s.theta}, true);
    EXPECT_NEAR(value.energy, golden["energy"].get<double>(), 1e-11 * value.energy);
    const auto& potentials = s.shell.potentials();
    for (std::size_t p = 0; p < potentials.size(); ++p) {
      const std::string name = potentials[p]->name() == "contact" ? "finger" : potentials[p]->name();
      if (name == "gravity") continue;
      EXPECT_NEAR(value.parts[p], golden["parts"][name].get<double>(), 1e-10 * value.energy) << name;
    }
    Vec3 reactions = Vec3::Zero();
    for (const int node : s.patch.json["fixed"]) reactions += value.gradient.row(node).transpose();
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(reactions[c], golden["reaction_sum"][c].get<double>(), 1e-11);
  }
}

TEST(ShellGolden, GradientByAdjointAndByTangent) {
  const SolvedPatch& s = solved();
  const Trajectory target = simulate(s.shell, s.patch.theta(s.patch.json["target_params"]), s.patch.schedule);
  ASSERT_EQ(target.failure, StepFailure::none);
  const Misfit m = testing::misfit(s, target);
  EXPECT_NEAR(m.value, s.patch.json["objective"].get<double>(), 1e-9 * m.value);
  const VectorXd gradient = trajectory_adjoint(s.shell, s.trajectory, s.theta, m.bars).flat();

  std::vector<std::string> names;
  std::vector<ShellTheta> directions;
  for (const auto& [name, value] : s.patch.json["gradient_adjoint"].items()) {
    names.push_back(name);
    directions.push_back(s.patch.direction(name));
  }
  const auto tangent = trajectory_tangent(s.shell, s.trajectory, s.theta, directions);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double golden = s.patch.json["gradient_adjoint"][names[k]];
    const double by_adjoint = gradient.dot(directions[k].flat());
    double by_tangent = 0;
    for (const auto& [f, bar] : m.bars) by_tangent += bar.cwiseProduct(tangent[k][f]).sum();
    EXPECT_NEAR(by_adjoint, golden, 1e-9 * std::abs(golden)) << names[k];
    EXPECT_NEAR(by_tangent, by_adjoint, 1e-9 * std::abs(golden)) << names[k];
  }
}

}  // namespace
}  // namespace furrow
