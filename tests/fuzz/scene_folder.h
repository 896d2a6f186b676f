// A folder with every file that the seeds of scenes and projects name, so that readers get past "no such
// file".
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "forward/base/json_file.h"

namespace furrow::fuzz {

inline PathRules scene_folder() {
  static const PathRules rules = [] {
    const auto folder =
        std::filesystem::temp_directory_path() / ("furrow-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    for (const char* name : {"skin.obj", "layout.txt", "names.json", "head.vtu", "mask.txt"})
      std::ofstream(folder / name) << "\n";
    std::ofstream(folder / "poses.csv") << "frame,gx,gy,gz\nleft,9.81,0,0\n";
    std::ofstream(folder / "scene.json")
        << R"({"furrow": 1, "model": "tet", "surface": {"mesh": "skin.obj", "unit": "mm"},
      "bones": [{"mesh": "skin.obj"}], "tissue": {"young": "5 kPa"}})";
    return PathRules{folder, false};
  }();
  return rules;
}

}  // namespace furrow::fuzz
