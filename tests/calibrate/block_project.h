// A block of two clusters under three gravities with known stiffnesses: a project that is fitted in a second.
#pragma once

#include <fmt/format.h>

#include <random>

#include "calibrate/simulate.h"
#include "forward/base/mesh_io.h"
#include "forward/scene_io.h"
#include "tests/cli/block_scene.h"

namespace furrow::testing {

struct BlockTruth {
  double left = 3.0, right = 6.0;  ///< [kPa]
  double noise = 0.01;             ///< per coordinate [mm]
  double start_factor = 3.0;       ///< of both stiffnesses, where the fit starts
  std::string more;                ///< further keys of project.json, with a comma in front
};

/// block.obj, layout.txt and a scene with the two stiffnesses.
inline std::filesystem::path write_block_clusters(const TemporaryFolder& folder, const std::string& name,
                                                  double left, double right) {
  folder.write("block.obj", block_obj(4));
  const SurfaceMesh block = read_surface(folder.path() / "block.obj");
  std::string layout;
  for (int v = 0; v < block.vertex_count(); ++v) layout += block.vertices(v, 0) < 59 ? "1\n" : "2\n";
  folder.write("layout.txt", layout);
  folder.write("names.json", R"({"1": "left", "2": "right"})");
  return folder.write(name, fmt::format(R"({{ "furrow": 1, "model": "tet",
    "surface": {{"mesh": "block.obj", "unit": "mm"}}, "volume": {{"mesh": "block.obj", "fixed": ["base"]}},
    "tet": {{"size": "30 mm"}},
    "tissue": {{"poisson": 0.45, "clusters": {{"layout": "layout.txt", "names": "names.json",
      "young": {{"left": "{} kPa", "right": "{} kPa"}}}}}},
    "poses": [{{"name": "left", "gravity": ["9.81 m/s^2", "0 m/s^2", "0 m/s^2"]}},
              {{"name": "front", "gravity": ["0 m/s^2", "0 m/s^2", "9.81 m/s^2"]}},
              {{"name": "turned", "gravity": ["0 m/s^2", "9.81 m/s^2", "0 m/s^2"]}}] }})",
                                        left, right));
}

/// Simulates the truth, adds noise, and writes project.json: left and front are fitted, turned is held out.
inline std::filesystem::path write_block_project(const TemporaryFolder& folder,
                                                 const BlockTruth& truth = {}) {
  const TetModel model =
      build_tet_model(read_scene(write_block_clusters(folder, "truth.json", truth.left, truth.right)));
  const Simulation simulation = simulate(model, [](double, const std::string&) { return true; });
  std::mt19937 generator(3);
  std::normal_distribution<double> normal(0, 1);
  std::string observations;
  for (const SimulatedPose& pose : simulation.poses) {
    SurfaceMesh scan = model.scan;
    scan.vertices = model.scan_positions(pose.equilibrium.x);
    for (double& v : scan.vertices.reshaped()) v += truth.noise * normal(generator);
    write_surface(folder.path() / (pose.pose.name + ".obj"), scan);
    const Vec3 g = pose.pose.gravity / 1000;
    observations += fmt::format(
        R"({}{{"name": "{}", "kind": "mesh", "mesh": "{}.obj", "sigma": "{} mm", "use": "{}",
      "gravity": ["{} m/s^2", "{} m/s^2", "{} m/s^2"]}})",
        observations.empty() ? "" : ", ", pose.pose.name, pose.pose.name, std::max(truth.noise, 1e-3),
        pose.pose.name == "turned" ? "holdout" : "fit", g[0], g[1], g[2]);
  }
  write_block_clusters(folder, "scene.json", truth.start_factor * truth.left,
                       truth.start_factor * truth.right);
  return folder.write("project.json",
                      fmt::format(R"({{ "furrow": 1, "subject": "block", "scene": "scene.json",
    "observations": [{}],
    "parameters": [{{"name": "tissue.young.*", "range": ["0.1 kPa", "500 kPa"]}}]{} }})",
                                  observations, truth.more));
}

}  // namespace furrow::testing
