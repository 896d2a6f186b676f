// The data arrays of a VTU file, decoded with every length checked. VTK's own reader trusts the lengths in a
// file and crashes on broken ones, so only its XML parser and its zlib are used here. Included by
// vtu_file.cpp alone.
//
//   <VTKFile> <UnstructuredGrid> <FieldData/> <Piece> <PointData/> <CellData/> <Points/> <Cells/> ...
//   <AppendedData encoding="...">_bytes An array is text, or bytes: plain (size, data) or in zlib blocks
//   (block count, block size, size of the last, compressed sizes, data), in base64 or raw. [VTK User's Guide,
//   XML file formats]
#pragma once

#include <fmt/format.h>
#include <vtkNew.h>
#include <vtkXMLDataElement.h>
#include <vtkZLibDataCompressor.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forward/base/error.h"
#include "forward/base/text_file.h"

namespace furrow {

/// Bytes of base64 text; nothing when it is not base64. Padding ends it.
inline std::optional<std::string> decode_base64(std::string_view text) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static const std::array<int, 256> value = [] {
    std::array<int, 256> table;
    table.fill(-1);
    for (std::size_t i = 0; i < digits.size(); ++i)
      table[static_cast<unsigned char>(digits[i])] = static_cast<int>(i);
    return table;
  }();
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const int padding = text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
    std::uint32_t group = 0;
    for (int k = 0; k < 4; ++k) {
      const int digit = k >= 4 - padding ? 0 : value[static_cast<unsigned char>(text[i + k])];
      if (digit < 0) return std::nullopt;
      group = (group << 6) | static_cast<std::uint32_t>(digit);
    }
    for (int k = 0; k < 3 - padding; ++k) bytes.push_back(static_cast<char>((group >> (16 - 8 * k)) & 255));
    if (padding > 0) break;
  }
  return bytes;
}

class VtuData {
 public:
  /// `head`: the XML without its appended data, `root` its tree; `appended`: what follows the underscore. All
  /// must outlive this.
  VtuData(std::string_view head, vtkXMLDataElement& root, std::string_view appended, bool appended_base64,
          std::size_t file_size, std::string where)
      : head_(head),
        appended_(appended),
        appended_base64_(appended_base64),
        file_size_(file_size),
        where_(std::move(where)) {
    if (text(root, "type") != "UnstructuredGrid") fail("is no VTU file (its type is not UnstructuredGrid)");
    if (text(root, "byte_order") == "BigEndian") fail("is big-endian; write it as little-endian");
    const std::string header = text(root, "header_type"), compressor = text(root, "compressor");
    if (!header.empty() && header != "UInt32" && header != "UInt64")
      fail("has header_type " + in_quotes(header) + "; write UInt32 or UInt64");
    header_bytes_ = header == "UInt64" ? 8 : 4;
    if (!compressor.empty() && compressor != "vtkZLibDataCompressor")
      fail("is compressed by " + in_quotes(compressor) + "; write it with ZLib or without compression");
    compressed_ = !compressor.empty();
  }

