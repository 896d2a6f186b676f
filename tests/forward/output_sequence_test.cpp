// Frames as one file each and as one point cache.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/output/obj_sequence.h"
#include "forward/output/point_cache.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

SurfaceMesh one_triangle() {
  SurfaceMesh mesh;
  mesh.vertices.resize(3, 3);
  mesh.vertices << 0, 0, 0, 1.25, 0, 0, 0, 1.1, 0.3;
  mesh.triangles.resize(1, 3);
  mesh.triangles << 0, 1, 2;
  return mesh;
}

std::vector<Positions> two_frames() {
  const Positions rest = one_triangle().vertices;
  return {rest, rest.array() + 0.1};
}

TEST(SurfaceSequence, ReadsBackTheSameDoubles) {
  const testing::TemporaryFolder folder;
  for (const char* extension : {"obj", "ply"}) {
    const auto files =
        write_surface_sequence(folder.path() / extension, one_triangle(), two_frames(), extension);
    ASSERT_EQ(files.size(), 2u);
    EXPECT_EQ(files[1].filename(), std::string("frame_0001.") + extension);
    for (std::size_t i = 0; i < 2; ++i) {
      const SurfaceMesh read = read_surface(files[i]);
      EXPECT_EQ(read.vertices, two_frames()[i]);
      EXPECT_EQ(read.triangles, one_triangle().triangles);
    }
  }
}

TEST(SurfaceSequence, LeavesNothingHalfWritten) {
  const testing::TemporaryFolder folder;
  // A folder sits where frame 1 should go.
  std::filesystem::create_directories(folder.path() / "s" / "frame_0001.obj" / "in the way");
  EXPECT_ANY_THROW(write_surface_sequence(folder.path() / "s", one_triangle(), two_frames()));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "s" / "frame_0000.obj"));
  EXPECT_THROW(write_surface_sequence(folder.path() / "t", one_triangle(), {Positions::Zero(2, 3)}),
               std::logic_error);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "t"));
}

TEST(PointCache, HasTheHeaderAndEverySample) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "a.pc2";
  write_point_cache(file, two_frames(), 1, 0.5);
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  ASSERT_EQ(bytes.size(), 32u + 2 * 3 * 3 * 4);
  EXPECT_EQ(std::memcmp(bytes.data(), "POINTCACHE2\0", 12), 0);
  auto integer = [&](std::size_t at) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  auto real = [&](std::size_t at) {
    float value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  EXPECT_EQ(integer(12), 1);
  EXPECT_EQ(integer(16), 3);
  EXPECT_EQ(real(20), 1.0F);
  EXPECT_EQ(real(24), 0.5F);
  EXPECT_EQ(integer(28), 2);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(real(32 + 36 + 4 * i), static_cast<float>(two_frames()[1].data()[i]));
}

TEST(PointCache, RefusesBadFrames) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(write_point_cache(folder.path() / "a.abc", two_frames()), InputError);
  EXPECT_THROW(write_point_cache(folder.path() / "a.pc2", {}), std::logic_error);
  EXPECT_THROW(write_point_cache(folder.path() / "a.pc2", {Positions::Zero(2, 3), Positions::Zero(3, 3)}),
               std::logic_error);
  Positions bad = Positions::Zero(2, 3);
  bad(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(write_point_cache(folder.path() / "a.pc2", {bad}), std::logic_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace furrow
