// Balances of whole scenes: forces, viscous relaxation in closed form, the same digits on any number of
// threads.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "forward/mesh/prism_shell.h"
#include "tests/support/shell_body.h"

namespace furrow {
namespace {

using testing::ShellBody;
using testing::ShellBodyOptions;

ShellBodyOptions pressed_skin() {
  ShellBodyOptions o;
  o.order = {2, 2};
  o.nx = 3;
  o.ny = 2;
  o.size_x = 9;
  o.size_y = 6;
  o.fix_side = true;
  o.prestretch = true;
  o.physics.ligaments = ShellPhysics::Ligaments{};
  o.physics.skull = ShellPhysics::Skull{ImlsKernel::wendland, 0, 0.02, true};
  o.physics.colliders = {{0.02, 2}};
  return o;
}

/// A finger comes down, slides and turns.
ShellSchedule finger(int frames) {
  ShellSchedule s;
  s.frames = frames;
  s.settle = true;
  s.gravity = Vec3(2000, 0, -9000);
  s.colliders = [](double t) {
    ColliderPose pose;
    pose.present = true;
    pose.radius = 4;
    pose.centre = Vec3(0.5 + 4 * t, 0.2 + t, 4.05 - 2.4 * std::min(t, 0.15));
    pose.rotation = Eigen::AngleAxisd(0.8 * t, Vec3::UnitY()).toRotationMatrix();
    return std::vector<ColliderPose>{pose};
  };
  return s;
}

Vec3 sum_of(const Positions& p) {
  return p.colwise().sum().transpose();
}

/// What holds the skin at its fixed nodes + the finger + ligaments + bone + weight = 0; and the skin alone is
/// in balance with itself, in force and in moment.
TEST(ShellBalance, ForcesSumToZero) {
  const ShellBody body(pressed_skin());
  const CompiledShell& shell = *body.shell;
  const Trajectory t = simulate(shell, body.theta, finger(4));
  ASSERT_EQ(t.failure, StepFailure::none);
  for (std::size_t k = 0; k < t.frames.size(); ++k) {
    const TapeEntry& entry = t.tape[t.frames[k].last_step];
    const Frame& frame = entry.step->frame();
    const StepInput in{*entry.from, frame, body.theta};
    const Positions& x = entry.to->x;
    const ShellValue value = shell.evaluate(x, in, true);
    const Vec3 held = -sum_of(shell.dofs().spread(shell.dofs().gather(value.gradient)) - value.gradient);
    const Vec3 on_finger = shell.contact().force_on(0, x, in) + shell.friction().force_on(0, x, in);
    const Vec3 weight = body.theta.density * volume(shell.mesh()) * frame.gravity;
    Vec3 others = Vec3::Zero();
    for (const auto& potential : shell.potentials()) {
      Positions g = Positions::Zero(x.rows(), 3);
      potential->value(x, in, &g);
      if (potential->name() == "skull" || potential->name() == "ligament") {
        others += sum_of(g);
        EXPECT_GT(sum_of(g).norm(), 1e-6) << potential->name();
      }
      if (potential->name() == "gravity") {
        EXPECT_LT((sum_of(g) + weight).norm(), 1e-14);
      }
      if (potential->name() != "skin") continue;
      EXPECT_LT(sum_of(g).norm(), 1e-13);
      Vec3 moment = Vec3::Zero();
      for (Eigen::Index n = 0; n < x.rows(); ++n) moment += Vec3(x.row(n)).cross(Vec3(g.row(n)));
      EXPECT_LT(moment.norm(), 1e-12);
    }
    EXPECT_LT((held - on_finger - others + weight).norm(), 1e-9) << "frame " << k;
    if (k + 1 == t.frames.size()) {
      EXPECT_GT(on_finger[2], 1e-3) << "the finger does not press";
    }
  }
}

/// Every node prescribed: uniaxial stretch l, isochoric, from the first step on. What the side at x = L pulls
/// with less what lateral faces push, in nominal stress (THEORY 6):
///   P = 3 ln l / l [mu_inf exp(3/2 C ln^2 l) + sum_k mu_k alpha_k^n]     (n - 1/2 in the Strang scheme)
TEST(ShellBalance, RelaxationAtConstantStretch) {
  const double l = 1.25, young = 0.3, nu = 0.4, stiffening = 1.2, steady = 0.3, dt = 1.0 / 24;
  const std::vector<double> times{0.05, 0.3}, weights{0.6, 0.4};
  const double mu = young / (2 * (1 + nu));
  for (const ViscousScheme scheme : {ViscousScheme::seed, ViscousScheme::strang}) {
    const PrismMesh mesh = make_patch({2, 2}, {1, 1, 2, 3, 1, {}}, {});
    ShellPhysics physics;
    physics.elastic.branches = 2;
    physics.surface_rule = triangle_rule(1);
    const CompiledShell shell(mesh, physics, FixedFlags::Constant(mesh.nodes.rows(), 3, true));
    ShellTheta theta;
    LayerTheta layer;
    layer.young = young;
    layer.poisson = nu;
    layer.stiffening = stiffening;
    layer.steady_fraction = steady;
    layer.times = Eigen::Map<const VectorXd>(times.data(), 2);
    layer.weights = Eigen::Map<const VectorXd>(weights.data(), 2);
    layer.prestretch.setOnes();
    theta.layers = {layer};
    theta.ligament_b = VectorXd::Zero(shell.inner().nodes().size());
    ShellSchedule schedule;
    schedule.frames = 6;
    schedule.dt = dt;
    schedule.viscous = scheme;
    schedule.boundary = [&](double t) -> Positions {
      if (t == 0) return mesh.nodes;
      return mesh.nodes * Vec3(l, 1 / std::sqrt(l), 1 / std::sqrt(l)).asDiagonal();
    };
    const Trajectory t = simulate(shell, theta, schedule);
    ASSERT_EQ(t.failure, StepFailure::none);
    ASSERT_EQ(t.frames.size(), 7u);
    for (int n = 1; n <= 6; ++n) {
      const TapeEntry& entry = t.tape[t.frames[n].last_step];
      const ShellValue value = shell.evaluate(entry.to->x, {*entry.from, entry.step->frame(), theta}, true);
      Vec3 P =
          Vec3::Zero();  // mean nominal stresses: sum of f_i X_i / volume, the virial of the nodal forces
      for (Eigen::Index a = 0; a < mesh.nodes.rows(); ++a)
        P += value.gradient.row(a).cwiseProduct(mesh.nodes.row(a)).transpose() / volume(mesh);
      const double log = std::log(l), lateral = 1 / std::sqrt(l);
      double sum = steady * mu * std::exp(1.5 * stiffening * log * log);
      for (int k = 0; k < 2; ++k)
        sum += (1 - steady) * weights[k] * mu *
               std::exp(-(scheme == ViscousScheme::seed ? n : n - 0.5) * dt / times[k]);
      EXPECT_NEAR(P[0] - P[1] * lateral / l, 3 * log / l * sum, 1e-12 * P.norm()) << "step " << n;
      EXPECT_NEAR(P[1], P[2], 1e-12 * P.norm());
    }
  }
}

/// Skin that turns and moves with the finger does not slip; skin that stays is dragged along.
TEST(ShellBalance, FrictionSeesTheFingerTurn) {
  const ShellBody body(pressed_skin());
  const ColliderPose& before = body.frame.before[0];
  const ColliderPose& now = body.frame.now[0];
  const Vec3 offset = body.theta.colliders[0].offset;
  const Mat3 turn = now.rotation * before.rotation.transpose();
  ASSERT_GT((turn - Mat3::Identity()).norm(), 0.1);
  const auto carried = [&](const Positions& x) -> Positions {
    return ((x.rowwise() - (before.centre + offset).transpose()) * turn.transpose()).rowwise() +
           (now.centre + offset).transpose();
  };
  Positions force = Positions::Zero(body.x.rows(), 3);
  const Potential& friction = body.potential("friction");
  EXPECT_LT(friction.value(carried(body.from.frame_start), body.input(), &force).energy, 1e-20);
  EXPECT_LT(force.cwiseAbs().maxCoeff(), 1e-13);
  force.setZero();
  friction.value(body.from.frame_start, body.input(), &force);  // forces on the skin: -force
  EXPECT_LT(force.cwiseProduct(carried(body.from.frame_start) - body.from.frame_start).sum(), -1e-4);
}

TEST(ShellBalance, TheSameDigitsOnOneAndTwoThreads) {
  const ShellBody body(pressed_skin());
  const auto run = [&](std::size_t threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    const Trajectory t = simulate(*body.shell, body.theta, finger(2));
    EXPECT_EQ(t.failure, StepFailure::none);
    const TapeEntry& last = t.tape[t.frames.back().last_step];
    const StepPullback p = last.step->vjp(*last.from, *last.to, body.theta, *last.to);
    VectorXd all(testing::flat_of(*t.frames.back().state).size() + p.theta.size());
    all << testing::flat_of(*t.frames.back().state), p.theta.flat();
    return all;
  };
  const VectorXd one = run(1), two = run(2), again = run(2);
  EXPECT_TRUE((one.array() == two.array()).all());
  EXPECT_TRUE((again.array() == two.array()).all());
}

}  // namespace
}  // namespace furrow
