#include <gtest/gtest.h>

#include <cstring>

#include "forward/base/mesh_io.h"
#include "tests/base/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

using Corners = std::vector<std::array<float, 9>>;
const Corners square{{0, 0, 0, 1, 0, 0, 1, 1, 0}, {0, 0, 0, 1, 1, 0, -0.0f, 1, 0}};

std::string ascii(const Corners& facets) {
  std::string text = "solid a square\n";
  for (const auto& x : facets) {
    text += "facet normal 0 0 1\n outer loop\n";
    for (int k = 0; k < 9; k += 3) {
      text += "  vertex " + std::to_string(x[k]) + " " + std::to_string(x[k + 1]) + " " +
              std::to_string(x[k + 2]) + "\n";
    }
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid a square\n";
}

/// Assumes a little-endian machine, as the tests run on.
std::string binary(const Corners& facets, std::uint32_t promised) {
  std::string text(80, ' ');
  text.replace(0, 5, "solid");  // some programs do
  text.append(reinterpret_cast<const char*>(&promised), 4);
  for (const auto& x : facets) {
    text.append(12, '\0');
    text.append(reinterpret_cast<const char*>(x.data()), 36);
    text.append(2, '\0');
  }
  return text;
}

class Stl : public ::testing::Test {
 protected:
  SurfaceMesh parse(const std::string& text) {
    std::filesystem::remove(folder_.path() / "skin.STL");  // writing a new file is faster than replacing one
    return read_surface(folder_.write("skin.STL", text));
  }
  void refused(const std::string& text, std::initializer_list<const char*> parts) {
    expect_error([&] { parse(text); }, parts);
  }
  TemporaryFolder folder_;
};

TEST_F(Stl, BothEncodingsMergeEqualCornersInOrderOfAppearance) {
  for (const std::string& text : {ascii(square), binary(square, 2)}) {
    const SurfaceMesh mesh = parse(text);
    ASSERT_EQ(mesh.vertex_count(), 4);
    EXPECT_EQ(Vec3(mesh.vertices.row(3)), Vec3(0, 1, 0));
    EXPECT_EQ(mesh.triangles.row(0), Eigen::RowVector3i(0, 1, 2));
    EXPECT_EQ(mesh.triangles.row(1), Eigen::RowVector3i(0, 2, 3));
  }
}

TEST_F(Stl, TruncatedFilesAreRefused) {
  const std::string text = binary(square, 2);
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_THROW(parse(text.substr(0, length)), InputError);
  refused(text.substr(0, 150), {"promises 2 triangles", "holds 1", "cut short"});
  refused(binary(square, 4000000000u), {"promises 4000000000 triangles", "holds 2"});
  const std::string lines = ascii(square);
  refused(lines.substr(0, lines.find("endsolid")), {"skin.STL", "cut short"});
  refused(lines.substr(0, lines.find("endloop")), {"\"endloop\" is expected", "cut short"});
}

TEST_F(Stl, BadNumbersAndWords) {
  std::string text = ascii(square);
  refused(std::string(text).replace(text.find("1.000000"), 8, "nan"),
          {"skin.STL:5", "\"nan\" is not a finite number"});
  refused(std::string(text).replace(text.find("outer"), 5, "inner"), {"skin.STL:3", "expected \"outer\""});
  Corners bad = square;
  bad[1][4] = std::numeric_limits<float>::quiet_NaN();
  refused(binary(bad, 2), {"triangle 1", "not finite"});
  refused("", {"no STL file"});
  refused("solid empty\nendsolid empty\n", {"no vertices"});
  refused("v 0 0 0\n", {"no STL file"});
}

}  // namespace
}  // namespace furrow
