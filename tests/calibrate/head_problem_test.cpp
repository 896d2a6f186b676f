// The least-squares problem of one head: its Jacobian against its residual for every class of parameter and
// nuisance, its whitening, losses and priors against formulas, and its two roads to a gradient against each
// other.
#include <gtest/gtest.h>

#include "calibrate/head_fit.h"
#include "forward/base/rigid_motion.h"
#include "tests/forward/mesh_shapes.h"
#include "tests/support/check_derivative.h"

namespace furrow {
namespace {

using testing::random_vector;

/// A slab on a fixed bottom, two clusters side by side, without files.
std::shared_ptr<TetModel> slab_model(int order) {
  auto model = std::make_shared<TetModel>();
  const Vec3 size(48, 32, 16);
  model->scan = testing::box_surface(size, 3);
  model->mesh = testing::box_mesh(size, 3);
  if (order == 2) model->mesh = elevate_order(model->mesh);
  model->scene.solver.tolerance = 1e-12;
  model->scene.tissue.poisson = 0.42;
  model->scene.tissue.young = {{"left", 3e-3}, {"right", 6e-3}};
  model->layout.labels = {1, 2};
  model->layout.names = {"left", "right"};
  for (int v = 0; v < model->scan.vertex_count(); ++v)
    model->layout.vertex_cluster.push_back(model->scan.vertices(v, 0) > 20);
  model->fixed = FixedFlags::Constant(model->mesh.node_count(), 3, false);
  for (int i = 0; i < model->mesh.node_count(); ++i)
    if (model->mesh.nodes(i, 2) < 1e-9) model->fixed.row(i).setConstant(true);
  model->compiled = std::make_shared<CompiledScene>(
      model->mesh.elements, model->mesh.nodes,
      propagate_layout(model->layout, model->scan.vertices, model->mesh, 0), model->fixed, Law::neo_hookean);
  model->attachment = attach_surface(model->scan.vertices, model->mesh);
  return model;
}

struct SlabOptions {
  bool rigid = false, turns_gravity = false, prior = false;
  double neutral_sigma = 0;
  std::optional<double> smoothness;
  RobustLoss robust;
};

/// Two poses; the first sees every scan vertex, the second every other one.
HeadData slab_data(const SlabOptions& options, int order = 2) {
  HeadData data;
  data.model = slab_model(order);
  const std::array<Vec3, 2> gravities{Vec3(9810, 0, 0), Vec3(1000, -3000, -9000)};
  for (int k = 0; k < 2; ++k) {
    HeadPose pose;
    pose.name = k == 0 ? "left" : "down";
    pose.gravity = gravities[k];
    pose.sigma = 0.05 * (k + 1);
    pose.points = data.model->scan.vertices +
                  random_vector(static_cast<int>(data.model->scan.vertices.size()), 5 + k, 0.1)
                      .reshaped<Eigen::RowMajor>(data.model->scan.vertex_count(), 3);
    for (int v = 0; v < data.model->scan.vertex_count(); v += k + 1) pose.vertices.push_back(v);
    if (options.rigid) pose.rigid = RigidMotionPrior{0.02, 0.3};
    pose.turns_gravity = options.turns_gravity;
    pose.robust = options.robust;
    data.poses.push_back(pose);
  }
  std::optional<LogPrior> prior;
  if (options.prior) prior = LogPrior{4e-3, 0.3};
  data.parameters = {{"tissue.young.left", 3e-3, {1e-4, 0.1}, prior, false},
                     {"tissue.young.right", 6e-3, {1e-4, 0.1}, prior, false},
                     {"tissue.poisson",
                      0.42,
                      {0.3, 0.49},
                      options.prior ? std::optional(LogPrior{0.4, 0.02}) : std::nullopt,
                      false},
                     {"tissue.young", 4e-3, {1e-4, 0.1}, std::nullopt, false}};
  data.neutral_sigma = options.neutral_sigma;
  data.smoothness = options.smoothness;
  return data;
}

VectorXd start_values() {
  VectorXd values(4);
  values << 3e-3, 6e-3, 0.42, std::sqrt(18e-6);
  return values;
}

struct Slab {
  HeadData data;
  FrozenFactor factor;
  HeadProblem problem;
  VectorXd p;

