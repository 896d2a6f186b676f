// golden/extras.json: what happens to gradients when a derivative is forgotten, how the schemes differ, how
// deep penalties let the finger in. On the patch of solve_patch.json.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "tests/support/shell_patch.h"

namespace furrow {
namespace {

using testing::ShellPatch;

struct ExtrasPatch : testing::SolvedPatch {
  nlohmann::json json = testing::read_golden("extras.json");
};

const ExtrasPatch& extras() {
  static const ExtrasPatch e;
  return e;
}

/// Derivative of 1/2 sum over outer nodes and steps |x - x_target|^2, with `forget` applied to the cotangent
/// of the state between two tape entries.
VectorXd misfit_gradient(const ExtrasPatch& e, const std::function<void(ShellState&)>& forget) {
  const Trajectory target = simulate(e.shell, e.patch.theta(e.patch.json["target_params"]), e.patch.schedule);
  std::map<int, Positions> bars;  // by tape entry
  for (const auto& [f, frame_bar] : testing::misfit(e, target).bars)
    bars[e.trajectory.frames[f].last_step] = frame_bar;
  ShellState bar = e.shell.rest_state().zero();
  VectorXd theta_bar = VectorXd::Zero(e.theta.size());
  for (int k = static_cast<int>(e.trajectory.tape.size()) - 1; k >= 0; --k) {
    if (const auto found = bars.find(k); found != bars.end()) bar.x += found->second;
    const TapeEntry& entry = e.trajectory.tape[k];
    StepPullback p = entry.step->vjp(*entry.from, *entry.to, e.theta, bar);
    bar = std::move(p.state);
    forget(bar);
    theta_bar += p.theta.flat();
  }
  return theta_bar;
}

void expect_gradient(const std::string& which, const std::function<void(ShellState&)>& forget) {
  const ExtrasPatch& e = extras();
  ASSERT_EQ(e.trajectory.failure, StepFailure::none);
  const VectorXd gradient = misfit_gradient(e, forget);
  for (const auto& [name, value] : e.json[which].items()) {
    const double golden = value;
    EXPECT_NEAR(gradient.dot(e.patch.direction(name).flat()), golden, 1e-3 * std::abs(golden))
        << which << ' ' << name;
  }
}

TEST(ShellExtrasGolden, FullGradient) {
  expect_gradient("full", [](ShellState&) {});
}
TEST(ShellExtrasGolden, GradientWithoutViscousHistory) {
  expect_gradient("no_viscous_history", [](ShellState& bar) {
    for (VectorXd& branch : bar.history.edit().branch) branch.setZero();
  });
}
/// All that friction remembers: pressure, normal and where the skin was.
TEST(ShellExtrasGolden, GradientWithoutFrictionLag) {
  expect_gradient("no_friction_lag", [](ShellState& bar) {
    bar.frame_start.setZero();
    for (ContactLag& lag : bar.lag) {
      lag.pressure.setZero();
      lag.normal.setZero();
    }
  });
}

/// Largest difference of a coordinate between two frames.
double distance(const Positions& a, const Positions& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

TEST(ShellExtrasGolden, PassesOfTheFrictionLag) {
  const ExtrasPatch& e = extras();
  for (const int passes : {1, 2, 4}) {
    ShellSchedule schedule = e.patch.schedule;
    schedule.friction_lag = passes;
    const Trajectory t = simulate(e.shell, e.theta, schedule);
    ASSERT_EQ(t.failure, StepFailure::none);
    const auto& golden = e.json["nlag" + std::to_string(passes)]["diff"];
    for (int k = 0; k < 5; ++k)
      EXPECT_NEAR(distance(t.frames[k + 1].state->x, e.trajectory.frames[k + 1].state->x),
                  golden[k].get<double>(), 1e-3 * golden[k].get<double>() + 1e-12)
          << passes << " passes, step " << k;
  }
}

/// The finger on straight lines from where it touches the skin at rest.
std::vector<ColliderPose> finger_from_touch(const ExtrasPatch& e, double time) {
  const auto& steps = e.patch.json["schedule"];
  const auto centre = [&](int k) {
    const auto& c = steps[std::max(k - 1, 0)]["c"];
    return Vec3(c[0], c[1], k == 0 ? 6.0 : c[2].get<double>());
  };
  const double at = time / e.patch.schedule.dt;
  const int low = std::min(static_cast<int>(at + 1e-9), 4);
  ColliderPose pose;
  pose.present = true;
  pose.radius = 6;
  pose.centre = centre(low) + (at - low) * (centre(low + 1) - centre(low));
  return {pose};
}

TEST(ShellExtrasGolden, RefinementOfTheTimeStep) {
  const ExtrasPatch& e = extras();
  for (const int parts : {1, 2, 4}) {
    ShellSchedule schedule = e.patch.schedule;
    schedule.dt /= parts;
    schedule.frames *= parts;
    schedule.colliders = [&e](double time) { return finger_from_touch(e, time); };
    const Trajectory t = simulate(e.shell, e.theta, schedule);
    ASSERT_EQ(t.failure, StepFailure::none);
    const auto& golden = e.json["dt_over_" + std::to_string(parts)];
    const double diff = golden["diff_to_dt"], largest = golden["max_disp"];
    const Positions& end = t.frames.back().state->x;
    EXPECT_NEAR(distance(end, e.trajectory.frames.back().state->x), diff, 1e-3 * diff + 1e-12) << parts;
    EXPECT_NEAR(distance(end, e.patch.mesh.nodes), largest, 1e-3 * largest) << parts;
  }
}

/// Two steps of pressing in, 0.45 mm in all.
TEST(ShellExtrasGolden, PenetrationUnderPenalties) {
  const ExtrasPatch& e = extras();
  for (const std::string kappa : {"0.5", "10.0", "100.0"}) {
    ShellTheta theta = e.theta;
    theta.skull_penalty = theta.colliders[0].penalty = std::stod(kappa);
    ShellSchedule schedule = e.patch.schedule;
    schedule.frames = 2;
    const Trajectory t = simulate(e.shell, theta, schedule);
    ASSERT_EQ(t.failure, StepFailure::none);
    const TapeEntry& last = t.tape[t.frames.back().last_step];
    const double golden = e.json["kappa_" + kappa]["penetration"];
    EXPECT_NEAR(e.shell.contact().deepest_penetration(last.to->x, {*last.from, t.frames.back().frame, theta}),
                golden, 1e-3 * golden)
        << kappa;
  }
}

}  // namespace
}  // namespace furrow
