#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "forward/base/mesh_io.h"
#include "forward/mesh/surface_attachment.h"
#include "forward/mesh/tetgen_mesher.h"
#include "tests/forward/mesh_shapes.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::box_mesh;

/// Points on and off the boundary of the box [0, 3] x [0, 2] x [0, 1].
Positions points_near_box(int count) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-0.2, 1.2);
  Positions points(count, 3);
  for (int i = 0; i < count; ++i)
    points.row(i) << 3 * uniform(generator), 2 * uniform(generator), uniform(generator);
  return points;
}

Positions clamped(Positions points) {
  for (int i = 0; i < points.rows(); ++i)
    points.row(i) = points.row(i).cwiseMax(Eigen::RowVector3d::Zero()).cwiseMin(Eigen::RowVector3d(3, 2, 1));
  return points;
}

TEST(SurfaceAttachment, ReproducesAffineMapsOfPointsOnTheBoundary) {
  Mat3 A;
  A << 1.1, 0.2, -0.1, 0.05, 0.9, 0.3, -0.2, 0.1, 1.2;
  const Eigen::RowVector3d b(4, -5, 6);
  Positions scan = clamped(points_near_box(200));
  for (int i = 0; i < scan.rows(); ++i)
    scan(i, i % 3) = (i / 3) % 2 == 0 ? 0 : 3 - i % 3;  // onto one of the six sides
  for (const TetMesh& mesh : {box_mesh({3, 2, 1}, 3), elevate_order(box_mesh({3, 2, 1}, 3))}) {
    const SurfaceAttachment attachment = attach_surface(scan, mesh);
    EXPECT_LT(attachment.largest_offset(), 1e-14);
    const Positions x = (mesh.nodes * A.transpose()).rowwise() + b,
                    moved = (scan * A.transpose()).rowwise() + b;
    EXPECT_LT((attachment.apply(x) - moved).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((attachment.weights * VectorXd::Ones(mesh.node_count()) - VectorXd::Ones(scan.rows()))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-14);
  }
}

TEST(SurfaceAttachment, FollowsQuadraticMotionOfQuadraticFaces) {
  const TetMesh mesh = elevate_order(box_mesh({3, 2, 1}, 2));
  auto moved = [](const Positions& x) {
    Positions y = x;
    y.col(2) += 0.1 * (x.col(0).cwiseAbs2() - x.col(0).cwiseProduct(x.col(1)));
    return y;
  };
  Positions scan = clamped(points_near_box(50));
  scan.col(2).setOnes();
  EXPECT_LT((attach_surface(scan, mesh).apply(moved(mesh.nodes)) - moved(scan)).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(SurfaceAttachment, KeepsTheScanAndItsDistances) {
  const TetMesh mesh = box_mesh({3, 2, 1}, 4);
  const Positions scan = points_near_box(300);
  const SurfaceAttachment attachment = attach_surface(scan, mesh);
  EXPECT_LT((attachment.apply(mesh.nodes) - scan).cwiseAbs().maxCoeff(), 1e-15);
  const Eigen::RowVector3d low(0, 0, 0), high(3, 2, 1);
  for (int i = 0; i < scan.rows(); ++i) {
    const Eigen::RowVector3d x = scan.row(i), inside = x.cwiseMax(low).cwiseMin(high);
    const double distance =
        inside == x ? std::min((x - low).minCoeff(), (high - x).minCoeff()) : (x - inside).norm();
    EXPECT_NEAR(attachment.offset.row(i).norm(), distance, 1e-14);
  }
}

TEST(SurfaceAttachment, VerticesAtNodesTakeThatNodeAlone) {
  const TetMesh mesh = elevate_order(box_mesh({3, 2, 1}, 2));
  const BoundaryFaces faces = boundary_faces(mesh);
  Positions scan(faces.corners.rows(), 3);
  for (int t = 0; t < scan.rows(); ++t) scan.row(t) = mesh.nodes.row(faces.corners(t, 0));
  const SurfaceAttachment attachment = attach_surface(scan, mesh);
  EXPECT_EQ(attachment.weights.nonZeros(), scan.rows());
  EXPECT_EQ(attachment.largest_offset(), 0);
  for (int i = 0; i < scan.rows(); ++i) EXPECT_EQ(attachment.weights.coeff(i, faces.corners(i, 0)), 1);
}

TEST(SurfaceAttachment, OnlyTheFacesThatAreAllowed) {
  const TetMesh mesh = box_mesh({3, 2, 1}, 2);
  const BoundaryFaces faces = boundary_faces(mesh);
  std::vector<bool> bottom;
  for (int t = 0; t < faces.corners.rows(); ++t)
    bottom.push_back(mesh.nodes(faces.corners(t, 0), 2) + mesh.nodes(faces.corners(t, 1), 2) +
                         mesh.nodes(faces.corners(t, 2), 2) ==
                     0);
  Positions scan(1, 3);
  scan << 1.3, 0.7, 0.9;
  EXPECT_NEAR(attach_surface(scan, mesh).largest_offset(), 0.1, 1e-14);
  EXPECT_NEAR(attach_surface(scan, mesh, bottom).largest_offset(), 0.9, 1e-14);
  EXPECT_THROW(attach_surface(scan, mesh, {true}), std::logic_error);
  EXPECT_THROW(attach_surface(scan, mesh, std::vector<bool>(bottom.size(), false)), std::logic_error);
}

TEST(SurfaceAttachment, AScanFinerThanItsVolume) {
  const auto folder = testing::shared_folder() / "data" / "ct-head" / "A";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no ../shared/data/ct-head beside the project";
  const SurfaceMesh boundary = read_surface(folder / "volume_boundary.obj"),
                    scan = read_surface(folder / "skin.obj");
  Repairs repairs;
  const TetMesh mesh =
      mesh_closed_surface(boundary, "volume_boundary.obj", {"skull", "wall"}, {.size = 6}, repairs);
  const SurfaceAttachment attachment = attach_surface(scan.vertices, mesh);
  EXPECT_LT(attachment.largest_offset(), 0.2);  // mid-edge vertices of the deformed quadratic skin
  for (int i = 0; i < 1273; ++i) EXPECT_EQ(attachment.weights.coeff(i, i), 1);
}

}  // namespace
}  // namespace furrow
