#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "forward/base/mesh_io.h"
#include "forward/mesh/tetgen_mesher.h"
#include "tests/base/expect_error.h"
#include "tests/forward/mesh_shapes.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::box_surface;
using testing::ellipsoid_surface;
using testing::expect_error;

TetMesh mesh_box(const SurfaceMesh& surface, Repairs& repairs, int order = 2, double size = 3) {
  return mesh_closed_surface(surface, "box.obj", {"bottom"}, {.size = size, .order = order}, repairs);
}

/// Every region and fixed flag of a meshed box [0,12]x[0,9]x[0,6] by coordinates.
void expect_box_flags(const TetMesh& mesh) {
  for (int i = 0; i < mesh.node_count(); ++i) {
    const Vec3 x = mesh.nodes.row(i).transpose();
    const bool bottom = x[2] == 0, top = x[2] == 6, side = x[0] == 0 || x[0] == 12 || x[1] == 0 || x[1] == 9;
    EXPECT_EQ(mesh.fixed[i], bottom) << x.transpose();
    EXPECT_EQ(mesh.region[i], bottom ? 2
                              : top  ? 0
                              : side ? 1
                                     : -1)
        << x.transpose();  // the fixed group wins, then the lowest
  }
}

TEST(TetgenMesher, FillsABoxAndKeepsItsSurface) {
  const SurfaceMesh surface = box_surface({12, 9, 6}, 4);
  for (int order : {1, 2}) {
    Repairs repairs;
    const TetMesh mesh = mesh_box(surface, repairs, order);
    EXPECT_TRUE(repairs.empty());
    const TetQuality quality = measure_quality(mesh);
    EXPECT_NEAR(quality.total_volume, 12 * 9 * 6, 1e-9);
    EXPECT_GT(quality.smallest_volume, 0);
    EXPECT_NEAR(quality.smallest_jacobian, 1, 1e-9);
    EXPECT_EQ(mesh.nodes.topRows(surface.vertex_count()), surface.vertices);
    EXPECT_EQ(mesh.region_names, surface.group_names);
    expect_box_flags(mesh);

    std::set<std::set<int>> wanted, made;
    for (int t = 0; t < surface.triangle_count(); ++t)
      wanted.insert({surface.triangles(t, 0), surface.triangles(t, 1), surface.triangles(t, 2)});
    const BoundaryFaces faces = boundary_faces(mesh);
    for (int t = 0; t < faces.corners.rows(); ++t)
      made.insert({faces.corners(t, 0), faces.corners(t, 1), faces.corners(t, 2)});
    EXPECT_EQ(wanted, made);
  }
}

TEST(TetgenMesher, SizeRulesTheEdgesInside) {
  Repairs repairs;
  for (double size : {1.0, 1.5}) {
    const TetMesh mesh = mesh_box(box_surface({12, 9, 6}, 6), repairs, 1, size);
    EXPECT_NEAR(measure_quality(mesh).mean_edge, size, 0.25 * size);
  }
}

TEST(TetgenMesher, FreeBoundaryMayBeRefined) {
  Repairs repairs;
  const SurfaceMesh surface = box_surface({12, 9, 6}, 1);
  const TetMesh mesh = mesh_closed_surface(surface, "box.obj", {"bottom"},
                                           {.size = 2, .order = 2, .keep_boundary = false}, repairs);
  EXPECT_NEAR(measure_quality(mesh).total_volume, 12 * 9 * 6, 1e-9);
  EXPECT_EQ(mesh.nodes.topRows(8), surface.vertices);
  expect_box_flags(mesh);
}

TEST(TetgenMesher, TheSameMeshEveryTime) {
  Repairs repairs;
  const SurfaceMesh surface = box_surface({12, 9, 6}, 4);
  const TetMesh a = mesh_box(surface, repairs), b = mesh_box(surface, repairs);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.elements, b.elements);
}

TEST(TetgenMesher, ElementsThatFollowEachOtherAreNear) {
  Repairs repairs;
  const TetMesh mesh = mesh_box(box_surface({12, 9, 6}, 6), repairs, 1, 1);
  Positions centroid = Positions::Zero(mesh.element_count(), 3);
  for (int e = 0; e < mesh.element_count(); ++e)
    for (int k = 0; k < 4; ++k) centroid.row(e) += mesh.nodes.row(mesh.elements(e, k)) / 4;
  double step = 0;
  for (int e = 1; e < mesh.element_count(); ++e) step += (centroid.row(e) - centroid.row(e - 1)).norm();
  EXPECT_LT(step / mesh.element_count(), 1.5);
}

