// The bytes of one fuzz run as a file, and the only failure a reader may answer them with.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "forward/base/error.h"

namespace furrow::fuzz {

/// A file of this process with the given extension; in memory where the system has a folder for that.
inline std::filesystem::path input_file(const std::string& extension, const std::uint8_t* data,
                                        std::size_t size) {
  static const std::filesystem::path folder =
      std::filesystem::exists("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
  const auto file = folder / ("furrow-fuzz-" + std::to_string(::getpid()) + extension);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return file;
}

/// Calls `read(file)`; InputError is the right answer to bad bytes, anything else ends the run.
template <typename Read>
int run(const std::string& extension, const std::uint8_t* data, std::size_t size, Read read) {
  const auto file = input_file(extension, data, size);
  try {
    read(file);
  } catch (const InputError&) {
  }
  std::filesystem::remove(file);
  return 0;
}

}  // namespace furrow::fuzz
