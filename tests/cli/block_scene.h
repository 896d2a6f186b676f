// A block of 120 x 20 x 120 mm on a fixed bottom, with every file of a scene and a project that can be
// simulated in a moment.
#pragma once

#include <array>
#include <string>

#include "tests/support/temporary_folder.h"

namespace furrow::testing {

/// Closed boundary of the block as n x 1 x n cells; groups skin (top), wall and base (bottom).
inline std::string block_obj(int n) {
  std::string vertices, skin = "g skin\n", wall = "g wall\n", base = "g base\n";
  auto vertex = [&](int i, int j, int layer) { return 2 * (i * (n + 1) + j) + layer + 1; };
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      for (const char* y : {"0", "20"})
        vertices +=
            "v " + std::to_string(120.0 * i / n) + " " + y + " " + std::to_string(120.0 * j / n) + "\n";
  auto quad = [](int a, int b, int c, int d) {
    auto f = [](int p, int q, int r) {
      return "f " + std::to_string(p) + " " + std::to_string(q) + " " + std::to_string(r) + "\n";
    };
    return f(a, b, c) + f(a, c, d);
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      skin += quad(vertex(i, j, 1), vertex(i, j + 1, 1), vertex(i + 1, j + 1, 1), vertex(i + 1, j, 1));
      base += quad(vertex(i, j, 0), vertex(i + 1, j, 0), vertex(i + 1, j + 1, 0), vertex(i, j + 1, 0));
    }
  for (int k = 0; k < n; ++k) {
    wall += quad(vertex(k, 0, 0), vertex(k, 0, 1), vertex(k + 1, 0, 1), vertex(k + 1, 0, 0));
    wall += quad(vertex(k, n, 0), vertex(k + 1, n, 0), vertex(k + 1, n, 1), vertex(k, n, 1));
    wall += quad(vertex(0, k, 0), vertex(0, k + 1, 0), vertex(0, k + 1, 1), vertex(0, k, 1));
    wall += quad(vertex(n, k, 0), vertex(n, k, 1), vertex(n, k + 1, 1), vertex(n, k + 1, 0));
  }
  return vertices + skin + wall + base;
}

/// Writes block.obj and scene.json into the folder; returns the scene.
inline std::filesystem::path write_block_scene(const TemporaryFolder& folder,
                                               const std::string& solver = "{}",
                                               const std::string& young = "4 kPa") {
  folder.write("block.obj", block_obj(4));
  return folder.write("scene.json", R"({ "furrow": 1, "model": "tet",
    "surface": {"mesh": "block.obj", "unit": "mm"}, "volume": {"mesh": "block.obj", "fixed": ["base"]},
    "tet": {"size": "30 mm"}, "tissue": {"young": ")" +
                                        young + R"("},
    "poses": [{"name": "neutral", "gravity": ["0 m/s^2", "-9.81 m/s^2", "0 m/s^2"]},
              {"name": "side", "gravity": ["9.81 m/s^2", "0 m/s^2", "0 m/s^2"]}],
    "solver": )" + solver + " }");
}

}  // namespace furrow::testing