TEST(TetgenMesher, MendsNormalsDuplicatesAndUnusedVertices) {
  SurfaceMesh surface = box_surface({12, 9, 6}, 4);
  const int count = surface.vertex_count();
  for (int t : {3, 40, 77}) std::swap(surface.triangles(t, 0), surface.triangles(t, 1));
  surface.vertices.conservativeResize(count + 2, 3);
  surface.vertices.row(count) =
      surface.vertices.row(surface.triangles(10, 0));  // a seam: the same place twice
  surface.triangles(10, 0) = count;
  surface.vertices.row(count + 1) << 100, 100, 100;  // not used at all
  surface.triangles.conservativeResize(surface.triangle_count() + 2, 3);
  surface.triangles.row(surface.triangle_count() - 2) = surface.triangles.row(0);
  surface.triangles.row(surface.triangle_count() - 1) << 5, 5, 6;
  surface.triangle_group.insert(surface.triangle_group.end(), 2, 0);

  Repairs repairs;
  const TetMesh mesh = mesh_box(surface, repairs);
  EXPECT_EQ(repairs,
            (Repairs{"merged 1 duplicate vertices of box.obj", "dropped 1 degenerate triangles of box.obj",
                     "dropped 1 duplicate triangles of box.obj", "flipped 3 triangles of box.obj"}));
  EXPECT_NEAR(measure_quality(mesh).total_volume, 12 * 9 * 6, 1e-9);
  EXPECT_EQ(mesh.nodes.topRows(count + 2), surface.vertices);
  for (int orphan : {count, count + 1}) {  // in the numbering, in no element, fixed
    EXPECT_EQ((mesh.elements.array() == orphan).count(), 0);
    EXPECT_TRUE(mesh.fixed[orphan]);
    EXPECT_EQ(mesh.region[orphan], -1);
  }
}

TEST(TetgenMesher, TurnsAnInsideOutSurface) {
  SurfaceMesh surface = box_surface({12, 9, 6}, 3);
  surface.triangles.col(1).swap(surface.triangles.col(2));
  Repairs repairs;
  EXPECT_NEAR(measure_quality(mesh_box(surface, repairs)).total_volume, 12 * 9 * 6, 1e-9);
  EXPECT_EQ(repairs, Repairs{"turned the normals of box.obj outwards"});
}

SurfaceMesh without(const SurfaceMesh& surface, const std::set<int>& triangles) {
  SurfaceMesh result = surface;
  result.triangle_group.clear();
  int n = 0;
  for (int t = 0; t < surface.triangle_count(); ++t) {
    if (triangles.contains(t)) continue;
    result.triangles.row(n++) = surface.triangles.row(t);
    result.triangle_group.push_back(surface.triangle_group[t]);
  }
  result.triangles.conservativeResize(n, 3);
  return result;
}

TEST(TetgenMesher, FillsSmallHoles) {
  const SurfaceMesh surface = box_surface({12, 9, 6}, 4);
  Repairs repairs;  // a single triangle, and a square of two
  const TetMesh mesh = mesh_box(without(surface, {5, 20, 21}), repairs);
  ASSERT_EQ(repairs.size(), 2u);
  EXPECT_NE(repairs[0].find("filled a hole of"), std::string::npos);
  EXPECT_NEAR(measure_quality(mesh).total_volume, 12 * 9 * 6, 1e-9);
  expect_box_flags(mesh);
}

TEST(TetgenMesher, RefusesLargeHoles) {
  std::set<int> top;
  for (int t = 0; t < 32; ++t) top.insert(t);
  Repairs repairs;
  const SurfaceMesh open = without(box_surface({12, 9, 6}, 4), top);
  expect_error([&] { mesh_box(open, repairs, 2, 3); },
               {"box.obj", "hole", "42 mm", "16 edges", "mesh editor"});
  expect_error(
      [&] {
        mesh_between({"skin.obj", open}, {}, {.size = 3}, repairs);
      },
      {"skin.obj", "hole", "closed volume"});
}

