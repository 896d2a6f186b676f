// A scene and a project on a tetrahedron, with every file they name.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "forward/base/error.h"
#include "tests/support/temporary_folder.h"

namespace furrow::testing {

using Json = nlohmann::ordered_json;

/// Four vertices, 150 mm apart.
inline const char* kTetrahedronObj =
    "v 0 0 0\nv 150 0 0\nv 0 150 0\nv 0 0 150\n"
    "g skin\nf 1 3 2\nf 1 2 4\ng skull\nf 2 3 4\nf 1 4 3\n";

class SmallProject : public ::testing::Test {
 protected:
  SmallProject() {
    folder_.write("skin.obj", kTetrahedronObj);
    folder_.write("skull.obj", kTetrahedronObj);
    folder_.write("left.obj", "v 0 1 0\nv 150 0 0\nv 0 150 0\nv 0 0 150\n");
    folder_.write("layout.txt", "1\n1\n2\n2\n");
    folder_.write("names.json", R"({"1": "nose", "2": "chin"})");
    folder_.write("mask.txt", "1\n1\n1\n0\n");
  }

  static Json scene_json() {
    return Json::parse(R"({
      "furrow": 1, "model": "tet",
      "surface": {"mesh": "skin.obj", "unit": "mm"},
      "volume": {"mesh": "skin.obj", "fixed": ["skull"]},
      "tet": {"size": "5 mm", "order": 1},
      "tissue": {"clusters": {"layout": "layout.txt", "names": "names.json", "young": {"nose": "3 kPa", "*": "7.1 kPa"}}}
    })");
  }

  static Json project_json() {
    return Json::parse(R"({
      "furrow": 1, "scene": "scene.json",
      "observations": [
        {"name": "left", "kind": "mesh", "mesh": "left.obj", "sigma": "0.05 mm",
         "gravity": ["9.81 m/s^2", "0 m/s^2", "0 m/s^2"]},
        {"name": "prone", "kind": "mesh", "mesh": "left.obj", "sigma": "auto", "use": "holdout",
         "gravity": ["0 m/s^2", "0 m/s^2", "9.81 m/s^2"]}
      ]
    })");
  }

  std::filesystem::path write(const std::string& name, const Json& json) {
    return folder_.write(name, json.dump(2));
  }

  TemporaryFolder folder_;
};

/// Runs `read` and expects an InputError whose message holds every part.
template <class Read>
void expect_refused(Read read, std::initializer_list<const char*> parts) {
  try {
    read();
    ADD_FAILURE() << "accepted, where it should say: " << *parts.begin();
  } catch (const InputError& e) {
    for (const char* part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos)
          << "\"" << part << "\" missing in: " << e.what();
  }
}

}  // namespace furrow::testing
