// STL, ascii and binary. Corners with exactly equal coordinates are one vertex, in order of first appearance.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "forward/base/error.h"
#include "forward/base/mesh_io_detail.h"
#include "forward/base/text_file.h"

namespace furrow {

namespace {

using Corner = std::array<double, 3>;

struct CornerHash {
  std::size_t operator()(const Corner& x) const {
    std::uint64_t h = 0;
    for (const double value : x)
      h = std::rotl((h ^ std::bit_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15ull, 29);
    return h ^ h >> 32;
  }
};

class Merger {
 public:
  void add_corner(Corner x) {
    for (double& value : x) value += 0.0;  // -0 is 0
    const auto [found, is_new] = index_of_.emplace(x, builder_.vertex_count());
    if (is_new) builder_.coordinates.insert(builder_.coordinates.end(), x.begin(), x.end());
    builder_.corners.push_back(found->second);
  }
  SurfaceMesh finish() const { return builder_.finish(); }

 private:
  SurfaceBuilder builder_;
  std::unordered_map<Corner, int, CornerHash> index_of_;
};

constexpr std::size_t header_bytes = 84, facet_bytes = 50;

std::uint32_t little_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (int k = 3; k >= 0; --k) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

/// 80 bytes of text, the number of facets, then for each: normal, three corners (12 floats), 2 bytes.
SurfaceMesh read_binary(const std::filesystem::path& file, const std::string& bytes) {
  const std::size_t count = (bytes.size() - header_bytes) / facet_bytes;
  if (count > most_indices / 3) throw InputError(file.string(), "is too large");
  Merger merger;
  for (std::size_t facet = 0; facet < count; ++facet) {
    for (std::size_t k = 0; k < 3; ++k) {
      Corner x;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const char* at = bytes.data() + header_bytes + facet * facet_bytes + 12 * (k + 1) + 4 * axis;
        x[axis] = std::bit_cast<float>(little_endian(at));
        if (!std::isfinite(x[axis])) {
          throw InputError(file.string(),
                           "triangle " + std::to_string(facet) + " has a coordinate that is not finite");
        }
      }
      merger.add_corner(x);
    }
  }
  return merger.finish();
}

/// solid NAME / facet normal x y z / outer loop / vertex x y z (3 times) / endloop / endfacet / endsolid
class AsciiReader {
 public:
  AsciiReader(const std::filesystem::path& file, const std::string& bytes) : file_(file), lines_(bytes) {}

  SurfaceMesh read() {
    while (next_line()) {
      expect("solid");
      read_solid();
    }
    return merger_.finish();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(at_line(file_, lines_.number()), what);
  }

  bool next_line() {
    while (lines_.next()) {
      rest_ = trimmed(lines_.line());
      if (!rest_.empty()) return true;
    }
    return false;
  }

  void expect_line(const char* keyword) {
    if (!next_line())
      fail(std::string("the file ends where \"") + keyword + "\" is expected; it is cut short");
    expect(keyword);
  }

  void expect(const char* keyword) {
    const std::string_view token = next_token(rest_);
    if (token != keyword) fail(std::string("expected \"") + keyword + "\", found " + in_quotes(token));
  }

  void read_solid() {
    while (true) {
      if (!next_line()) fail("the file ends where \"facet\" or \"endsolid\" is expected; it is cut short");
      std::string_view peek = rest_;
      if (next_token(peek) == "endsolid") return;
      expect("facet");
      expect_line("outer");
      for (int k = 0; k < 3; ++k) {
        expect_line("vertex");
        read_corner();
      }
      expect_line("endloop");
      expect_line("endfacet");
    }
  }

  void read_corner() {
    Corner x;
    for (double& value : x) {
      const std::string_view token = next_token(rest_);
      const auto number = to_number(token);
      if (!number) fail(in_quotes(token) + " is not a finite number");
      value = *number;
    }
    if (!trimmed(rest_).empty()) fail("a vertex has 3 numbers, found more");
    merger_.add_corner(x);
  }

  std::filesystem::path file_;
  LineReader lines_;
  std::string_view rest_;
  Merger merger_;
};

}  // namespace

SurfaceMesh read_stl(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file);
  if (bytes.size() >= header_bytes) {
    const std::uint64_t promised = little_endian(bytes.data() + 80);
    if (bytes.size() == header_bytes + facet_bytes * promised) return read_binary(file, bytes);
  }
  const bool is_text = bytes.find('\0') == std::string::npos && trimmed(bytes).starts_with("solid");
  if (is_text) return AsciiReader(file, bytes).read();
  if (bytes.size() < header_bytes) throw InputError(file.string(), "is no STL file, or cut short");
  throw InputError(file.string(), "its header promises " + std::to_string(little_endian(bytes.data() + 80)) +
                                      " triangles but it holds " +
                                      std::to_string((bytes.size() - header_bytes) / facet_bytes) +
                                      "; it is cut short or damaged");
}

}  // namespace furrow
