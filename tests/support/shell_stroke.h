// A small patch of skin that a finger presses and drags, as files: what tests of `simulate` run.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/support/temporary_folder.h"

namespace furrow::testing {

/// What differs between the scenes of a test; the rest is a patch of 8 x 4 x 2 mm.
struct ShellStroke {
  std::string mesh =
      R"({"patch": {"cells": [2, 1], "size": ["8 mm", "4 mm"]}, "order": [2, 2], "thickness": "2 mm", "stack": "seed"})";
  std::string epidermis = R"("thickness": "0.1 mm", )";  ///< part of the layer
  std::string friction = "0.8";
  std::string boundary = R"("boundary": [{"nodes": "rim", "fix": "xyz"}],)";
  std::string time = R"("step": "1/24 s", "frames": 4)";
  std::string more;  ///< further keys of the scene, each with a comma behind it
  /// From just above the skin 0.3 mm into it, then 0.6 mm along x.
  std::string path =
      "time_s,x_mm,y_mm,z_mm,present\n0,0,0,3.01,1\n0.08333333333333333,0,0,2.7,1\n"
      "0.16666666666666666,0.6,0,2.7,1\n";
};

/// Writes finger.csv and scene.json into the folder; returns the scene.
inline std::filesystem::path write_shell_stroke(const TemporaryFolder& folder,
                                                const ShellStroke& stroke = {}) {
  folder.write("finger.csv", stroke.path);
  return folder.write("scene.json", fmt::format(R"({{ "furrow": 1, "model": "shell", "mesh": {},
  "layers": [{{"name": "epidermis", {}"young": "4 MPa", "steady_fraction": 0.2, "relaxation_times": ["1/12 s"]}},
             {{"name": "soft", "young": "20 kPa", "steady_fraction": 0.2, "relaxation_times": ["1/12 s"]}}],
  "colliders": [{{"name": "index", "radius": "3 mm", "penalty": "10 MPa/mm", "friction": {}, "path": "finger.csv"}}],
  {} {} "time": {{{}}} }})",
                                                stroke.mesh, stroke.epidermis, stroke.friction,
                                                stroke.boundary, stroke.more, stroke.time));
}

}  // namespace furrow::testing
