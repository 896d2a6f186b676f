// Tangent and adjoint through a whole history with the default schemes, against central differences of the
// simulation; and where there is no derivative.
#include "inverse/shell_derivative.h"
#include "forward/mesh/prism_shell.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "tests/support/shell_checks.h"

namespace furrow {
namespace {

using testing::ShellBody;
using testing::ShellBodyOptions;

/// Two layers in three elements, prestretch, ligaments, bone, gravity, a finger with a ramp.
struct Scene {
  PrismMesh mesh =
      make_patch({2, 1}, {2, 2, 8, 7, 1.5, [](double x, double y) { return -0.02 * x * x - 0.03 * y * y; }},
                 skin_plan(1.5, 0.2, StackKind::stack));
  std::unique_ptr<CompiledShell> shell;
  ShellTheta theta;
  ShellSchedule schedule;

  Scene() {
    ShellPhysics physics;
    physics.elastic.branches = 2;
    physics.elastic.prestretch_axes = {Vec3::UnitX(), Vec3(1, 1, 0)};
    physics.surface_rule = triangle_rule(6);
    physics.ligaments = ShellPhysics::Ligaments{};
    physics.skull = ShellPhysics::Skull{ImlsKernel::wendland, 0, 0.02, true};
    physics.colliders = {{0.02, 2}};
    FixedFlags fixed = FixedFlags::Constant(mesh.nodes.rows(), 3, false);
    for (Eigen::Index n = 0; n < fixed.rows(); ++n)
      if (mesh.nodes(n, 0) < -3.99) fixed.row(n).setConstant(true);
    shell = std::make_unique<CompiledShell>(mesh, physics, fixed);
    LayerTheta layer;
    layer.young = 0.6;
    layer.poisson = 0.48;
    layer.stiffening = 1;
    layer.steady_fraction = 0.3;
    layer.times = Eigen::Vector2d(0.05, 0.3);
    layer.weights = Eigen::Vector2d(0.7, 0.3);
    layer.prestretch = Eigen::Vector2d(1.05, 1.02);
    theta.layers.push_back(layer);
    layer.young = 0.05;
    layer.poisson = 0.49;
    layer.stiffening = 0.7;
    layer.times = VectorXd::Constant(1, 0.1);
    layer.weights = VectorXd::Ones(1);
    layer.prestretch = Eigen::Vector2d(1.02, 0.99);
    theta.layers.push_back(layer);
    theta.ligament_stiffness = 0.003;
    const int inner = static_cast<int>(shell->inner().nodes().size());
    theta.ligament_b = VectorXd::Constant(inner, 1.5) + 0.2 * testing::random_vector(inner, 3);
    theta.skull_penalty = 0.8;
    ColliderTheta collider;
    collider.penalty = 0.8;
    collider.friction = 0.7;
    theta.colliders = {collider};
    theta.density = 1.1e-9;

    schedule.frames = 3;
    schedule.settle = true;
    schedule.gravity = Vec3(3000, 0, -9000);
    schedule.solver.tolerance = 1e-13;
    schedule.colliders = [](double t) {
      const double at = 24 * t;
      ColliderPose pose;
      pose.present = true;
      pose.radius = 4;
      pose.centre = Vec3(0.4 + 0.25 * std::max(0.0, at - 1), 0.3, 4.1 - 0.3 * std::min(at, 2.0));
      pose.rotation = Eigen::AngleAxisd(0.05 * at, Vec3::UnitY()).toRotationMatrix();
      return std::vector<ColliderPose>{pose};
    };
  }
  Trajectory run(const ShellTheta& t) const {
    Trajectory out = simulate(*shell, t, schedule);
    EXPECT_EQ(out.failure, StepFailure::none) << describe(out.failure);
    return out;
  }
};

const Scene& scene() {
  static const Scene s;
  return s;
}

VectorXd all_frames(const Trajectory& t) {
  VectorXd out(static_cast<Eigen::Index>(t.frames.size()) * t.frames[0].state->x.size());
  for (std::size_t f = 0; f < t.frames.size(); ++f)
    out.segment(f * t.frames[f].state->x.size(), t.frames[f].state->x.size()) =
        testing::flat_of(t.frames[f].state->x);
  return out;
}

/// One direction for every kind of parameter; the field b as a whole.
std::vector<std::pair<std::string, VectorXd>> directions(const Scene& s) {
  std::vector<std::pair<std::string, VectorXd>> out;
  VectorXd scale = testing::theta_scale(s.theta);
  const auto names = theta_names(s.theta, {"epidermis", "soft"}, {"finger"});
  for (Eigen::Index k = 0; k < scale.size(); ++k)
    if (names[k].ends_with("poisson")) scale[k] = 0.5 - scale[k];
  VectorXd field = VectorXd::Zero(scale.size());
  for (Eigen::Index k = 0; k < scale.size(); ++k)
    if (names[k].starts_with("ligaments.b"))
      field[k] = scale[k];
    else
      out.push_back({names[k], testing::unit(scale.size(), k, scale[k])});
  out.push_back({"ligaments.b", field});
  return out;
}

TEST(ShellDerivative, TangentIsTheLimitOfCentralDifferences) {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);  // small and many
  const Scene& s = scene();
  const Trajectory base = s.run(s.theta);
  const auto along = directions(s);
  std::vector<ShellTheta> thetas;
  for (const auto& [name, v] : along) thetas.push_back(s.theta.like(v));
  const auto tangent = trajectory_tangent(*s.shell, base, s.theta, thetas);
  EXPECT_GT(tangent[0][0].norm(), 0) << "frame 0 is settled and depends on theta";
  for (std::size_t k = 0; k < along.size(); ++k) {
    VectorXd exact(base.frames.size() * s.mesh.nodes.size());
    for (std::size_t f = 0; f < base.frames.size(); ++f)
      exact.segment(f * s.mesh.nodes.size(), s.mesh.nodes.size()) = testing::flat_of(tangent[k][f]);
    EXPECT_GT(exact.norm(), 0) << along[k].first;
    const auto error = [&](double h) {
      const VectorXd t = s.theta.flat(), &v = along[k].second;
      return ((all_frames(s.run(s.theta.like(t + h * v))) - all_frames(s.run(s.theta.like(t - h * v)))) /
                  (2 * h) -
              exact)
          .norm();
    };
    const double coarse = error(2e-3), fine = error(2e-4);
    EXPECT_LT(coarse, 1e-3 * exact.norm()) << along[k].first;
    EXPECT_LT(fine, coarse / 80 + 1e-9 * exact.norm() + 1e-10) << along[k].first << ": not of second order";
  }
}

TEST(ShellDerivative, AdjointIsTheTangentTransposed) {
  const Scene& s = scene();
  const Trajectory base = s.run(s.theta);
  const auto along = directions(s);
  std::vector<ShellTheta> thetas;
  for (const auto& [name, v] : along) thetas.push_back(s.theta.like(v));
  const auto tangent = trajectory_tangent(*s.shell, base, s.theta, thetas);
  std::map<int, Positions> bars;
  for (std::size_t f = 0; f < base.frames.size(); ++f)
    bars[static_cast<int>(f)] = testing::rows_of(
        testing::random_vector(static_cast<int>(s.mesh.nodes.size()), 60 + static_cast<unsigned>(f)));
  const VectorXd gradient = trajectory_adjoint(*s.shell, base, s.theta, bars).flat();
  for (std::size_t k = 0; k < along.size(); ++k) {
    double by_tangent = 0, size = 0;
    for (const auto& [f, bar] : bars) {
      by_tangent += bar.cwiseProduct(tangent[k][f]).sum();
      size += bar.norm() * tangent[k][f].norm();
    }
    EXPECT_NEAR(gradient.dot(along[k].second), by_tangent, 1e-10 * size) << along[k].first;
    EXPECT_NEAR(gradient.dot(along[k].second), by_tangent, 1e-9 * std::abs(by_tangent) + 1e-13)
        << along[k].first;
  }
}

/// A flat strip between two walls that come closer: straight until it buckles.
struct Strip {
  PrismMesh mesh = make_patch({2, 2}, {6, 1, 12, 2, 0.5, {}}, {});
  std::unique_ptr<CompiledShell> shell;
  ShellTheta theta;
  ShellSchedule schedule;
  explicit Strip(double strain) {
    ShellPhysics physics;
    physics.surface_rule = triangle_rule(1);
    FixedFlags fixed = FixedFlags::Constant(mesh.nodes.rows(), 3, false);
    for (Eigen::Index n = 0; n < fixed.rows(); ++n)
      if (std::abs(mesh.nodes(n, 0)) > 5.99) fixed.row(n).setConstant(true);
    shell = std::make_unique<CompiledShell>(mesh, physics, fixed);
    LayerTheta layer;
    layer.young = 0.1;
    layer.poisson = 0.3;
    layer.stiffening = 1;
    layer.steady_fraction = 1;
    theta.layers = {layer};
    theta.ligament_b = VectorXd::Zero(shell->inner().nodes().size());
    const double dt = schedule.dt;
    schedule.boundary = [X = mesh.nodes, strain, dt](double t) {
      Positions x = X;
      x.col(0) *= 1 - strain * t / dt;
      return x;
    };
  }
  double smallest_eigenvalue(const Trajectory& t) const {
    const TapeEntry& last = t.tape[t.frames.back().last_step];
    HessianSum sum = shell->empty_hessian();
    shell->hessian(last.to->x, {*last.from, last.step->frame(), theta}, false, sum);
    const int n = shell->dofs().free_count;
    const MatrixXd H = multiply_symmetric(shell->pattern(), sum.values(), MatrixXd::Identity(n, n));
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(H, Eigen::EigenvaluesOnly).eigenvalues()[0];
  }
  double deflection(const Trajectory& t) const {
    return (t.frames.back().state->x - mesh.nodes).col(2).cwiseAbs().maxCoeff();
  }
};

TEST(ShellDerivative, NoneAtASaddle) {
  Strip strip(0.03);
  strip.schedule.solver.check_minimum = false;
  const Trajectory t = simulate(*strip.shell, strip.theta, strip.schedule);
  ASSERT_EQ(t.failure, StepFailure::none);
  EXPECT_LT(strip.deflection(t), 0.02) << "it stayed straight";
  EXPECT_LT(strip.smallest_eigenvalue(t), 0);
  EXPECT_THROW(trajectory_tangent(*strip.shell, t, strip.theta, {strip.theta}), NoDerivative);
  EXPECT_THROW(trajectory_adjoint(*strip.shell, t, strip.theta, {{1, strip.mesh.nodes}}), NoDerivative);
}

TEST(ShellDerivative, AStripLeavesTheSaddleToEitherSide) {
  Strip strip(0.03);
  std::vector<Positions> ends;
  for (const unsigned seed : {1u, 2u}) {
    strip.schedule.solver.seed = seed;
    const Trajectory t = simulate(*strip.shell, strip.theta, strip.schedule);
    ASSERT_EQ(t.failure, StepFailure::none);
    EXPECT_GE(t.frames[1].report.buckles, 1);
    EXPECT_GT(strip.deflection(t), 0.3);
    EXPECT_GT(strip.smallest_eigenvalue(t), 0);
    EXPECT_NO_THROW(trajectory_tangent(*strip.shell, t, strip.theta, {strip.theta}));
    ends.push_back(t.frames.back().state->x);
  }
  // mirrored in the middle plane z = -1/4: levels change places
  const Eigen::Index level = strip.mesh.nodes.rows() / 3;
  Positions mirrored(ends[1].rows(), 3);
  for (Eigen::Index k = 0; k < 3; ++k)
    mirrored.middleRows(k * level, level) = ends[1].middleRows((2 - k) * level, level);
  mirrored.col(2) = (-0.5 - mirrored.col(2).array()).matrix();
  EXPECT_LT((mirrored - ends[0]).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(ShellDerivative, BelowTheBucklingStrainNothingBuckles) {
  const Strip strip(0.003);
  const Trajectory t = simulate(*strip.shell, strip.theta, strip.schedule);
  ASSERT_EQ(t.failure, StepFailure::none);
  EXPECT_EQ(t.frames[1].report.buckles, 0);
  EXPECT_LT(strip.deflection(t), 0.02);
}

/// One frame that presses a finger in by `depth`, with so many iterations a solve.
Trajectory pressed(double depth, int iterations) {
  ShellSchedule schedule = scene().schedule;
  schedule.frames = 1;
  schedule.solver.tolerance = 0;
  schedule.solver.max_iterations = iterations;
  schedule.colliders = [depth](double t) {
    ColliderPose pose;
    pose.present = true;
    pose.radius = 4;
    pose.centre = Vec3(0.4, 0.3, 4.05 - depth * 24 * t);
    return std::vector<ColliderPose>{pose};
  };
  return simulate(*scene().shell, scene().theta, schedule);
}

/// A frame that needs halving gets it, and has derivatives through its halves.
TEST(ShellDerivative, AHugeStepIsHalved) {
  const Scene& s = scene();
  Trajectory t;
  for (int iterations = 24; iterations >= 6; --iterations) {  // until one go is too little
    t = pressed(3, iterations);
    if (t.failure != StepFailure::none || t.frames[1].halvings > 0) break;
  }
  ASSERT_EQ(t.failure, StepFailure::none) << describe(t.failure);
  ASSERT_EQ(t.frames.size(), 2u);
  EXPECT_GE(t.frames[1].halvings, 1);
  EXPECT_GT(t.frames[1].report.smallest_j, 0);
  const ShellTheta direction = s.theta.like(directions(s)[0].second);
  const Positions bar = testing::rows_of(testing::random_vector(static_cast<int>(s.mesh.nodes.size()), 5));
  const double by_tangent =
      trajectory_tangent(*s.shell, t, s.theta, {direction})[0][1].cwiseProduct(bar).sum();
  EXPECT_NEAR(trajectory_adjoint(*s.shell, t, s.theta, {{1, bar}}).flat().dot(direction.flat()), by_tangent,
              1e-9 * std::abs(by_tangent));
}

TEST(ShellDerivative, AStepThatHalvingDoesNotSaveIsReported) {
  const Trajectory t = pressed(4.5, 7);
  EXPECT_EQ(t.failure, StepFailure::iterations);
  EXPECT_EQ(t.frames.size(), 1u);
  EXPECT_GT(t.failed_at, 0) << "frame 0 comes to rest";
  EXPECT_LE(t.failed_at, scene().schedule.dt);
}

TEST(ShellDerivative, InvertedStartIsRefused) {
  const Scene& s = scene();
  ShellState from = s.shell->rest_state();
  Frame frame;
  frame.dt = s.schedule.dt;
  frame.before = frame.now = s.schedule.colliders(0);
  Positions x = s.mesh.nodes;
  x.col(2) *= -1;
  const StepInput in{from, frame, s.theta};
  EXPECT_EQ(s.shell->evaluate(x, in, true).energy, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(s.shell->evaluate(x, in, true).smallest_j > 0);
  EXPECT_EQ(solve_step(*s.shell, in, x, {}).report.failure, StepFailure::inverted_start);
}

TEST(ShellDerivative, TimeLimitIsReported) {
  const Scene& s = scene();
  ShellSchedule schedule = s.schedule;
  schedule.solver.time_limit = 1e-9;
  const Trajectory t = simulate(*s.shell, s.theta, schedule);
  EXPECT_EQ(t.failure, StepFailure::time_limit);
  EXPECT_EQ(t.frames.size(), 1u);
}

}  // namespace
}  // namespace furrow