  /// `count` numbers of any type.
  std::vector<double> numbers(vtkXMLDataElement& array, std::size_t count) const {
    const std::string type = text(array, "type"), name = text(array, "Name");
    if (text(array, "format") == "ascii" || text(array, "format").empty())
      return ascii_numbers(array, name, count);
    struct Kind {
      const char* name;
      std::size_t size;
      double (*get)(const char*);
    };
    static constexpr std::array<Kind, 10> kinds{{{"Int8", 1, get<std::int8_t>},
                                                 {"UInt8", 1, get<std::uint8_t>},
                                                 {"Int16", 2, get<std::int16_t>},
                                                 {"UInt16", 2, get<std::uint16_t>},
                                                 {"Int32", 4, get<std::int32_t>},
                                                 {"UInt32", 4, get<std::uint32_t>},
                                                 {"Int64", 8, get<std::int64_t>},
                                                 {"UInt64", 8, get<std::uint64_t>},
                                                 {"Float32", 4, get<float>},
                                                 {"Float64", 8, get<double>}}};
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return type == k.name; });
    if (kind == kinds.end()) fail("array " + in_quotes(name) + " has the unknown type " + in_quotes(type));
    if (count > most() / kind->size) fail_length(name);
    const std::string data = bytes(array, name);
    if (data.size() != count * kind->size) fail_length(name);
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = kind->get(data.data() + i * kind->size);
    return values;
  }

  /// The texts of a String array (each ends with a zero byte).
  std::vector<std::string> texts(vtkXMLDataElement& array) const {
    const std::string name = text(array, "Name");
    std::string data;
    if (text(array, "format") == "ascii" || text(array, "format").empty()) {
      const std::string words = content(array);
      std::string_view rest = words;
      for (std::string_view token = next_token(rest); !token.empty(); token = next_token(rest))
        data.push_back(static_cast<char>(to_integer(token).value_or('?')));
    } else {
      data = bytes(array, name);
    }
    std::vector<std::string> result;
    for (std::size_t start = 0; start < data.size();) {
      const std::size_t end = std::min(data.find('\0', start), data.size());
      result.push_back(data.substr(start, end - start));
      start = end + 1;
    }
    return result;
  }

  /// A whole number in an attribute, not above what a file of this size can hold.
  std::size_t count(vtkXMLDataElement& element, const char* attribute, std::size_t otherwise) const {
    const std::string value = text(element, attribute);
    if (value.empty()) return otherwise;
    const auto number = to_integer(trimmed(value));
    if (!number || *number < 0 || static_cast<std::size_t>(*number) > most() || *number > 2000000000)
      fail(fmt::format("{} = {} cannot be right for a file of {} bytes; it is truncated or broken", attribute,
                       in_quotes(value), file_size_));
    return static_cast<std::size_t>(*number);
  }

  static std::string text(vtkXMLDataElement& element, const char* attribute) {
    const char* value = element.GetAttribute(attribute);
    return value == nullptr ? "" : value;
  }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(where_, what); }

 private:
  template <class T>
  static double get(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return static_cast<double>(value);
  }
  /// The text in an array's element, on one line (VTK's parser keeps only where the element starts).
  std::string content(vtkXMLDataElement& element) const {
    const std::size_t start =
        std::min(head_.find('>', static_cast<std::size_t>(element.GetXMLByteIndex())), head_.size() - 1) + 1;
    const std::size_t end = std::min(head_.find('<', start), head_.size());
    std::string line(head_.substr(start, end - start));
    std::replace(line.begin(), line.end(), '\n', ' ');
    return std::string(trimmed(line));
  }
  /// zlib packs at most about 1032 to 1.
  std::size_t most() const { return 1040 * file_size_; }
  [[noreturn]] void fail_length(const std::string& name) const {
    fail("array " + in_quotes(name) +
         " does not have the length that the mesh needs; the file is truncated or broken, write it again");
  }

  std::vector<double> ascii_numbers(vtkXMLDataElement& array, const std::string& name,
                                    std::size_t count) const {
    const std::string words = content(array);
    std::string_view rest = words;
    std::vector<double> values;
    for (std::string_view token = next_token(rest); !token.empty(); token = next_token(rest)) {
      const auto value = to_number(token);
      if (!value)
        fail("array " + in_quotes(name) + " holds " + in_quotes(token) +
             ", which is no finite number; write it again");
      values.push_back(*value);
    }
    if (values.size() != count) fail_length(name);
    return values;
  }

  /// A run of bytes in the file, read front to back; in base64 each unit is decoded on its own.
  struct Source {
    std::string_view rest;
    bool base64;
    /// The next `size` bytes, nothing when the file ends before or is not base64.
    std::optional<std::string> take(std::size_t size) {
      if (size > rest.size()) return std::nullopt;
      const std::size_t characters = base64 ? (size + 2) / 3 * 4 : size;
      if (characters > rest.size()) return std::nullopt;
      const std::string_view unit = rest.substr(0, characters);
      rest.remove_prefix(characters);
      std::optional<std::string> bytes = base64 ? decode_base64(unit) : std::string(unit);
      if (!bytes || bytes->size() < size) return std::nullopt;
      bytes->resize(size);
      return bytes;
    }
  };

  std::string bytes(vtkXMLDataElement& array, const std::string& name) const {
    const std::string format = text(array, "format");
    const std::string inline_text = content(array);
    Source source{inline_text, true};
    if (format == "appended") {
      const std::size_t offset = count(array, "offset", 0);
      if (offset > appended_.size()) fail_length(name);
      source = {appended_.substr(offset), appended_base64_};
    } else if (format != "binary") {
      fail("array " + in_quotes(name) + " has the unknown format " + in_quotes(format));
    }
    const auto data = compressed_ ? compressed_bytes(source) : plain_bytes(source);
    if (!data)
      fail("the data of array " + in_quotes(name) + " are truncated or broken; write the mesh again");
    return *data;
  }

  std::uint64_t header_word(const std::string& bytes, std::size_t index) const {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + index * header_bytes_, header_bytes_);
    return word;
  }

  std::optional<std::string> plain_bytes(Source source) const {
    Source start = source;
    const auto header = source.take(header_bytes_);
    if (!header || header_word(*header, 0) > most()) return std::nullopt;
    const std::size_t size = header_word(*header, 0);
    // In base64, size and data are one unit, or the size is one of its own that padding ends.
    const auto first =
        source.base64 ? decode_base64(start.rest.substr(0, (header_bytes_ + 2) / 3 * 4)) : std::nullopt;
    const bool one_unit = first && first->size() > header_bytes_;
    if (!one_unit) return source.take(size);
    const auto all = start.take(header_bytes_ + size);
    return all ? std::optional(all->substr(header_bytes_)) : std::nullopt;
  }

  std::optional<std::string> compressed_bytes(Source source) const {
    Source start = source;
    const auto counts = source.take(3 * header_bytes_);
    if (!counts) return std::nullopt;
    const std::uint64_t blocks = header_word(*counts, 0), block_size = header_word(*counts, 1),
                        last_size = header_word(*counts, 2);
    if (blocks == 0) return std::string();
    if (blocks > file_size_ || block_size > (std::uint64_t{1} << 40) || last_size > block_size)
      return std::nullopt;
    if ((blocks - 1) * block_size + (last_size != 0 ? last_size : block_size) > most()) return std::nullopt;
    const auto header = start.take((3 + blocks) * header_bytes_);
    if (!header) return std::nullopt;
    std::size_t packed_size = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      if (header_word(*header, 3 + b) > file_size_) return std::nullopt;
      packed_size += header_word(*header, 3 + b);
    }
    const auto packed = start.take(packed_size);
    if (!packed) return std::nullopt;
    std::string data;
    std::size_t at = 0;
    vtkNew<vtkZLibDataCompressor> zlib;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t size = b + 1 == blocks && last_size != 0 ? last_size : block_size,
                        packed_block = header_word(*header, 3 + b);
      if (size > 1040 * (packed_block + 16)) return std::nullopt;
      const std::size_t old = data.size();
      data.resize(old + size);
      if (zlib->Uncompress(reinterpret_cast<const unsigned char*>(packed->data()) + at, packed_block,
                           reinterpret_cast<unsigned char*>(data.data()) + old, size) != size)
        return std::nullopt;
      at += packed_block;
    }
    return data;
  }

  std::string_view head_;
  std::string_view appended_;
  bool appended_base64_;
  std::size_t file_size_;
  std::string where_;
  std::size_t header_bytes_ = 4;
  bool compressed_ = false;
};

}  // namespace furrow
