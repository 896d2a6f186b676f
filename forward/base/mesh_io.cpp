#include "forward/base/mesh_io.h"

#include <cctype>
#include <limits>
#include <stdexcept>

#include "forward/base/error.h"
#include "forward/base/mesh_io_detail.h"
#include "forward/base/text_file.h"
#include "forward/base/units.h"

namespace furrow {

namespace {

SurfaceMesh read_by_extension(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".obj") return read_obj(file);
  if (extension == ".ply") return read_ply(file);
  if (extension == ".stl") return read_stl(file);
  throw InputError(file.string(), "is not a surface we read; name an .obj, .ply or .stl file");
}

double millimetres(const std::filesystem::path& file, const std::string& unit) {
  try {
    return parse_quantity("1 " + unit, dimension::length);
  } catch (const std::invalid_argument&) {
    throw InputError(file.string(),
                     "its unit " + in_quotes(unit) + " is not a length; give \"mm\", \"cm\" or \"m\"");
  }
}

/// Calls `row(line number, text)` for every line that is not blank after its comment is cut off.
template <typename Row>
void for_each_row(const std::string& text, Row row) {
  LineReader lines(text);
  while (lines.next()) {
    const std::string_view line = lines.line();
    const std::string_view content = trimmed(line.substr(0, line.find('#')));
    if (!content.empty()) row(lines.number(), content);
  }
}

int to_int_cell(const std::filesystem::path& file, int line, std::string_view text) {
  const auto value = to_integer(text);
  if (!value)
    throw InputError(at_line(file, line), "expected one whole number a line, found " + in_quotes(text));
  if (*value < std::numeric_limits<int>::min() || *value > std::numeric_limits<int>::max()) {
    throw InputError(at_line(file, line), in_quotes(text) + " is out of range");
  }
  return static_cast<int>(*value);
}

void check_count(const std::filesystem::path& file, std::size_t found, int expected) {
  if (expected < 0 || found == static_cast<std::size_t>(expected)) return;
  throw InputError(file.string(), "has " + std::to_string(found) + " values where " +
                                      std::to_string(expected) +
                                      " are expected, one a vertex; was it made for another mesh?");
}

}  // namespace

SurfaceMesh read_surface(const std::filesystem::path& file, const std::string& unit,
                         bool triangles_required) {
  const double scale = millimetres(file, unit);
  SurfaceMesh mesh = read_by_extension(file);
  if (mesh.vertex_count() == 0) throw InputError(file.string(), "has no vertices; is it empty or cut short?");
  if (triangles_required && mesh.triangle_count() == 0) {
    throw InputError(file.string(), "has no triangles; is it a point cloud or cut short?");
  }
  if (scale != 1) mesh.vertices *= scale;
  if (!mesh.vertices.allFinite())
    throw InputError(file.string(), "has coordinates out of range; check its unit");
  return mesh;
}

std::vector<int> read_int_column(const std::filesystem::path& file, int expected) {
  std::vector<int> values;
  for_each_row(read_bytes(file),
               [&](int line, std::string_view text) { values.push_back(to_int_cell(file, line, text)); });
  check_count(file, values.size(), expected);
  return values;
}

std::vector<bool> read_mask(const std::filesystem::path& file, int expected) {
  std::vector<bool> mask;
  for_each_row(read_bytes(file), [&](int line, std::string_view text) {
    const int value = to_int_cell(file, line, text);
    if (value != 0 && value != 1)
      throw InputError(at_line(file, line), "a mask holds 0 or 1, found " + in_quotes(text));
    mask.push_back(value == 1);
  });
  check_count(file, mask.size(), expected);
  return mask;
}

std::vector<int> read_index_list(const std::filesystem::path& file, int count) {
  std::vector<int> indices;
  for_each_row(read_bytes(file), [&](int line, std::string_view text) {
    const int index = to_int_cell(file, line, text);
    if (index < 0 || index >= count) {
      throw InputError(at_line(file, line), "the index " + std::to_string(index) + " is outside 0 to " +
                                                std::to_string(count - 1) + "; indices count from 0");
    }
    indices.push_back(index);
  });
  return indices;
}

}  // namespace furrow
