// What is written reads back to the last digit.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "forward/base/mesh_io.h"
#include "forward/base/text_file.h"
#include "tests/base/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

/// n x n vertices with random coordinates of very different sizes.
SurfaceMesh grid(int n, bool coloured) {
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  SurfaceMesh mesh;
  mesh.vertices =
      Positions::NullaryExpr(n * n, 3, [&] { return normal(generator) * std::exp(4 * normal(generator)); });
  mesh.triangles.resize(2 * (n - 1) * (n - 1), 3);
  int t = 0;
  for (int i = 0; i + 1 < n; ++i) {
    for (int j = 0; j + 1 < n; ++j) {
      const int a = i * n + j;
      mesh.triangles.row(t++) << a, a + 1, a + n;
      mesh.triangles.row(t++) << a + 1, a + n + 1, a + n;
    }
  }
  if (coloured) {
    mesh.colours.resize(n * n, 3);
    for (int k = 0; k < mesh.colours.size(); ++k)
      mesh.colours.data()[k] = static_cast<std::uint8_t>(generator());
    mesh.colours(0, 0) = 255;
  }
  return mesh;
}

TEST(MeshWrite, RoundTripsAreExact) {
  const TemporaryFolder folder;
  for (const bool coloured : {false, true}) {
    const SurfaceMesh mesh = grid(12, coloured);
    for (const char* name : {"a.obj", "a.ply"}) {
      write_surface(folder.path() / name, mesh);
      const SurfaceMesh back = read_surface(folder.path() / name);
      EXPECT_EQ(back.vertices, mesh.vertices) << name;
      EXPECT_EQ(back.triangles, mesh.triangles) << name;
      EXPECT_EQ(back.colours, mesh.colours) << name;
    }
  }
}

TEST(MeshWrite, GroupsKeepTheirOrder) {
  const TemporaryFolder folder;
  SurfaceMesh mesh = grid(3, false);
  mesh.group_names = {"skin", "wall", "never used"};
  mesh.triangle_group = {1, 1, 0, 0, 1, 0, 0, 0};
  write_surface(folder.path() / "a.obj", mesh);
  const SurfaceMesh back = read_surface(folder.path() / "a.obj");
  EXPECT_EQ(back.group_names, mesh.group_names);
  EXPECT_EQ(back.triangle_group, mesh.triangle_group);
}

TEST(MeshWrite, FilesStateTheirUnit) {
  const TemporaryFolder folder;
  for (const char* name : {"a.obj", "a.ply"}) {
    write_surface(folder.path() / name, grid(2, false));
    EXPECT_NE(read_bytes(folder.path() / name).find("unit mm, written by furrow"), std::string::npos);
  }
}

TEST(MeshWrite, ScalarsWithColours) {
  const TemporaryFolder folder;
  const SurfaceMesh mesh = grid(2, false);
  const VectorXd error = (VectorXd(4) << 0, 1, 7, std::nan("")).finished();
  write_surface_with_scalar(folder.path() / "e.ply", mesh, "error", error, 0, 1);
  EXPECT_NE(read_bytes(folder.path() / "e.ply").find("property double error"), std::string::npos);
  const SurfaceMesh back = read_surface(folder.path() / "e.ply");
  EXPECT_EQ(back.vertices, mesh.vertices);
  ASSERT_EQ(back.colours.rows(), 4);
  EXPECT_EQ(back.colours.row(1), back.colours.row(2));  // clamped
  EXPECT_EQ(back.colours.row(3), (Eigen::Matrix<std::uint8_t, 1, 3>(128, 128, 128)));
  EXPECT_NE(back.colours.row(0), back.colours.row(1));
}

TEST(MeshWrite, Refusals) {
  const TemporaryFolder folder;
  SurfaceMesh mesh = grid(2, false);
  expect_error([&] { write_surface(folder.path() / "a.fbx", mesh); }, {"a.fbx", ".obj or .ply"});
  expect_error([&] { write_surface(folder.path() / "absent/a.obj", mesh); }, {"cannot be written"});
  EXPECT_THROW(write_surface_with_scalar(folder.path() / "a.ply", mesh, "e", VectorXd::Zero(3), 0, 1),
               std::logic_error);
  mesh.triangles(0, 0) = 99;
  EXPECT_THROW(write_surface(folder.path() / "a.obj", mesh), std::logic_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(MeshWrite, AHundredThousandVerticesAreReadInWellUnderASecond) {
  const TemporaryFolder folder;
  write_surface(folder.path() / "a.obj", grid(320, false));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(read_surface(folder.path() / "a.obj").vertex_count(), 102400);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("seconds", std::to_string(seconds));
#if defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(seconds, 20.0);
#else
  EXPECT_LT(seconds, 1.0);
#endif
}

}  // namespace
}  // namespace furrow