  explicit Slab(HeadData given, std::vector<int> free = {0, 1, 2})
      : data(std::move(given)),
        factor(*data.model->compiled),
        problem(data, factor, std::move(free), {0, 1}, start_values()) {
    problem.set_krylov_tolerance(1e-13);
    p = problem.start_coordinates();
    for (int k = problem.free_count(); k < p.size(); ++k)
      p[k] = 0.4 * std::sin(1.0 + k);  // nuisances off their centre
  }
  VectorXd residual(const VectorXd& at) {
    const auto value = problem.evaluate(at, false);
    EXPECT_TRUE(value) << problem.last_failure();
    return value->residual;
  }
};

void expect_exact_derivatives(Slab& slab, double h = 0.02) {
  const auto at = slab.problem.evaluate(slab.p, true);
  ASSERT_TRUE(at) << slab.problem.last_failure();
  ASSERT_EQ(at->jacobian.cols(), slab.problem.size());
  ASSERT_EQ(at->residual.size(), slab.problem.residual_count());
  for (int k = 0; k < slab.problem.size(); ++k)  // one coordinate at a time, then all together
    testing::check_derivative(
        [&](const VectorXd& q) { return slab.residual(slab.p + q[0] * VectorXd::Unit(slab.p.size(), k)); },
        [&](const VectorXd&, const VectorXd& d) { return VectorXd(at->jacobian.col(k) * d[0]); },
        VectorXd::Zero(1), h, 7, 1, 0.05, 1e-8);
  testing::check_derivative([&](const VectorXd& q) { return slab.residual(q); },
                            [&](const VectorXd&, const VectorXd& d) { return VectorXd(at->jacobian * d); },
                            slab.p, h, 9, 1, 0.05, 1e-8);
  const auto adjoint = slab.problem.evaluate_gradient(slab.p);
  ASSERT_TRUE(adjoint) << slab.problem.last_failure();
  const VectorXd gradient = at->jacobian.transpose() * at->residual;
  EXPECT_NEAR(adjoint->value, 0.5 * at->residual.squaredNorm(), 1e-10 * adjoint->value);
  for (int k = 0; k < gradient.size(); ++k)
    EXPECT_NEAR(adjoint->gradient[k], gradient[k],
                1e-9 * std::max(std::abs(gradient[k]), 1e-3 * gradient.norm()))
        << k;
}

TEST(HeadProblemTest, ClustersAndPoissonsRatio) {
  for (const int order : {1, 2}) {
    Slab slab(slab_data({}, order));
    expect_exact_derivatives(slab, 0.005);
  }
}

TEST(HeadProblemTest, ACommonScale) {
  Slab slab(slab_data({}), {3});
  slab.p[0] += 0.3;
  const TissueTheta theta = slab.problem.theta_at(slab.p);
  EXPECT_NEAR(theta.young[1] / theta.young[0], 2, 1e-12);
  EXPECT_NEAR(slab.problem.values_at(slab.p)[3], std::sqrt(theta.young[0] * theta.young[1]), 1e-12);
  expect_exact_derivatives(slab);
}

TEST(HeadProblemTest, ACommonScaleBesideAFreeCluster) {
  Slab slab(slab_data({}), {1, 3});
  slab.p[1] += 0.3;
  expect_exact_derivatives(slab);
}

TEST(HeadProblemTest, RigidNuisances) {
  Slab slab(slab_data({.rigid = true}));
  EXPECT_EQ(slab.problem.size(), 3 + 12);
  expect_exact_derivatives(slab, 0.005);
}

TEST(HeadProblemTest, RigidNuisancesThatTurnGravity) {
  Slab slab(slab_data({.rigid = true, .turns_gravity = true}));
  expect_exact_derivatives(slab, 0.005);
  // a pose turned with its gravity is the same pose seen from another frame
  const VectorXd at = slab.p;
  const Vec3 omega = 0.02 * at.segment<3>(3);
  ASSERT_TRUE(slab.problem.evaluate(at, false));
  const Positions moved = slab.problem.solution()->x[0];
  const GravityExperiment& experiment = slab.problem.experiment();
  const ExperimentSolution turned = experiment.solve(
      slab.problem.theta_at(at), {}, slab.factor,
      {rotation_from_vector(-omega) * slab.data.poses[0].gravity, slab.data.poses[1].gravity});
  EXPECT_LT((turned.x[0] - moved).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(HeadProblemTest, PriorsAndSmoothness) {
  Slab slab(slab_data({.prior = true, .smoothness = 0.2}));
  expect_exact_derivatives(slab, 0.005);
  const VectorXd r = slab.residual(slab.p).tail(4);
  EXPECT_EQ(slab.problem.residual_count() - slab.problem.data_rows(), 4);
  EXPECT_NEAR(r[0], std::log(3.0 / 4) / 0.3, 1e-9);
  EXPECT_NEAR(r[1], std::log(6.0 / 4) / 0.3, 1e-9);
  EXPECT_NEAR(r[2], (0.42 - 0.40) / 0.02, 1e-9);
  EXPECT_NEAR(std::abs(r[3]), std::log(2.0) / 0.2, 1e-9);
}

TEST(HeadProblemTest, ANoisyNeutralIsSharedByAllPoses) {
  Slab slab(slab_data({.rigid = true, .neutral_sigma = 0.08}));
  expect_exact_derivatives(slab, 0.005);
  const VectorXd r = slab.residual(slab.p);
  const Positions first = slab.problem.misfit(0, slab.p), second = slab.problem.misfit(1, slab.p);
  double expected = 0;  // d' C^-1 d, C = diag(sigma_p^2) + sigma_n^2 11' over the poses that see a vertex
  for (int v = 0; v < first.rows(); ++v)
    for (int c = 0; c < 3; ++c) {
      if (v % 2 == 1) {
        expected += first(v, c) * first(v, c) / (0.05 * 0.05 + 0.08 * 0.08);
        continue;
      }
      Eigen::Matrix2d C = Eigen::Matrix2d::Constant(0.08 * 0.08);
      C.diagonal() += Eigen::Vector2d(0.05 * 0.05, 0.1 * 0.1);
      const Eigen::Vector2d d(first(v, c), second(v / 2, c));
      expected += d.dot(C.inverse() * d);
    }
  EXPECT_NEAR(r.head(slab.problem.data_rows()).squaredNorm(), expected, 1e-10 * expected);
}

TEST(HeadProblemTest, RobustLosses) {
  for (const RobustLoss::Kind kind : {RobustLoss::Kind::huber, RobustLoss::Kind::cauchy}) {
    HeadData data = slab_data({.robust = {kind, 1.0}});
    {  // whitened misfits of 0.5 and -3 standard deviations at the start
      Slab probe(data);
      ASSERT_TRUE(probe.problem.evaluate(probe.p, false));
      for (int k = 0; k < 2; ++k) {
        const Positions d = probe.problem.misfit(k, probe.p);
        for (Eigen::Index i = 0; i < d.rows(); ++i)
          for (int c = 0; c < 3; ++c)
            data.poses[k].points(data.poses[k].vertices[i], c) +=
                d(i, c) - data.poses[k].sigma * ((i + c) % 3 == 0 ? -3 : 0.5);
      }
    }
    Slab slab(std::move(data));
    const VectorXd r = slab.residual(slab.p);
    const bool huber = kind == RobustLoss::Kind::huber;
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      if (r[i] > 0) {
        EXPECT_NEAR(r[i], huber ? 0.5 : std::sqrt(std::log1p(0.25)), 1e-9);
      } else {
        EXPECT_NEAR(r[i], -std::sqrt(huber ? 5.0 : std::log(10.0)), 1e-9);
      }
    }
    expect_exact_derivatives(slab, 0.002);
  }
}

TEST(HeadProblemTest, EffectSizesArePerLogParameter) {
  Slab slab(slab_data({}));
  const VectorXd effects = slab.problem.effect_sizes(slab.p);
  const VectorXd up = slab.p + 1e-4 * VectorXd::Unit(3, 0), down = slab.p - 1e-4 * VectorXd::Unit(3, 0);
  double sum = 0;
  std::array<Positions, 2> at_up;
  slab.residual(up);
  for (int k = 0; k < 2; ++k) at_up[k] = slab.problem.misfit(k, up);
  slab.residual(down);
  for (int k = 0; k < 2; ++k) sum += (at_up[k] - slab.problem.misfit(k, down)).squaredNorm();
  const double log_step = std::log(slab.problem.values_at(up)[0] / slab.problem.values_at(down)[0]);
  EXPECT_NEAR(effects[0], std::sqrt(sum / (slab.problem.data_rows() / 3.0)) / log_step, 1e-5 * effects[0]);
}

}  // namespace
}  // namespace furrow
