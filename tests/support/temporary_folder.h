// A folder that vanishes with the test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace furrow::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("furrow-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// ../shared beside the project (or $FURROW_SHARED); tests that need it are skipped where it is absent.
inline std::filesystem::path shared_folder() {
  if (const char* given = std::getenv("FURROW_SHARED")) return given;
  return std::filesystem::path(FURROW_SOURCE_DIR) / ".." / "shared";
}

}  // namespace furrow::testing
