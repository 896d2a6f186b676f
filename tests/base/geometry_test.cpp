// Rigid motions and surface measures.
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "forward/base/rigid_motion.h"
#include "forward/base/surface_mesh.h"

namespace furrow {
namespace {

Positions random_points(int n, unsigned seed, double scale = 50) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(0, scale);
  return Positions::NullaryExpr(n, 3, [&] { return normal(generator); });
}

RigidMotion random_motion(unsigned seed) {
  const Positions x = random_points(2, seed, 1);
  return {rotation_from_vector(3 * Vec3(x.row(0))), 100 * Vec3(x.row(1))};
}

TEST(RigidMotion, RotationVectorsThereAndBack) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Vec3 direction = Vec3(random_points(1, seed).row(0)).normalized();
    for (const double angle : {0.0, 1e-14, 1e-9, 1e-5, 1e-3, 0.5, 2.0, 3.1, std::numbers::pi - 1e-7}) {
      const Mat3 rotation = rotation_from_vector(angle * direction);
      EXPECT_LT((rotation.transpose() * rotation - Mat3::Identity()).norm(), 1e-14);
      EXPECT_NEAR(rotation.determinant(), 1, 1e-14);
      EXPECT_LT((vector_from_rotation(rotation) - angle * direction).norm(), 1e-14 + 1e-13 * angle) << angle;
    }
    const Mat3 half_turn = rotation_from_vector(std::numbers::pi * direction);
    EXPECT_LT((rotation_from_vector(vector_from_rotation(half_turn)) - half_turn).norm(), 1e-13);
  }
  EXPECT_LT((rotation_from_vector({0, 0, std::numbers::pi / 2}) * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm(),
            1e-15);
}

TEST(RigidMotion, ProductsAndInverses) {
  const RigidMotion first = random_motion(1), second = random_motion(2);
  const Positions x = random_points(10, 3);
  EXPECT_LT(((second * first).apply(x) - second.apply(first.apply(x))).norm(), 1e-11);
  EXPECT_LT((first.inverse().apply(first.apply(x)) - x).norm(), 1e-11);
  EXPECT_EQ(Vec3(RigidMotion{}.apply(x).row(4)), Vec3(x.row(4)));
}

TEST(RigidMotion, FitsFindTheMotion) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const RigidMotion truth = random_motion(seed);
    Positions from = random_points(seed % 2 ? 3 : 30, seed + 1000);
    if (seed % 3 == 0) from.col(2).setZero();  // flat sets leave the reflection open
    const RigidMotion found = fit_rigid_motion(from, truth.apply(from));
    EXPECT_LT((found.rotation - truth.rotation).norm(), 1e-11) << seed;
    EXPECT_LT((found.translation - truth.translation).norm(), 1e-9) << seed;
    EXPECT_NEAR(found.rotation.determinant(), 1, 1e-12);
  }
}

TEST(RigidMotion, FitsMinimiseTheWeightedSquares) {
  const Positions from = random_points(20, 5), noise = random_points(20, 6, 2);
  const Positions to = random_motion(7).apply(from) + noise;
  const VectorXd weights = random_points(20, 8, 1).col(0).cwiseAbs();
  const auto cost = [&](const RigidMotion& motion) {
    return weights.dot((motion.apply(from) - to).rowwise().squaredNorm());
  };
  const RigidMotion best = fit_rigid_motion(from, to, weights);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Positions nudge = random_points(2, seed, 1e-3);
    const RigidMotion moved{rotation_from_vector(nudge.row(0)) * best.rotation,
                            best.translation + Vec3(nudge.row(1))};
    EXPECT_GT(cost(moved), cost(best));
  }
  VectorXd outlier_off = VectorXd::Ones(20);
  outlier_off[3] = 0;
  Positions spoilt = random_motion(9).apply(from);
  spoilt.row(3) *= 100;
  EXPECT_LT((fit_rigid_motion(from, spoilt, outlier_off).rotation - random_motion(9).rotation).norm(), 1e-11);
}