TEST(TetgenMesher, FlipsTrianglesWithoutArea) {
  SurfaceMesh surface = box_surface({12, 9, 6}, 1);
  // A vertex on the top diagonal: one of the two top triangles is split there, and a flat triangle closes the
  // seam.
  const int a = surface.triangles(0, 0), b = surface.triangles(0, 1), c = surface.triangles(0, 2);
  ASSERT_EQ(surface.triangles(1, 0), a);
  ASSERT_EQ(surface.triangles(1, 1), c);
  const int middle = surface.vertex_count();
  surface.vertices.conservativeResize(middle + 1, 3);
  surface.vertices.row(middle) = 0.5 * (surface.vertices.row(a) + surface.vertices.row(c));
  surface.triangles.row(0) << a, b, middle;
  surface.triangles.conservativeResize(surface.triangle_count() + 2, 3);
  surface.triangles.row(surface.triangle_count() - 2) << b, c, middle;
  surface.triangles.row(surface.triangle_count() - 1) << a, middle, c;
  surface.triangle_group.insert(surface.triangle_group.end(), 2, 0);
  Repairs repairs;
  const TetMesh mesh = mesh_box(surface, repairs);
  EXPECT_EQ(repairs, Repairs{"flipped an edge of 1 triangles without area of box.obj"});
  EXPECT_NEAR(measure_quality(mesh).total_volume, 12 * 9 * 6, 1e-9);
}

TEST(TetgenMesher, RefusesNonManifoldEdges) {
  SurfaceMesh surface = box_surface({12, 9, 6}, 2);
  surface.vertices.conservativeResize(surface.vertex_count() + 1, 3);
  surface.vertices.row(surface.vertex_count() - 1) << 6, 4, 20;
  surface.triangles.conservativeResize(surface.triangle_count() + 1, 3);
  surface.triangles.row(surface.triangle_count() - 1) << surface.triangles(0, 0), surface.triangles(0, 1),
      surface.vertex_count() - 1;
  surface.triangle_group.push_back(0);
  Repairs repairs;
  expect_error([&] { mesh_box(surface, repairs); },
               {"box.obj", "belongs to more than two triangles", "triangle 48", "mm"});
}

TEST(TetgenMesher, RefusesSelfIntersections) {
  SurfaceMesh surface = box_surface({12, 9, 6}, 4);
  int top_middle = -1;
  for (int v = 0; v < surface.vertex_count(); ++v)
    if (surface.vertices(v, 0) == 6 && surface.vertices(v, 1) == 4.5 && surface.vertices(v, 2) == 6)
      top_middle = v;
  surface.vertices(top_middle, 2) = -3;  // pushed through the bottom
  Repairs repairs;
  expect_error([&] { mesh_box(surface, repairs); }, {"box.obj", "intersects itself", "triangle", "mm"});
}

TEST(TetgenMesher, RefusesASurfaceThatTouchesItself) {
  const SurfaceMesh one = box_surface({1, 1, 1}, 1);
  SurfaceMesh two = one;
  two.vertices.conservativeResize(16, 3);
  two.vertices.bottomRows(8) = one.vertices.rowwise() + Eigen::RowVector3d(1, 1, 1);
  two.triangles.conservativeResize(24, 3);
  two.triangles.bottomRows(12) = one.triangles.array() + 8;
  two.triangle_group.insert(two.triangle_group.end(), one.triangle_group.begin(), one.triangle_group.end());
  Repairs repairs;
  expect_error([&] { mesh_box(two, repairs); }, {"box.obj", "touches itself", "(1, 1, 1) mm"});
}

TEST(TetgenMesher, RefusesOneSidedSurfaces) {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int i = 0; i < 12; ++i) {
    const double angle = 2 * 3.14159265358979323846 * i / 12;
    for (int side : {-1, 1}) {
      const double r = 10 + 2 * side * std::cos(angle / 2);
      vertices.emplace_back(r * std::cos(angle), r * std::sin(angle), 2 * side * std::sin(angle / 2));
    }
    const int a = 2 * i, b = 2 * i + 1, c = i < 11 ? 2 * i + 2 : 1, d = i < 11 ? 2 * i + 3 : 0;
    triangles.insert(triangles.end(), {{a, c, b}, {b, c, d}});
  }
  Repairs repairs;
  expect_error(
      [&] {
        mesh_closed_surface(testing::surface_from(vertices, triangles), "band.obj", {}, {.size = 2}, repairs);
      },
      {"band.obj", "one-sided"});
}

