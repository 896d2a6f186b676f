#include <gtest/gtest.h>

#include "forward/base/mesh_io.h"
#include "tests/base/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

class Obj : public ::testing::Test {
 protected:
  SurfaceMesh parse(const std::string& text, const std::string& unit = "mm", bool triangles_required = true) {
    return read_surface(folder_.write("skin.obj", text), unit, triangles_required);
  }
  void refused(const std::string& text, std::initializer_list<const char*> parts) {
    expect_error([&] { parse(text); }, parts);
  }
  TemporaryFolder folder_;
};

const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

Triangles triangles(std::initializer_list<std::array<int, 3>> rows) {
  Triangles all(static_cast<Eigen::Index>(rows.size()), 3);
  Eigen::Index t = 0;
  for (const auto& row : rows) all.row(t++) << row[0], row[1], row[2];
  return all;
}

TEST_F(Obj, VertexOrderAndCornersOfEveryForm) {
  const SurfaceMesh mesh =
      parse("# comment\nmtllib a.mtl\n" + square +
            "vt 0 0\nvn 0 0 1\nusemtl skin\ns off\nf 1 2 3\nf 1/1 3/1 4/1\nf 1//1 2//1 4//1 # comment\n"
            "f 2/1/1 3/1/1 4/1/1\n");
  EXPECT_EQ(mesh.vertex_count(), 4);
  EXPECT_EQ(Vec3(mesh.vertices.row(2)), Vec3(1, 1, 0));
  EXPECT_EQ(mesh.triangles, triangles({{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}}));
  EXPECT_TRUE(mesh.group_names.empty());
  EXPECT_TRUE(mesh.triangle_group.empty());
  EXPECT_EQ(mesh.colours.rows(), 0);
}

