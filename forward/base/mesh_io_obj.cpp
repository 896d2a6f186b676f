// OBJ by a parser of our own: strict, keeps vertex order, says the line. (tinyobjloader accepts broken
// numbers as 0.)
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/base/mesh_io_detail.h"
#include "forward/base/text_file.h"

namespace furrow {

namespace {

constexpr std::array<std::string_view, 15> ignored_keywords{
    "vn", "vt",  "vp",    "s",        "usemtl",   "mtllib",     "l",        "p",
    "mg", "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"};

/// Names in order of appearance, and which one every triangle carries (-1: none yet).
struct Grouping {
  std::vector<std::string> names;
  std::map<std::string, int, std::less<>> index_of;
  std::vector<int> of_triangle;
  int current = -1;

  void enter(std::string_view name) {
    const auto [found, is_new] = index_of.emplace(name, static_cast<int>(names.size()));
    if (is_new) names.emplace_back(name);
    current = found->second;
  }
};

class ObjReader {
 public:
  explicit ObjReader(const std::filesystem::path& file) : file_(file) {}

  SurfaceMesh read() {
    const std::string text = read_bytes(file_);
    LineReader lines(text);
    std::string joined;  // lines continued by a backslash
    while (lines.next()) {
      line_number_ = lines.number();
      std::string_view line = lines.line();
      if (line.ends_with('\\')) {
        joined.assign(line.substr(0, line.size() - 1));
        bool continued = true;
        while (continued && lines.next()) {
          continued = lines.line().ends_with('\\');
          joined += ' ';
          joined += lines.line().substr(0, lines.line().size() - (continued ? 1 : 0));
        }
        line = joined;
      }
      read_line(line);
    }
    return finish();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(at_line(file_, line_number_), what);
  }

  void read_line(std::string_view rest) {
    const std::string_view keyword = next_token(rest);
    if (keyword.empty() || keyword[0] == '#') return;
    if (keyword == "v") return read_vertex(rest);
    if (keyword == "f") return read_face(rest);
    if (keyword == "g") return groups_.enter(trimmed(rest).empty() ? "default" : trimmed(rest));
    if (keyword == "o") return objects_.enter(trimmed(rest).empty() ? "default" : trimmed(rest));
    if (std::find(ignored_keywords.begin(), ignored_keywords.end(), keyword) != ignored_keywords.end())
      return;
    fail("unknown OBJ keyword " + in_quotes(keyword) + "; only polygon meshes are read");
  }

  /// v x y z [w] [r g b]
  void read_vertex(std::string_view rest) {
    std::array<double, 7> numbers{};
    std::size_t count = 0;
    for (std::string_view token = next_token(rest); !token.empty() && token[0] != '#';
         token = next_token(rest)) {
      if (count == numbers.size()) fail("a vertex has at most 7 numbers (x y z w r g b)");
      const auto number = to_number(token);
      if (!number) fail(in_quotes(token) + " is not a finite number");
      numbers[count++] = *number;
    }
    if (count != 3 && count != 4 && count != 6 && count != 7) {
      fail("a vertex has 3 numbers (x y z), or 6 with a colour, found " + std::to_string(count));
    }
    if (count % 3 == 1 && numbers[3] != 1) fail("vertex weights other than 1 are not read");
    builder_.coordinates.insert(builder_.coordinates.end(), numbers.begin(), numbers.begin() + 3);
    if (count >= 6) add_colour(&numbers[count - 3]);
  }

  void add_colour(const double* rgb) {
    for (int k = 0; k < 3; ++k) {
      if (rgb[k] < 0 || rgb[k] > 255) fail("a colour is from 0 to 1, or from 0 to 255");
      shades_.push_back(rgb[k]);
    }
  }

  /// f a b c ..., each corner v, v/vt, v//vn or v/vt/vn; negative indices count back from the last vertex. A
  /// fan for polygons.
  void read_face(std::string_view rest) {
    int first = -1, previous = -1, count = 0;
    for (std::string_view token = next_token(rest); !token.empty() && token[0] != '#';
         token = next_token(rest)) {
      const int corner = corner_vertex(token);
      if (++count >= 3) add_triangle(first, previous, corner);
      if (count == 1) first = corner;
      previous = corner;
    }
    if (count < 3) fail("a face has at least 3 corners, found " + std::to_string(count));
  }