TEST(TetgenMesher, RefusesBadInput) {
  const SurfaceMesh surface = box_surface({12, 9, 6}, 2);
  Repairs repairs;
  const TetgenOptions options{.size = 3};
  expect_error([&] { mesh_closed_surface(surface, "box.obj", {"botom"}, options, repairs); },
               {"box.obj", "no group \"botom\"", "did you mean \"bottom\"", "top, side, bottom"});
  SurfaceMesh broken = surface;
  broken.vertices(3, 1) = std::nan("");
  expect_error([&] { mesh_box(broken, repairs); }, {"box.obj", "vertex 3", "not finite"});
  SurfaceMesh empty = surface;
  empty.triangles.resize(0, 3);
  empty.triangle_group.clear();
  expect_error([&] { mesh_box(empty, repairs); }, {"box.obj", "no triangles"});
  expect_error([&] { mesh_box(surface, repairs, 2, 0.001); }, {"box.obj", "million tetrahedra", "unit"});
  EXPECT_THROW(mesh_box(surface, repairs, 3), std::logic_error);
  EXPECT_THROW(mesh_box(surface, repairs, 2, -1), std::logic_error);
}

double volume_of(const SurfaceMesh& mesh) {
  return signed_volume(mesh);
}

TEST(TetgenMesher, LeavesACavityEmpty) {
  SurfaceMesh surface = box_surface({12, 9, 6}, 3);
  const SurfaceMesh cavity =
      ellipsoid_surface({6, 4.5, 3}, {3, 2, 1.5}, 10, 6);  // its normals point the wrong way: mended
  const int vertices = surface.vertex_count(), triangles = surface.triangle_count();
  surface.vertices.conservativeResize(vertices + cavity.vertex_count(), 3);
  surface.vertices.bottomRows(cavity.vertex_count()) = cavity.vertices;
  surface.triangles.conservativeResize(triangles + cavity.triangle_count(), 3);
  surface.triangles.bottomRows(cavity.triangle_count()) = cavity.triangles.array() + vertices;
  surface.triangle_group.insert(surface.triangle_group.end(), cavity.triangle_count(), 1);
  Repairs repairs;
  const TetMesh mesh = mesh_box(surface, repairs);
  EXPECT_NEAR(measure_quality(mesh).total_volume, 12 * 9 * 6 - volume_of(cavity), 1e-9);
  ASSERT_EQ(repairs.size(), 1u);
  EXPECT_NE(repairs[0].find("flipped"), std::string::npos);
}

TEST(TetgenMesher, MeshesBetweenSkinAndBones) {
  const SurfaceMesh skin = ellipsoid_surface({0, 0, 0}, {20, 16, 16}, 20, 12);
  const SurfaceMesh left = ellipsoid_surface({-8, 0, 0}, {5, 6, 5}, 12, 8);
  SurfaceMesh right = ellipsoid_surface({8, 0, 0}, {6, 5, 5}, 12, 8);
  const double bones = volume_of(left) + volume_of(right);
  // A marrow shell inside the right bone plays no part.
  const SurfaceMesh marrow = ellipsoid_surface({8, 0, 0}, {3, 2, 2}, 8, 6);
  const int vertices = right.vertex_count(), triangles = right.triangle_count();
  right.vertices.conservativeResize(vertices + marrow.vertex_count(), 3);
  right.vertices.bottomRows(marrow.vertex_count()) = marrow.vertices;
  right.triangles.conservativeResize(triangles + marrow.triangle_count(), 3);
  right.triangles.bottomRows(marrow.triangle_count()) = marrow.triangles.array() + vertices;

  Repairs repairs;
  const TetMesh mesh =
      mesh_between({"skin.obj", skin}, {{"left.obj", left}, {"right.obj", right}}, {.size = 5}, repairs);
  EXPECT_NEAR(measure_quality(mesh).total_volume, volume_of(skin) - bones, 1e-6);
  EXPECT_EQ(mesh.region_names, (std::vector<std::string>{"skin.obj", "left.obj", "right.obj"}));
  EXPECT_EQ(mesh.nodes.topRows(skin.vertex_count()), skin.vertices);
  EXPECT_EQ(mesh.nodes.middleRows(skin.vertex_count(), left.vertex_count()), left.vertices);
  for (int i = 0; i < skin.vertex_count(); ++i) EXPECT_TRUE(mesh.region[i] == 0 && !mesh.fixed[i]);
  for (int i = 0; i < left.vertex_count(); ++i)
    EXPECT_TRUE(mesh.region[skin.vertex_count() + i] == 1 && mesh.fixed[skin.vertex_count() + i]);
  // Mid-edge nodes too: fixed exactly on the two bones (and the marrow's vertices, which no element uses).
  const int surfaces = skin.vertex_count() + left.vertex_count() + right.vertex_count();
  for (int i = 0; i < mesh.node_count(); ++i) {
    const bool unused = i >= surfaces - marrow.vertex_count() && i < surfaces;
    EXPECT_EQ(mesh.fixed[i], unused || mesh.region[i] > 0);
    EXPECT_EQ((mesh.elements.array() == i).any(), !unused);
  }
}

