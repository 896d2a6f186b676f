// PLY, ascii and binary of both byte orders. Elements other than vertex and face are skipped.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "forward/base/error.h"
#include "forward/base/mesh_io_detail.h"
#include "forward/base/ply_header.h"
#include "forward/base/text_file.h"

namespace furrow {

namespace {

using namespace ply;

/// Numbers of the data section one after the other, whatever the encoding.
class DataReader {
 public:
  DataReader(const std::filesystem::path& file, std::string_view bytes, const Header& header)
      : file_(file),
        rest_(bytes.substr(header.data_begin)),
        lines_(rest_),
        encoding_(header.encoding),
        first_line_(header.lines) {}

  /// Refuses counts that the rest of the file cannot hold, before anything is allocated for them.
  void check_room(const Element& element) const {
    if (element.count == 0) return;
    if (element.properties.empty()) fail("the element " + in_quotes(element.name) + " has no properties");
    std::size_t row = 0;  // bytes at least
    for (const Property& property : element.properties) {
      row +=
          encoding_ == Encoding::ascii ? 2 : size_of(property.is_list ? property.count_type : property.type);
    }
    const auto most = (rest_.size() + 1) / row;  // the last ascii line may lack its end
    if (static_cast<unsigned long long>(element.count) > most ||
        element.count > static_cast<long long>(most_indices)) {
      fail("the header promises " + std::to_string(element.count) + " of element " + in_quotes(element.name) +
           ", more than the file can hold; it is cut short or damaged");
    }
  }

  void begin_row(const Element& element, long long row) {
    element_ = &element;
    row_ = row;
    if (encoding_ != Encoding::ascii) return;
    do {
      if (!lines_.next()) fail_short();
      line_ = trimmed(lines_.line());
    } while (line_.empty());
  }

  void end_row() {
    if (!line_.empty() && !trimmed(line_).empty()) fail("has more numbers than the header declares");
  }

  double number(Type type) { return encoding_ == Encoding::ascii ? ascii_number(type) : binary_number(type); }

  long long list_length(Type type) {
    const double length = number(type);
    const std::size_t left = encoding_ == Encoding::ascii ? line_.size() : rest_.size();
    if (length < 0 || length > static_cast<double>(left)) fail("has a list longer than the file can hold");
    return static_cast<long long>(length);
  }

