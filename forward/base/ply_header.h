// The header of a PLY file: encoding, elements and their properties.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace furrow::ply {

enum class Type { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
enum class Encoding { ascii, little, big };

struct Property {
  std::string name;
  Type type;
  bool is_list = false;
  Type count_type = Type::uint8;
};

struct Element {
  std::string name;
  long long count;
  std::vector<Property> properties;
};

struct Header {
  Encoding encoding = Encoding::ascii;
  std::vector<Element> elements;
  std::size_t data_begin = 0;  ///< byte after the header
  int lines = 0;
};

std::size_t size_of(Type type);  ///< [bytes]
bool is_real(Type type);

/// Throws InputError with file and line.
Header read_header(const std::filesystem::path& file, std::string_view bytes);

}  // namespace furrow::ply