TEST(RigidMotion, BrokenPreconditions) {
  const Positions three = random_points(3, 1);
  EXPECT_THROW(fit_rigid_motion(three.topRows(2), three.topRows(2)), std::logic_error);
  EXPECT_THROW(fit_rigid_motion(three, three.topRows(2)), std::logic_error);
  EXPECT_THROW(fit_rigid_motion(three, three, VectorXd::Ones(2)), std::logic_error);
  EXPECT_THROW(fit_rigid_motion(three, three, Vec3(1, 1, 0)), std::logic_error);
  EXPECT_THROW(fit_rigid_motion(three, three, Vec3(1, 1, -1)), std::logic_error);
}

/// The box [0,2] x [0,3] x [0,4], outward normals, moved far away.
SurfaceMesh box() {
  SurfaceMesh mesh;
  mesh.vertices.resize(8, 3);
  for (int v = 0; v < 8; ++v) mesh.vertices.row(v) << 2.0 * (v & 1), 3.0 * (v >> 1 & 1), 4.0 * (v >> 2 & 1);
  mesh.vertices.rowwise() += Eigen::RowVector3d(1000, -500, 300);
  mesh.triangles.resize(12, 3);
  mesh.triangles << 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6,
      1, 3, 5, 3, 7, 5;
  return mesh;
}

TEST(SurfaceMesh, ClosedBox) {
  const SurfaceMesh mesh = box();
  EXPECT_NEAR(signed_volume(mesh), 24, 1e-9);
  EXPECT_TRUE(boundary_edges(mesh).empty());
  EXPECT_TRUE(non_manifold_edges(mesh).empty());
  EXPECT_NEAR(diagonal(mesh.vertices), std::sqrt(4 + 9 + 16), 1e-12);
  const Positions normals = vertex_normals(mesh);
  const Vec3 centre = mesh.vertices.colwise().mean();
  for (int v = 0; v < 8; ++v) {
    EXPECT_NEAR(normals.row(v).norm(), 1, 1e-14);
    EXPECT_GT(normals.row(v).dot(mesh.vertices.row(v) - centre.transpose()), 0);
  }
}

TEST(SurfaceMesh, OpenAndTornSurfaces) {
  SurfaceMesh open = box();
  open.triangles = Triangles(open.triangles.bottomRows(11));  // without 0 2 1
  const auto rim = boundary_edges(open);
  ASSERT_EQ(rim.size(), 3u);
  for (const auto& [a, b] : rim) {
    const auto reversed_in_gap = [&](int p, int q) { return a == q && b == p; };
    EXPECT_TRUE(reversed_in_gap(0, 2) || reversed_in_gap(2, 1) || reversed_in_gap(1, 0));
  }
  SurfaceMesh fin = box();
  fin.vertices.conservativeResize(9, 3);
  fin.vertices.row(8) << 0, 0, 0;
  fin.triangles.conservativeResize(13, 3);
  fin.triangles.row(12) << 0, 1, 8;
  EXPECT_EQ(non_manifold_edges(fin).size(), 1u);
  EXPECT_EQ(boundary_edges(fin).size(), 2u);
}

TEST(SurfaceMesh, EmptyAndDegenerate) {
  SurfaceMesh mesh;
  EXPECT_EQ(signed_volume(mesh), 0);
  EXPECT_EQ(diagonal(mesh.vertices), 0);
  EXPECT_TRUE(boundary_edges(mesh).empty());
  mesh.vertices = Positions::Zero(2, 3);
  mesh.triangles = Triangles::Zero(1, 3);
  EXPECT_TRUE(boundary_edges(mesh).empty());
  EXPECT_EQ(vertex_normals(mesh), Positions(Positions::Zero(2, 3)));
}

}  // namespace
}  // namespace furrow
