#include <gtest/gtest.h>

#include "forward/base/surface_mesh.h"
#include "forward/mesh/tet_mesh.h"
#include "tests/forward/mesh_shapes.h"

namespace furrow {
namespace {

using testing::box_mesh;

TEST(TetMesh, FacesOfOneElementFaceOutwards) {
  TetMesh mesh;
  mesh.order = 1;
  mesh.nodes.resize(4, 3);
  mesh.nodes << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  mesh.elements.resize(1, 4);
  mesh.elements << 0, 1, 2, 3;
  const BoundaryFaces faces = boundary_faces(mesh);
  ASSERT_EQ(faces.corners.rows(), 4);
  SurfaceMesh surface;
  surface.vertices = mesh.nodes;
  surface.triangles = faces.corners;
  EXPECT_NEAR(signed_volume(surface), 1.0 / 6, 1e-15);
}

TEST(TetMesh, BoundaryOfABoxEnclosesItsVolume) {
  const TetMesh mesh = box_mesh({3, 2, 1}, 3);
  const BoundaryFaces faces = boundary_faces(mesh);
  EXPECT_EQ(faces.corners.rows(), 6 * 9 * 2);
  SurfaceMesh surface;
  surface.vertices = mesh.nodes;
  surface.triangles = faces.corners;
  EXPECT_NEAR(signed_volume(surface), 6, 1e-12);
  EXPECT_TRUE(boundary_edges(surface).empty());
  for (int t = 0; t < faces.corners.rows(); ++t)
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(faces.corners(t, k), mesh.elements(faces.element[t], kTetFaces[faces.face[t]][k]));
}

TEST(TetMesh, ElevationPutsNodesInTheMiddleOfEdges) {
  const TetMesh linear = box_mesh({3, 2, 1}, 2), mesh = elevate_order(linear);
  ASSERT_EQ(mesh.order, 2);
  ASSERT_EQ(mesh.elements.cols(), 10);
  EXPECT_EQ(mesh.nodes.topRows(linear.node_count()), linear.nodes);
  EXPECT_EQ(mesh.node_count(), 5 * 5 * 5);  // the half-steps of a 2 x 2 x 2 grid cut along diagonals
  for (int e = 0; e < mesh.element_count(); ++e)
    for (int k = 0; k < 6; ++k) {
      const Eigen::RowVector3d middle = 0.5 * (mesh.nodes.row(mesh.elements(e, kTetEdges[k][0])) +
                                               mesh.nodes.row(mesh.elements(e, kTetEdges[k][1])));
      EXPECT_EQ(mesh.nodes.row(mesh.elements(e, 4 + k)), middle);
    }
  EXPECT_TRUE(mesh.fixed.empty());
  EXPECT_TRUE(mesh.region.empty());
}

TEST(TetMesh, ElevationCarriesFixedAndRegionAlongFacesOnly) {
  TetMesh linear = box_mesh({1, 1, 1}, 2);
  linear.region_names = {"bottom", "rest"};
  for (int i = 0; i < linear.node_count(); ++i) {
    const bool inside =
        (linear.nodes.row(i).array() > 0.1).all() && (linear.nodes.row(i).array() < 0.9).all();
    const bool bottom = linear.nodes(i, 2) < 0.1;
    linear.fixed.push_back(bottom);
    linear.region.push_back(inside ? -1 : bottom ? 0 : 1);
  }
  const TetMesh mesh = elevate_order(linear);
  for (int i = 0; i < mesh.node_count(); ++i) {
    const auto x = mesh.nodes.row(i).array();
    const bool inside = (x > 0.1).all() && (x < 0.9).all();
    EXPECT_EQ(mesh.fixed[i], x[2] < 0.1) << x;
    EXPECT_EQ(mesh.region[i], inside ? -1 : x[2] < 0.1 ? 0 : 1) << x;
  }
}

TEST(TetMesh, QualityOfKnownShapes) {
  const TetQuality box = measure_quality(box_mesh({2, 2, 2}, 2));
  EXPECT_NEAR(box.total_volume, 8, 1e-12);
  EXPECT_NEAR(box.smallest_volume, 1.0 / 6, 1e-12);
  EXPECT_NEAR(box.smallest_dihedral_deg, 45, 1e-6);
  EXPECT_NEAR(box.largest_dihedral_deg, 90, 1e-6);
  EXPECT_EQ(box.smallest_jacobian, 1);

  TetMesh regular;
  regular.order = 1;
  regular.nodes.resize(4, 3);
  regular.nodes << 1, 1, 1, -1, 1, -1, 1, -1, -1, -1, -1, 1;
  regular.elements.resize(1, 4);
  regular.elements << 0, 1, 2, 3;
  const TetQuality quality = measure_quality(regular);
  EXPECT_NEAR(quality.total_volume, 8.0 / 3, 1e-12);
  EXPECT_NEAR(quality.smallest_dihedral_deg, 70.528779365509308, 1e-9);
  EXPECT_NEAR(quality.largest_dihedral_deg, 70.528779365509308, 1e-9);
  EXPECT_NEAR(quality.mean_edge, 2 * std::sqrt(2.0), 1e-12);
}

TEST(TetMesh, JacobianSeesABentEdge) {
  TetMesh mesh = elevate_order(box_mesh({1, 1, 1}, 1));
  EXPECT_NEAR(measure_quality(mesh).smallest_jacobian, 1, 1e-12);
  // Moving the node of edge 01 by d along x changes dx/dr at corner 0 by 4 d / |edge|.
  const int node = mesh.elements(0, 4);
  const Eigen::RowVector3d edge = mesh.nodes.row(mesh.elements(0, 1)) - mesh.nodes.row(mesh.elements(0, 0));
  mesh.nodes.row(node) -= 0.2 * edge;
  EXPECT_NEAR(measure_quality(mesh).smallest_jacobian, 0.2, 1e-12);
  mesh.nodes.row(node) -= 0.2 * edge;
  EXPECT_LT(measure_quality(mesh).smallest_jacobian, 0);
}

}  // namespace
}  // namespace furrow
