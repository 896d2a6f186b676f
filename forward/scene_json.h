// What scene_write.cpp and shell_scene_write.cpp share.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "forward/base/units.h"
#include "forward/scene.h"

namespace furrow {

using SceneJson = nlohmann::ordered_json;

inline SceneJson vector_json(const Vec3& v, const std::string& unit) {
  return SceneJson::array(
      {format_quantity(v[0], unit), format_quantity(v[1], unit), format_quantity(v[2], unit)});
}

/// Paths as the scene file names them.
class RelativeTo {
 public:
  explicit RelativeTo(const std::filesystem::path& scene_file)
      : folder_(std::filesystem::weakly_canonical(std::filesystem::absolute(scene_file).parent_path())) {}
  std::string operator()(const std::filesystem::path& file) const {
    return file.lexically_relative(folder_).generic_string();
  }

 private:
  std::filesystem::path folder_;
};

/// Adds mesh, layers, volumetric, ligaments, skull, colliders and time to `json`.
void add_shell_json(SceneJson& json, const ShellScene& shell, const RelativeTo& relative);

}  // namespace furrow
