#include "forward/base/ply_header.h"

#include <array>

#include "forward/base/error.h"
#include "forward/base/text_file.h"

namespace furrow::ply {

namespace {

struct TypeName {
  std::string_view name;
  Type type;
};
constexpr std::array<TypeName, 16> type_names{{{"char", Type::int8},
                                               {"int8", Type::int8},
                                               {"uchar", Type::uint8},
                                               {"uint8", Type::uint8},
                                               {"short", Type::int16},
                                               {"int16", Type::int16},
                                               {"ushort", Type::uint16},
                                               {"uint16", Type::uint16},
                                               {"int", Type::int32},
                                               {"int32", Type::int32},
                                               {"uint", Type::uint32},
                                               {"uint32", Type::uint32},
                                               {"float", Type::float32},
                                               {"float32", Type::float32},
                                               {"double", Type::float64},
                                               {"float64", Type::float64}}};

/// Reads the header line by line; `fail` names the line.
class HeaderReader {
 public:
  HeaderReader(const std::filesystem::path& file, std::string_view bytes)
      : file_(file), bytes_(bytes), lines_(bytes) {}

  Header read() {
    if (!lines_.next() || trimmed(lines_.line()) != "ply") {
      throw InputError(file_.string(), "is no PLY file: its first line is not \"ply\"");
    }
    bool has_format = false;
    while (lines_.next()) {
      std::string_view rest = lines_.line();
      const std::string_view keyword = next_token(rest);
      if (keyword == "comment" || keyword == "obj_info" || keyword.empty()) continue;
      if (keyword == "end_header") return finish(has_format);
      if (keyword == "format") {
        header_.encoding = encoding_of(next_token(rest));
        has_format = true;
      } else if (keyword == "element") {
        read_element(rest);
      } else if (keyword == "property") {
        read_property(rest);
      } else {
        fail("unknown PLY keyword " + in_quotes(keyword));
      }
    }
    fail("the header has no end_header; the file is cut short");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(at_line(file_, lines_.number()), what);
  }

  Header finish(bool has_format) {
    if (!has_format) fail("the header states no format");
    header_.data_begin =
        static_cast<std::size_t>(lines_.line().data() + lines_.line().size() - bytes_.data());
    if (header_.data_begin < bytes_.size() && bytes_[header_.data_begin] == '\r') ++header_.data_begin;
    if (header_.data_begin < bytes_.size() && bytes_[header_.data_begin] == '\n') ++header_.data_begin;
    header_.lines = lines_.number();
    return std::move(header_);
  }

  Encoding encoding_of(std::string_view name) const {
    if (name == "ascii") return Encoding::ascii;
    if (name == "binary_little_endian") return Encoding::little;
    if (name == "binary_big_endian") return Encoding::big;
    fail("unknown format " + in_quotes(name) + "; expected ascii, binary_little_endian or binary_big_endian");
  }

  Type type_of(std::string_view name) const {
    for (const TypeName& known : type_names) {
      if (known.name == name) return known.type;
    }
    fail("unknown type " + in_quotes(name));
  }

  void read_element(std::string_view rest) {
    const std::string_view name = next_token(rest), count = next_token(rest);
    const auto number = to_integer(count);
    if (name.empty() || !number || *number < 0) fail("expected \"element NAME COUNT\"");
    for (const Element& element : header_.elements) {
      if (element.name == name) fail("the element " + in_quotes(name) + " is declared twice");
    }
    header_.elements.push_back({std::string(name), *number, {}});
  }

  void read_property(std::string_view rest) {
    if (header_.elements.empty()) fail("a property before the first element");
    Property property;
    std::string_view type = next_token(rest);
    property.is_list = type == "list";
    if (property.is_list) {
      property.count_type = type_of(next_token(rest));
      if (is_real(property.count_type)) fail("a list's length has a whole-number type");
      type = next_token(rest);
    }
    property.type = type_of(type);
    property.name = std::string(next_token(rest));
    if (property.name.empty()) fail("a property without a name");
    header_.elements.back().properties.push_back(property);
  }

  std::filesystem::path file_;
  std::string_view bytes_;
  LineReader lines_;
  Header header_;
};

}  // namespace

std::size_t size_of(Type type) {
  switch (type) {
    case Type::int8:
    case Type::uint8:
      return 1;
    case Type::int16:
    case Type::uint16:
      return 2;
    case Type::int32:
    case Type::uint32:
    case Type::float32:
      return 4;
    case Type::float64:
      return 8;
  }
  return 8;
}

bool is_real(Type type) {
  return type == Type::float32 || type == Type::float64;
}

Header read_header(const std::filesystem::path& file, std::string_view bytes) {
  return HeaderReader(file, bytes).read();
}

}  // namespace furrow::ply