TEST(TetgenMesher, RefusesBonesInTheWrongPlace) {
  const SurfaceMesh skin = ellipsoid_surface({0, 0, 0}, {20, 16, 16}, 16, 10);
  const SurfaceMesh bone = ellipsoid_surface({0, 0, 0}, {5, 6, 5}, 10, 6);
  auto moved = [&](double x) {
    SurfaceMesh result = bone;
    result.vertices.col(0).array() += x;
    return result;
  };
  Repairs repairs;
  const TetgenOptions options{.size = 5};
  expect_error(
      [&] {
        mesh_between({"skin.obj", skin}, {{"bone.obj", moved(40)}}, options, repairs);
      },
      {"bone.obj", "lies outside skin.obj", "unit"});
  expect_error(
      [&] {
        mesh_between({"skin.obj", skin}, {{"bone.obj", moved(17)}}, options, repairs);
      },
      {"skin.obj", "intersects bone.obj", "triangle"});
  expect_error(
      [&] {
        mesh_between({"skin.obj", skin}, {{"a.obj", moved(0)}, {"b.obj", moved(4)}}, options, repairs);
      },
      {"a.obj", "intersects b.obj"});
}

TEST(TetgenMesher, RealHeads) {
  const auto folder = testing::shared_folder() / "data" / "ct-head";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no ../shared/data/ct-head beside the project";
  for (const char* subject : {"A", "B", "slab"}) {
    const auto file = folder / subject / "volume_boundary.obj";
    const SurfaceMesh surface = read_surface(file);
    Repairs repairs;
    const TetMesh mesh =
        mesh_closed_surface(surface, file.string(), {"skull", "wall"}, {.size = 4, .order = 2}, repairs);
    EXPECT_TRUE(repairs.empty());
    const TetQuality quality = measure_quality(mesh);
    EXPECT_NEAR(quality.total_volume, signed_volume(surface), 1e-8 * quality.total_volume);
    EXPECT_NEAR(quality.smallest_jacobian, 1, 1e-9);
    EXPECT_GT(quality.smallest_dihedral_deg, 2);
    EXPECT_EQ(mesh.nodes.topRows(surface.vertex_count()), surface.vertices);
    const int wall = static_cast<int>(std::find(mesh.region_names.begin(), mesh.region_names.end(), "wall") -
                                      mesh.region_names.begin());
    for (int t = 0; t < surface.triangle_count(); ++t)
      for (int k = 0; k < 3; ++k)
        EXPECT_TRUE(surface.triangle_group[t] != wall || mesh.fixed[surface.triangles(t, k)]);
  }
}

TEST(TetgenMesher, ARealSkullInAnEllipsoid) {
  const auto file = testing::shared_folder() / "data" / "heads" / "skull-low.obj";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no ../shared/data/heads beside the project";
  const SurfaceMesh skull = read_surface(file);  // its unit is arbitrary, about 14 high
  const Eigen::RowVector3d low = skull.vertices.colwise().minCoeff(),
                           high = skull.vertices.colwise().maxCoeff();
  const SurfaceMesh skin =
      ellipsoid_surface((0.5 * (low + high)).transpose(), (0.9 * (high - low)).transpose(), 30, 20);
  Repairs repairs;
  const TetMesh mesh =
      mesh_between({"skin", skin}, {{file.string(), skull}}, {.size = 1.5, .order = 1}, repairs);
  EXPECT_NEAR(measure_quality(mesh).total_volume, signed_volume(skin) - signed_volume(skull),
              1e-6 * signed_volume(skin));
}

}  // namespace
}  // namespace furrow
