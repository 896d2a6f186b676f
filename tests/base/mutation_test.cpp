// Damaged files: whatever byte is changed, dropped or doubled, a reader returns or throws InputError. The
// fuzz targets in tests/fuzz search deeper; this runs everywhere.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "forward/base/error.h"
#include "forward/base/json_file.h"
#include "forward/base/mesh_io.h"
#include "forward/base/text_file.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

std::string damaged(std::string text, std::mt19937& generator) {
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(generator);
  };
  const std::size_t count = 1 + below(4);
  for (std::size_t k = 0; k < count && !text.empty(); ++k) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        text.insert(at, text.substr(below(text.size()), 1 + below(40)));
        break;
      case 3:
        text.resize(at);
        break;
      default:
        text[at] = static_cast<char>('0' + below(10));
    }
  }
  return text;
}

void survives(const std::string& name, const std::string& text,
              const std::function<void(const std::filesystem::path&)>& read) {
  const testing::TemporaryFolder folder;
  std::mt19937 generator(11);
  EXPECT_NO_THROW(read(folder.write(name, text)));
  int refused = 0;
  for (int k = 0; k < 1000; ++k) {
    const auto file = folder.write(name, damaged(text, generator));
    try {
      read(file);
    } catch (const InputError&) {
      ++refused;
    }
    std::filesystem::remove(file);  // writing a new file is faster than replacing one
  }
  EXPECT_GT(refused, 100) << "the damage is noticed";
}

const std::string binary_ply = [] {
  std::string text =
      "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty "
      "float z\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
  text.append(36, '\0');
  return text + std::string("\3\0\0\0\0\1\0\0\0\2\0\0\0", 13);
}();

TEST(Mutation, Surfaces) {
  const auto read = [](const std::filesystem::path& file) { read_surface(file); };
  survives("a.obj", "# c\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0.5\ng skin\nf 1 2 3\nf 2/1/1 -1//2 3\n", read);
  survives("a.ply", binary_ply, read);
  survives("a.ply",
           "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
           "z\nproperty uchar red\n"
           "property uchar green\nproperty uchar blue\nelement face 1\nproperty list uchar int "
           "vertex_indices\nend_header\n"
           "0 0 0 1 2 3\n1 0 0 1 2 3\n0 1 0 1 2 3\n3 0 1 2\n",
           read);
  survives("a.stl",
           "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
           "0\nendloop\nendfacet\nendsolid a\n",
           read);
}

TEST(Mutation, TablesAndJson) {
  survives("a.csv", "time_s,x,y,present\n0,,,0\n0.1,1.5,-2e3,1\n",
           [](const auto& file) { read_csv(file, false); });
  survives("a.txt", "0\n1\n1\n0\n1\n", [](const auto& file) { read_mask(file, 5); });
  survives(
      "a.json",
      "{\"furrow\": 1, // c\n \"e\": [\"4 MPa\", \"1/12 s\"], \"o\": {\"k\": true, \"l\": [1, 2.5e3, null]}}",
      [](const auto& file) {
        JsonNode::read(file).only({"furrow", "e", "o"});
      });
}

}  // namespace
}  // namespace furrow