  void check_end() {
    if (encoding_ == Encoding::ascii) {
      while (lines_.next()) {
        if (!trimmed(lines_.line()).empty()) {
          throw InputError(at_line(file_, first_line_ + lines_.number()),
                           "more lines than the header declares");
        }
      }
    } else if (rest_.find_first_not_of(" \t\r\n") != rest_.npos) {
      throw InputError(file_.string(),
                       std::to_string(rest_.size()) + " bytes follow the last element; the header is wrong");
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    const std::string where =
        encoding_ == Encoding::ascii ? at_line(file_, first_line_ + lines_.number()) : file_.string();
    throw InputError(where, (element_ ? element_->name + " " + std::to_string(row_) + " " : "") + what);
  }

 private:
  [[noreturn]] void fail_short() const {
    fail("is missing; the header promises " + std::to_string(element_->count) + ", the file is cut short");
  }

  double ascii_number(Type type) {
    const std::string_view token = next_token(line_);
    if (token.empty()) fail("has fewer numbers than the header declares");
    if (is_real(type) && (token == "nan" || token == "-nan"))
      return std::nan("");  // e.g. errors of unseen vertices
    const auto value = to_number(token);
    if (!value) fail("holds " + in_quotes(token) + ", not a finite number");
    if (!is_real(type) && *value != std::floor(*value))
      fail("holds " + in_quotes(token) + ", not a whole number");
    return *value;
  }

  template <typename T>
  double take() {
    if (rest_.size() < sizeof(T)) fail_short();
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    const bool swap = (encoding_ == Encoding::big) == (std::endian::native == std::endian::little);
    if (swap) std::reverse(bytes.begin(), bytes.end());
    return static_cast<double>(std::bit_cast<T>(bytes));
  }

  double binary_number(Type type) {
    switch (type) {
      case Type::int8:
        return take<std::int8_t>();
      case Type::uint8:
        return take<std::uint8_t>();
      case Type::int16:
        return take<std::int16_t>();
      case Type::uint16:
        return take<std::uint16_t>();
      case Type::int32:
        return take<std::int32_t>();
      case Type::uint32:
        return take<std::uint32_t>();
      case Type::float32:
        return take<float>();
      case Type::float64:
        return take<double>();
    }
    return 0;
  }

  std::filesystem::path file_;
  std::string_view rest_;  // binary: what is left
  LineReader lines_;       // ascii
  std::string_view line_;  // ascii: what is left of the row
  Encoding encoding_;
  int first_line_;
  const Element* element_ = nullptr;
  long long row_ = 0;
};

/// Index of the property with one of two names; fails when it is missing (unless optional: -1) or of the
/// wrong shape.
int find_property(const Element& element, std::string_view name, std::string_view other, bool list) {
  for (std::size_t k = 0; k < element.properties.size(); ++k) {
    const Property& property = element.properties[k];
    if ((property.name == name || property.name == other) && property.is_list == list)
      return static_cast<int>(k);
  }
  return -1;
}

std::vector<double> read_row(DataReader& data, const Element& element) {
  std::vector<double> values;
  for (const Property& property : element.properties) {
    if (!property.is_list) {
      values.push_back(data.number(property.type));
      continue;
    }
    values.push_back(0);  // lists keep their place
    for (long long left = data.list_length(property.count_type); left > 0; --left) data.number(property.type);
  }
  return values;
}

void read_vertices(DataReader& data, const Element& element, SurfaceBuilder& builder) {
  const std::array<int, 3> position{find_property(element, "x", "x", false),
                                    find_property(element, "y", "y", false),
                                    find_property(element, "z", "z", false)};
  const std::array<int, 3> colour{find_property(element, "red", "diffuse_red", false),
                                  find_property(element, "green", "diffuse_green", false),
                                  find_property(element, "blue", "diffuse_blue", false)};
  if (*std::min_element(position.begin(), position.end()) < 0) data.fail("the vertices lack one of x, y, z");
  const bool coloured = *std::min_element(colour.begin(), colour.end()) >= 0;
  for (long long row = 0; row < element.count; ++row) {
    data.begin_row(element, row);
    const std::vector<double> values = read_row(data, element);
    data.end_row();
    for (const int k : position) {
      const double x = values[static_cast<std::size_t>(k)];
      if (!std::isfinite(x)) data.fail("has a coordinate that is not finite");
      builder.coordinates.push_back(x);
    }
    for (const int k : colour) {
      if (!coloured) break;
      const double scale = is_real(element.properties[static_cast<std::size_t>(k)].type) ? 255 : 1;
      const double shade = std::round(scale * values[static_cast<std::size_t>(k)]);
      if (!(shade >= 0 && shade <= 255))
        data.fail("has a colour out of range (whole numbers 0 to 255, or floats 0 to 1)");
      builder.colours.push_back(static_cast<std::uint8_t>(shade));
    }
  }
}

void read_polygon(DataReader& data, const Property& list, long long vertex_count, SurfaceBuilder& builder) {
  const long long length = data.list_length(list.count_type);
  if (length < 3) data.fail("has " + std::to_string(length) + " corners; at least 3 are needed");
  int first = -1, previous = -1;
  for (long long k = 0; k < length; ++k) {
    const double index = data.number(list.type);
    if (!(index >= 0 && index < static_cast<double>(vertex_count))) {
      data.fail("names a vertex out of range; the file has " + std::to_string(vertex_count));
    }
    const int corner = static_cast<int>(index);
    if (k >= 2) builder.corners.insert(builder.corners.end(), {first, previous, corner});
    if (k == 0) first = corner;
    previous = corner;
  }
}

void read_faces(DataReader& data, const Element& element, long long vertex_count, SurfaceBuilder& builder) {
  const int polygon = find_property(element, "vertex_indices", "vertex_index", true);
  if (polygon < 0) data.fail("the faces lack the list vertex_indices");
  if (is_real(element.properties[static_cast<std::size_t>(polygon)].type))
    data.fail("vertex indices have a whole-number type");
  for (long long row = 0; row < element.count; ++row) {
    data.begin_row(element, row);
    for (int k = 0; k < static_cast<int>(element.properties.size()); ++k) {
      const Property& property = element.properties[static_cast<std::size_t>(k)];
      if (k == polygon) {
        read_polygon(data, property, vertex_count, builder);
      } else {
        for (long long left = property.is_list ? data.list_length(property.count_type) : 1; left > 0;
             --left) {
          data.number(property.type);
        }
      }
    }
    data.end_row();
  }
}

}  // namespace

SurfaceMesh read_ply(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file);
  const Header header = read_header(file, bytes);
  long long vertex_count = -1;
  for (const Element& element : header.elements) {
    if (element.name == "vertex") vertex_count = element.count;
    if (element.name == "tristrips" && element.count > 0) {
      throw InputError(file.string(), "triangle strips are not read; write faces as vertex_indices");
    }
  }
  if (vertex_count < 0) throw InputError(file.string(), "has no element \"vertex\"");

  DataReader data(file, bytes, header);
  SurfaceBuilder builder;
  for (const Element& element : header.elements) {
    data.check_room(element);
    if (element.name == "vertex") {
      read_vertices(data, element, builder);
    } else if (element.name == "face") {
      read_faces(data, element, vertex_count, builder);
    } else {
      for (long long row = 0; row < element.count; ++row) {
        data.begin_row(element, row);
        read_row(data, element);
        data.end_row();
      }
    }
  }
  data.check_end();
  return builder.finish();
}

}  // namespace furrow
