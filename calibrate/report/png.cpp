// PNG (ISO/IEC 15948): signature, then chunks of length, name, data, CRC; 8-bit RGB, one zlib stream of rows
// that each begin with their filter (0: none).
#include <zlib.h>

#include "calibrate/report/picture.h"
#include "forward/base/error.h"

namespace furrow {

namespace {

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string chunk(const std::string& name, const std::string& data) {
  const std::string body = name + data;
  const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(static_cast<std::uint32_t>(crc));
}

std::string packed(const std::string& bytes) {
  uLongf size = ::compressBound(bytes.size());
  std::string out(size, '\0');
  const int status =
      ::compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                  bytes.size(), Z_BEST_COMPRESSION);
  require(status == Z_OK, "to_png: zlib failed");
  out.resize(size);
  return out;
}

}  // namespace

std::string to_png(const Picture& picture) {
  const std::size_t row = 3 * static_cast<std::size_t>(picture.width);
  std::string rows;
  for (int y = 0; y < picture.height; ++y) {
    rows += '\0';
    rows.append(reinterpret_cast<const char*>(picture.rgb.data()) + y * row, row);
  }
  const std::string header = big_endian(static_cast<std::uint32_t>(picture.width)) +
                             big_endian(static_cast<std::uint32_t>(picture.height)) +
                             std::string("\x08\x02\x00\x00\x00", 5);
  return std::string("\x89PNG\r\n\x1a\n") + chunk("IHDR", header) + chunk("IDAT", packed(rows)) +
         chunk("IEND", "");
}

}  // namespace furrow