  int corner_vertex(std::string_view token) const {
    const std::size_t slash = token.find('/');
    const auto index = to_integer(token.substr(0, slash));
    if (!index || !is_reference(slash == token.npos ? "" : token.substr(slash + 1))) {
      fail(in_quotes(token) + " is not a face corner; expected v, v/vt, v//vn or v/vt/vn");
    }
    if (*index == 0) fail("the vertex index 0 is out of range; OBJ indices count from 1");
    const long long vertex = *index > 0 ? *index - 1 : builder_.vertex_count() + *index;
    // A later vertex may still come; the largest index is checked at the end.
    if (vertex < 0 || vertex >= static_cast<long long>(most_indices)) {
      fail("the vertex index " + std::to_string(*index) + " is out of range");
    }
    return static_cast<int>(vertex);
  }

  /// vt, vt/vn or /vn after the first slash; they are not used.
  static bool is_reference(std::string_view text) {
    if (text.empty()) return true;
    const std::size_t slash = text.find('/');
    const std::string_view texture = text.substr(0, slash),
                           normal = slash == text.npos ? "" : text.substr(slash + 1);
    return (texture.empty() || to_integer(texture)) && (normal.empty() || to_integer(normal));
  }

  void add_triangle(int a, int b, int c) {
    const int largest = std::max({a, b, c});
    if (largest > largest_corner_) {
      largest_corner_ = largest;
      largest_corner_line_ = line_number_;
    }
    builder_.corners.insert(builder_.corners.end(), {a, b, c});
    groups_.of_triangle.push_back(groups_.current);
    objects_.of_triangle.push_back(objects_.current);
  }

  SurfaceMesh finish() {
    if (builder_.coordinates.size() / 3 > most_indices || builder_.corners.size() / 3 > most_indices) {
      throw InputError(file_.string(), "is too large");
    }
    const int count = builder_.vertex_count();
    if (largest_corner_ >= count) {
      line_number_ = largest_corner_line_;
      fail("the vertex index " + std::to_string(largest_corner_ + 1LL) + " is out of range; the file has " +
           std::to_string(count) + " vertices");
    }
    finish_colours();
    SurfaceMesh mesh = builder_.finish();
    finish_groups(groups_.names.empty() ? objects_ : groups_, mesh);
    return mesh;
  }

  void finish_colours() {
    if (shades_.empty()) return;
    if (shades_.size() != builder_.coordinates.size()) {
      throw InputError(file_.string(), std::to_string(shades_.size() / 3) + " of " +
                                           std::to_string(builder_.vertex_count()) +
                                           " vertices have a colour; give all of them one, or none");
    }
    const double scale = *std::max_element(shades_.begin(), shades_.end()) > 1 ? 1 : 255;
    for (const double shade : shades_)
      builder_.colours.push_back(static_cast<std::uint8_t>(std::lround(scale * shade)));
  }

  /// Triangles before the first group statement are in the group "default".
  static void finish_groups(Grouping& grouping, SurfaceMesh& mesh) {
    if (grouping.names.empty()) return;
    const bool some_without =
        std::find(grouping.of_triangle.begin(), grouping.of_triangle.end(), -1) != grouping.of_triangle.end();
    if (some_without) {
      grouping.enter("default");
      std::replace(grouping.of_triangle.begin(), grouping.of_triangle.end(), -1, grouping.current);
    }
    mesh.group_names = std::move(grouping.names);
    mesh.triangle_group = std::move(grouping.of_triangle);
  }

  std::filesystem::path file_;
  int line_number_ = 0;
  SurfaceBuilder builder_;
  std::vector<double> shades_;  // colours as written
  Grouping groups_, objects_;
  int largest_corner_ = -1;
  int largest_corner_line_ = 0;
};

}  // namespace

SurfaceMesh read_obj(const std::filesystem::path& file) {
  return ObjReader(file).read();
}

SurfaceMesh SurfaceBuilder::finish() const {
  SurfaceMesh mesh;
  const Eigen::Index n = vertex_count(), m = static_cast<Eigen::Index>(corners.size() / 3);
  mesh.vertices = Eigen::Map<const Positions>(coordinates.data(), n, 3);
  mesh.triangles = Eigen::Map<const Triangles>(corners.data(), m, 3);
  if (!colours.empty()) mesh.colours = Eigen::Map<const decltype(SurfaceMesh::colours)>(colours.data(), n, 3);
  return mesh;
}

}  // namespace furrow