TEST_F(Obj, PolygonsBecomeFansAndNegativeIndicesCountBack) {
  EXPECT_EQ(parse(square + "f 1 2 3 4\n").triangles, triangles({{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(parse(square + "f -4 -3 -2 -1\n").triangles, triangles({{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\nf 1 2 -1\n").triangles,
            triangles({{0, 1, 2}, {0, 1, 3}}));
}

TEST_F(Obj, LineEndsContinuationsAndMarks) {
  const SurfaceMesh mesh =
      parse("\xEF\xBB\xBFv 0 0 0\r\nv +1e0 0 0\r\n\r\n  v\t1 1 0\r\nv 0 1 0\r\nf 1 2 \\\r\n 3 4");
  EXPECT_EQ(mesh.vertex_count(), 4);
  EXPECT_EQ(mesh.triangle_count(), 2);
}

TEST_F(Obj, FacesMayComeBeforeTheirVertices) {
  EXPECT_EQ(parse("f 1 2 3\n" + square).triangle_count(), 1);
}

TEST_F(Obj, Groups) {
  const SurfaceMesh mesh = parse(square + "g skin\nf 1 2 3\ng wall\nf 1 3 4\ng skin\nf 1 2 4\ng empty\n");
  EXPECT_EQ(mesh.group_names, (std::vector<std::string>{"skin", "wall", "empty"}));
  EXPECT_EQ(mesh.triangle_group, (std::vector<int>{0, 1, 0}));
}

TEST_F(Obj, FacesBeforeTheFirstGroupAreInDefaultAndObjectsServeWithoutGroups) {
  const SurfaceMesh late = parse(square + "f 1 2 3\ng skin\nf 1 3 4\n");
  EXPECT_EQ(late.group_names, (std::vector<std::string>{"skin", "default"}));
  EXPECT_EQ(late.triangle_group, (std::vector<int>{1, 0}));
  const SurfaceMesh objects = parse("o head\n" + square + "f 1 2 3\no jaw\nf 1 3 4\n");
  EXPECT_EQ(objects.group_names, (std::vector<std::string>{"head", "jaw"}));
  EXPECT_EQ(objects.triangle_group, (std::vector<int>{0, 1}));
}

TEST_F(Obj, ColoursInBothScales) {
  const SurfaceMesh mesh = parse("v 0 0 0 1 0 0.5\nv 1 0 0 0 1 0\nv 0 1 0 0 0 0.2\nf 1 2 3\n");
  EXPECT_EQ(mesh.colours.row(0), (Eigen::Matrix<std::uint8_t, 1, 3>(255, 0, 128)));
  EXPECT_EQ(mesh.colours.row(2), (Eigen::Matrix<std::uint8_t, 1, 3>(0, 0, 51)));
  const SurfaceMesh bytes = parse("v 0 0 0 255 0 7\nv 1 0 0 0 1 0\nv 0 1 0 0 0 0\nf 1 2 3\n");
  EXPECT_EQ(bytes.colours.row(0), (Eigen::Matrix<std::uint8_t, 1, 3>(255, 0, 7)));
  refused("v 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", {"skin.obj", "1 of 3 vertices have a colour"});
  refused("v 0 0 0 1 0 -1\n", {"skin.obj:1", "colour"});
}

TEST_F(Obj, UnitsScaleToMillimetres) {
  EXPECT_EQ(parse(square + "f 1 2 3\n", "m").vertices(2, 0), 1000);
  EXPECT_EQ(parse(square + "f 1 2 3\n", "cm").vertices(2, 0), 10);
  expect_error([&] { parse(square + "f 1 2 3\n", "MPa"); }, {"skin.obj", "\"MPa\" is not a length"});
  expect_error([&] { parse(square + "f 1 2 3\n", "inch"); }, {"\"inch\" is not a length"});
  expect_error([&] { parse("v 1e308 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "m"); }, {"out of range"});
}

TEST_F(Obj, BadNumbersNameTheirLine) {
  refused("v 0 0 0\nv 1 nan 0\n", {"skin.obj:2", "\"nan\" is not a finite number"});
  refused("v 0 inf 0\n", {"skin.obj:1", "finite"});
  refused("v 0 1e999 0\n", {"skin.obj:1", "finite"});
  refused("v 0 1,5 0\n", {"skin.obj:1", "\"1,5\""});
  refused("v 0 1\n", {"skin.obj:1", "3 numbers", "found 2"});
  refused("v 0 0 0 0.5\n", {"skin.obj:1", "weights"});
  refused("v 0 0 0 1 1 1 1 1\n", {"skin.obj:1", "at most 7"});
}

TEST_F(Obj, BadFacesNameTheirLine) {
  refused(square + "f 1 2 3\nf 1 2 5\n", {"skin.obj:6", "vertex index 5 is out of range", "4 vertices"});
  refused(square + "f 0 1 2\n", {"skin.obj:5", "index 0"});
  refused(square + "f -5 1 2\n", {"skin.obj:5", "index -5"});
  refused(square + "f 1 2 99999999999\n", {"skin.obj:5", "out of range"});
  refused(square + "f 1 2\n", {"skin.obj:5", "at least 3 corners"});
  refused(square + "f 1 2 x\n", {"skin.obj:5", "\"x\" is not a face corner"});
  refused(square + "f 1/a 2 3\n", {"skin.obj:5", "not a face corner"});
  refused(square + "f 1.5 2 3\n", {"skin.obj:5", "not a face corner"});
}

TEST_F(Obj, WrongFilesAreRefused) {
  expect_error([&] { read_surface(folder_.path() / "none.obj"); }, {"none.obj", "no such file"});
  expect_error([&] { read_surface(folder_.write("skin.fbx", square)); }, {"skin.fbx", ".obj, .ply or .stl"});
  refused("", {"skin.obj", "no vertices"});
  refused("# nothing\n", {"no vertices"});
  refused(square, {"no triangles"});
  EXPECT_EQ(parse(square, "mm", false).vertex_count(), 4);
  refused(std::string("\x7f"
                      "ELF\0\0\1",
                      7),
          {"skin.obj:1", "unknown OBJ keyword"});
  refused("{\"furrow\": 1}", {"skin.obj:1", "unknown OBJ keyword"});
  refused(square + "curv 0 1 1 2\n", {"skin.obj:5", "only polygon meshes"});
}

TEST_F(Obj, TheRealHeadIsReadInItsOrder) {
  const auto head = testing::shared_folder() / "data/ct-head/A";
  if (!std::filesystem::exists(head)) GTEST_SKIP() << "no test data at " << head;
  const SurfaceMesh skin = read_surface(head / "skin.obj"),
                    volume = read_surface(head / "volume_boundary.obj");
  EXPECT_EQ(skin.vertex_count(), 4966);
  EXPECT_EQ(Vec3(skin.vertices.row(0)), Vec3(-51.6045, -25.0416, 86.1216));
  EXPECT_EQ(volume.group_names, (std::vector<std::string>{"skin", "wall", "skull"}));
  EXPECT_EQ(skin.vertices.topRows(1273), volume.vertices.topRows(1273));
  EXPECT_TRUE(boundary_edges(volume).empty());
  EXPECT_GT(signed_volume(volume), 0);
}

}  // namespace
}  // namespace furrow
