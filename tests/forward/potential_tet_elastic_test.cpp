// The elastic potential: every derivative against the one below it, matrices against matrix-free products,
// both laws and orders, on a body with nodes that are fixed in some components only.
#include "forward/potential/tet_elastic.h"

#include <gtest/gtest.h>

#include "tests/forward/tet_body.h"

namespace furrow {
namespace {

using testing::check_derivative;
using testing::flat;
using testing::random_vector;
using testing::unflat;

class TetElasticTest : public testing::EveryTet {
 protected:
  TetElasticTest()
      : body_(testing::tet_body(order())),
        scene_(body_.scene(law())),
        moduli_(scene_.moduli(testing::two_stiffnesses())) {}

  const TetElastic& elastic() const { return scene_.elastic(); }
  VectorXd gradient(const Positions& X, const Positions& x) const {
    return flat(elastic().evaluate(X, x, moduli_, true).gradient);
  }
  /// r = dE/dx - f_gravity, fixed dofs included.
  VectorXd residual(const Positions& X, const Positions& x) const {
    return gradient(X, x) - flat(elastic().nodal_volume(X) * kRhoG.transpose());
  }
  Positions random_field(unsigned seed) const { return unflat(random_vector(3 * scene_.node_count(), seed)); }

  const Vec3 kRhoG{3e-6, -8e-6, 5e-6};
  testing::TetBody body_;
  CompiledScene scene_;
  ElementModuli moduli_;
  Positions X_ = body_.mesh.nodes, x_ = testing::deformed(X_);
};

TEST_P(TetElasticTest, GradientIsTheDerivativeOfEnergy) {
  ASSERT_GT(elastic().evaluate(X_, x_, moduli_, false).smallest_j, 0.4);
  check_derivative(
      [&](const VectorXd& x) {
        return VectorXd::Constant(1, elastic().evaluate(X_, unflat(x), moduli_, false).energy);
      },
      [&](const VectorXd& x, const VectorXd& d) {
        return VectorXd::Constant(1, gradient(X_, unflat(x)).dot(d));
      },
      flat(x_), 0.5);
}

TEST_P(TetElasticTest, HessianProductIsTheDerivativeOfTheGradient) {
  check_derivative([&](const VectorXd& x) { return gradient(X_, unflat(x)); },
                   [&](const VectorXd& x, const VectorXd& d) {
                     return flat(elastic().hessian_product(X_, unflat(x), moduli_, unflat(d)));
                   },
                   flat(x_), 0.5);
}

TEST_P(TetElasticTest, HessianIsItsProductOverTheFreeDofs) {
  const DofMap& dofs = scene_.dofs();
  std::vector<double> values{1, 2, 3};  // overwritten, not added to
  elastic().hessian(X_, x_, moduli_, dofs, scene_.symmetric_pattern(), values);
  const MatrixXd v = MatrixXd::Identity(dofs.free_count, dofs.free_count);
  const MatrixXd K = multiply_symmetric(scene_.symmetric_pattern(), values, v);
  EXPECT_LT((K - K.transpose()).norm(), 1e-14 * K.norm());
  for (int j = 0; j < dofs.free_count; ++j) {
    const VectorXd column = dofs.gather(elastic().hessian_product(X_, x_, moduli_, dofs.spread(v.col(j))));
    ASSERT_LT((K.col(j) - column).norm(), 1e-13 * K.norm()) << j;
  }
}

TEST_P(TetElasticTest, RestPullbackIsTheDerivativeByTheRestShape) {
  const Positions lambda = random_field(21);
  check_derivative(
      [&](const VectorXd& X) { return VectorXd::Constant(1, residual(unflat(X), x_).dot(flat(lambda))); },
      [&](const VectorXd& X, const VectorXd& d) {
        return VectorXd::Constant(
            1, flat(elastic().rest_pullback(unflat(X), x_, moduli_, kRhoG, lambda)).dot(d));
      },
      flat(X_), 0.5);
}

TEST_P(TetElasticTest, RestDerivativeIsTheDerivativeOfTheResidual) {
  const DofMap& dofs = scene_.dofs();
  auto at = [&](const VectorXd& X) {
    Positions full = X_;
    dofs.scatter(X, full);
    return full;
  };
  check_derivative([&](const VectorXd& X) { return dofs.gather(unflat(residual(at(X), x_))); },
                   [&](const VectorXd& X, const VectorXd& d) {
                     std::vector<double> values;
                     elastic().rest_derivative(at(X), x_, moduli_, kRhoG, dofs, scene_.general_pattern(),
                                               values);
                     return VectorXd(multiply_general(scene_.general_pattern(), values, d));
                   },
                   dofs.gather(X_), 0.5);
}

TEST_P(TetElasticTest, RestPullbackIsTheTransposedRestDerivative) {
  const DofMap everything = DofMap::from_fixed(FixedFlags::Constant(scene_.node_count(), 3, false));
  for (const DofMap* dofs : {&scene_.dofs(), &everything}) {
    const GeneralPattern pattern = make_general_pattern(scene_.elements(), scene_.node_count(), *dofs);
    std::vector<double> values{1};
    elastic().rest_derivative(X_, x_, moduli_, kRhoG, *dofs, pattern, values);
    const VectorXd lambda = random_vector(dofs->free_count, 22);
    const VectorXd by_matrix = multiply_general_transposed(pattern, values, lambda);
    const VectorXd by_pullback =
        dofs->gather(elastic().rest_pullback(X_, x_, moduli_, kRhoG, dofs->spread(lambda)));
    EXPECT_LT((by_matrix - by_pullback).norm(), 1e-12 * by_matrix.norm());
  }
}

TEST_P(TetElasticTest, ForcesAreLinearInTheStiffnesses) {
  const TissueTheta theta = testing::two_stiffnesses();
  const Moduli unit = unit_moduli(law(), theta.poisson);
  const VectorXd forces = gradient(X_, x_);
  const MatrixXd by_cluster = elastic().cluster_forces(X_, x_, unit, scene_.weights());
  EXPECT_LT((by_cluster * theta.young - forces).norm(), 1e-13 * forces.norm());
  const Positions lambda = random_field(23);
  const VectorXd work = elastic().element_work(X_, x_, unit, lambda);
  EXPECT_LT((scene_.weights().transpose() * work - by_cluster.transpose() * flat(lambda)).norm(),
            1e-12 * work.norm());
}

TEST_P(TetElasticTest, ResidualByTheta) {
  const Vec3 gravity(2000, -7000, 4000);
  const TissueTheta theta = testing::two_stiffnesses();
  const std::vector<int> all{0, 1, 2, 3};
  const MatrixXd by_theta = scene_.residual_by_theta(X_, x_, theta, gravity, all);
  const VectorXd scale = theta.flat();  // log steps: the components differ by seven orders of magnitude
  check_derivative(
      [&](const VectorXd& p) {
        const TissueTheta at = TissueTheta::from_flat(scale.array() * p.array().exp());
        const Positions force = scene_.gravity_force(X_, at.density, gravity);
        return scene_.dofs().gather(elastic().evaluate(X_, x_, scene_.moduli(at), true).gradient - force);
      },
      [&](const VectorXd&, const VectorXd& d) { return VectorXd(by_theta * scale.asDiagonal() * d); },
      VectorXd::Zero(4), 0.02);
  const VectorXd lambda = random_vector(scene_.dofs().free_count, 24);
  const VectorXd transposed =
      scene_.residual_by_theta_transposed(X_, x_, theta, gravity, scene_.dofs().spread(lambda));
  const VectorXd expected = by_theta.transpose() * lambda;
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(transposed[k], expected[k], 1e-12 * std::abs(expected[k])) << k;
}

TEST_P(TetElasticTest, NodalVolumesSumToTheBody) {
  const testing::TetBody straight = testing::tet_body(order(), 2, 0);
  const VectorXd volume =
      make_tet_elastic(law(), straight.mesh.elements, straight.mesh.nodes)->nodal_volume(straight.mesh.nodes);
  const double total = measure_quality(straight.mesh).total_volume;
  EXPECT_NEAR(volume.sum(), total, 1e-12 * total);
  // sum_a X_a (integral of N_a) = integral of X = sum of volume x centroid
  Vec3 moment = Vec3::Zero();
  for (int e = 0; e < straight.mesh.element_count(); ++e) {
    Mat3 edges;
    Vec3 centre = Vec3::Zero();
    for (int c = 0; c < 4; ++c)
      centre += 0.25 * straight.mesh.nodes.row(straight.mesh.elements(e, c)).transpose();
    for (int c = 0; c < 3; ++c)
      edges.col(c) = (straight.mesh.nodes.row(straight.mesh.elements(e, c + 1)) -
                      straight.mesh.nodes.row(straight.mesh.elements(e, 0)))
                         .transpose();
    moment += edges.determinant() / 6 * centre;
  }
  EXPECT_LT((straight.mesh.nodes.transpose() * volume - moment).norm(), 1e-12 * moment.norm());
}

TEST_P(TetElasticTest, RigidMotionsCostNothingAndInversionIsSeen) {
  Mat3 R;
  R << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const Positions turned = (X_ * R.transpose()).rowwise() + Eigen::RowVector3d(5, 6, 7);
  const ElasticValue rigid = elastic().evaluate(X_, turned, moduli_, true);
  EXPECT_LT(std::abs(rigid.energy), 1e-13);
  EXPECT_LT(rigid.gradient.norm(), 1e-14);
  Positions mirrored = X_;
  mirrored.col(2) *= -1;
  EXPECT_NEAR(elastic().evaluate(X_, mirrored, moduli_, false).smallest_j, -1, 1e-13);
  EXPECT_EQ(elastic().evaluate(mirrored, X_, moduli_, false).smallest_j,
            -1);  // the rest shape itself is inverted
}

INSTANTIATE_TEST_SUITE_P(All, TetElasticTest,
                         ::testing::Combine(::testing::ValuesIn(testing::kLaws), ::testing::Values(1, 2)),
                         testing::tet_name);

}  // namespace
}  // namespace furrow
