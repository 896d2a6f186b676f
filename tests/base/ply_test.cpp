#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "forward/base/mesh_io.h"
#include "tests/base/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

/// A square of two triangles with colours, in any encoding.
class PlyText {
 public:
  explicit PlyText(std::string format) : format_(std::move(format)) {
    text_ =
        "ply\nformat " + format_ +
        " 1.0\ncomment made by a test\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
        "z\n"
        "property uchar red\nproperty uchar green\nproperty uchar blue\nelement material 1\nproperty int id\n"
        "element face 2\nproperty list uchar int vertex_indices\nproperty short tag\nend_header\n";
    for (int v = 0; v < 4; ++v) {
      put<float>(v == 1 || v == 2), put<float>(v >= 2), put<float>(0.5f);
      put<std::uint8_t>(10 * v), put<std::uint8_t>(255), put<std::uint8_t>(0);
      end();
    }
    put<std::int32_t>(77), end();
    for (const auto& [a, b, c] : {std::array{0, 1, 2}, std::array{0, 2, 3}}) {
      put<std::uint8_t>(3), put<std::int32_t>(a), put<std::int32_t>(b), put<std::int32_t>(c),
          put<std::int16_t>(-1);
      end();
    }
  }
  const std::string& text() const { return text_; }

 private:
  template <typename T>
  void put(double value) {
    if (format_ == "ascii") {
      text_ += std::to_string(value) + " ";
      return;
    }
    auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(static_cast<T>(value));
    if ((format_ == "binary_big_endian") == (std::endian::native == std::endian::little))
      std::reverse(bytes.begin(), bytes.end());
    text_.append(bytes.data(), bytes.size());
  }
  void end() {
    if (format_ == "ascii") text_ += '\n';
  }
  std::string format_, text_;
};

const std::array<const char*, 3> formats{"ascii", "binary_little_endian", "binary_big_endian"};

