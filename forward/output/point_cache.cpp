#include "forward/output/point_cache.h"

#include <bit>
#include <cstdint>
#include <string>

#include "forward/base/error.h"
#include "forward/base/text_file.h"

namespace furrow {
namespace {

static_assert(std::endian::native == std::endian::little,
              "PC2 is little-endian and is written from memory as it is");

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

void write_point_cache(const std::filesystem::path& file, const std::vector<Positions>& frames,
                       double first_frame, double sample_rate) {
  if (file.extension() != ".pc2")
    throw InputError(file.string(), "point caches are written as .pc2; change the extension");
  require(!frames.empty(), "write_point_cache: no frames");
  for (const Positions& frame : frames) {
    require(frame.rows() == frames.front().rows(), "write_point_cache: a frame has another number of points");
    require(frame.allFinite(), "write_point_cache: a position is not finite");
  }
  std::string bytes("POINTCACHE2\0", 12);
  append<std::int32_t>(bytes, 1);
  append<std::int32_t>(bytes, static_cast<std::int32_t>(frames.front().rows()));
  append<float>(bytes, static_cast<float>(first_frame));
  append<float>(bytes, static_cast<float>(sample_rate));
  append<std::int32_t>(bytes, static_cast<std::int32_t>(frames.size()));
  for (const Positions& frame : frames)
    for (int i = 0; i < frame.size(); ++i) append<float>(bytes, static_cast<float>(frame.data()[i]));
  write_text_atomically(file, bytes);
}

}  // namespace furrow