class Ply : public ::testing::Test {
 protected:
  SurfaceMesh parse(const std::string& text) {
    std::filesystem::remove(folder_.path() / "skin.ply");  // writing a new file is faster than replacing one
    return read_surface(folder_.write("skin.ply", text));
  }
  void refused(const std::string& text, std::initializer_list<const char*> parts) {
    expect_error([&] { parse(text); }, parts);
  }
  TemporaryFolder folder_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(Ply, EveryEncodingGivesTheSameMesh) {
  for (const char* format : formats) {
    const SurfaceMesh mesh = parse(PlyText(format).text());
    ASSERT_EQ(mesh.vertex_count(), 4) << format;
    EXPECT_EQ(Vec3(mesh.vertices.row(2)), Vec3(1, 1, 0.5)) << format;
    EXPECT_EQ(mesh.triangles.row(1), Eigen::RowVector3i(0, 2, 3)) << format;
    EXPECT_EQ(mesh.colours.row(3), (Eigen::Matrix<std::uint8_t, 1, 3>(30, 255, 0))) << format;
  }
}

TEST_F(Ply, EveryTruncationIsRefused) {
  for (const char* format : formats) {
    const std::string text = PlyText(format).text();
    const std::size_t shortest_whole =
        format == formats[0] ? text.find_last_not_of(" \n") - 8 : text.size() - 1;
    for (std::size_t length = 0; length <= shortest_whole; ++length) {
      EXPECT_THROW(parse(text.substr(0, length)), InputError) << format << " cut at " << length;
    }
  }
}

TEST_F(Ply, TruncationIsSaidToBeOne) {
  for (const char* format : formats) {
    const std::string text = PlyText(format).text();
    refused(text.substr(0, text.size() - (format == formats[0] ? 50 : 5)),
            {"skin.ply", "face 1", "cut short"});
  }
}

TEST_F(Ply, HeadersThatLieAllocateNothing) {
  for (const char* format : formats) {
    refused(replaced(PlyText(format).text(), "vertex 4", "vertex 4000000000"),
            {"skin.ply", "more than the file can hold"});
    refused(replaced(PlyText(format).text(), "face 2", "face 2000000000"),
            {"skin.ply", "more than the file can hold"});
    refused(replaced(PlyText(format).text(), "vertex 4", "vertex -4"), {"skin.ply:4", "element NAME COUNT"});
  }
  refused("ply\nformat binary_little_endian 1.0\nelement vertex 9000000000\nend_header\n", {"no properties"});
}

TEST_F(Ply, BadHeadersNameTheirLine) {
  const std::string text = PlyText("ascii").text();
  refused("", {"skin.ply", "no PLY file"});
  refused("solid\n", {"no PLY file"});
  refused(replaced(text, "format ascii", "format roman"), {"skin.ply:2", "\"roman\""});
  refused(replaced(text, "format ascii 1.0\n", ""), {"no format"});
  refused(replaced(text, "property float y", "property half y"), {"skin.ply:6", "unknown type \"half\""});
  refused(replaced(text, "property float y", "attribute float y"), {"skin.ply:6", "unknown PLY keyword"});
  refused(replaced(text, "property float y", "property float why"), {"lack one of x, y, z"});
  refused(replaced(text, "list uchar int vertex_indices", "list uchar int corners"),
          {"lack the list vertex_indices"});
  refused(replaced(text, "list uchar int vertex_indices", "list float int vertex_indices"),
          {"whole-number type"});
  refused(replaced(text, "element material 1", "element vertex 1"), {"declared twice"});
  refused(replaced(text, "element vertex", "element node"), {"no element \"vertex\""});
  refused(text.substr(0, text.find("end_header")), {"no end_header", "cut short"});
}

TEST_F(Ply, BadDataNameTheirLine) {
  const std::string header =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
      "z\nelement face 1\n"
      "property list uchar int vertex_index\nend_header\n";
  EXPECT_EQ(parse(header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").triangle_count(), 1);
  EXPECT_EQ(parse(replaced(header, "ply\n", "ply\r\n") + "0 0 0\r\n1 0 0\r\n0 1 0\r\n4 0 1 2 0\r\n")
                .triangle_count(),
            2);
  refused(header + "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", {"skin.ply:11", "vertex 1", "not finite"});
  refused(header + "0 0 0\n1 inf 0\n0 1 0\n3 0 1 2\n", {"skin.ply:11", "vertex 1", "\"inf\""});
  refused(header + "0 0 0\n1 0\n0 1 0\n3 0 1 2\n", {"skin.ply:11", "fewer numbers"});
  refused(header + "0 0 0\n1 0 0 0\n0 1 0\n3 0 1 2\n", {"skin.ply:11", "more numbers"});
  refused(header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", {"skin.ply:13", "out of range", "the file has 3"});
  refused(header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", {"skin.ply:13", "out of range"});
  refused(header + "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", {"skin.ply:13", "2 corners"});
  refused(header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n", {"skin.ply:13", "whole number"});
  refused(header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n", {"skin.ply:14", "more lines"});
  refused(PlyText("binary_little_endian").text() + "x", {"1 bytes follow"});
}

TEST_F(Ply, BinaryNanIsRefused) {
  std::string text = PlyText("binary_little_endian").text();
  const std::size_t data = text.find("end_header\n") + 11;
  std::memcpy(&text[data + 15 + 4], "\0\0\xc0\x7f", 4);
  refused(text, {"vertex 1", "not finite"});
}

TEST_F(Ply, ThePaintedLayoutOfTheRealHead) {
  const auto head = testing::shared_folder() / "data/ct-head/A";
  if (!std::filesystem::exists(head)) GTEST_SKIP() << "no test data at " << head;
  const SurfaceMesh painted = read_surface(head / "layout7.ply"), skin = read_surface(head / "skin.obj");
  EXPECT_EQ(painted.vertices, skin.vertices);
  EXPECT_EQ(painted.colours.row(0), (Eigen::Matrix<std::uint8_t, 1, 3>(44, 160, 44)));
}

}  // namespace
}  // namespace furrow
