// `furrow simulate`: the equilibria of a scene's poses, and the files that show them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "forward/solve/equilibrium.h"
#include "forward/tet_model.h"

namespace furrow {

struct SimulatedPose {
  Pose pose;
  Equilibrium equilibrium;
};

struct Simulation {
  Positions X;  ///< rest shape, nodes x 3 [mm]
  int rest_iterations = 0;
  double rest_residual = 0;          ///< |r| over |weight|; 0 where the rest shape is given
  std::vector<SimulatedPose> poses;  ///< empty when there is no rest shape
  std::string failure;               ///< what did not converge, in words; empty: all did
};

/// What is done so far (0 to 1) and what comes now; false stops before it.
using SimulationProgress = std::function<bool(double fraction, const std::string& next)>;

/// Rest shape as the scene says, then every pose from it: by Newton, or by L-BFGS with the frozen factor
/// ("lbfgs"; "auto" tries Newton on the poses where that fails).
Simulation simulate(const TetModel& model, const SimulationProgress& progress);

/// frames/<pose>.vtu (nodes at rest, `displacement` from there [mm]), surface/<pose>.obj (the scan's
/// vertices), animation.glb where the scan has triangles, and last summary.json, in `folder`. Returns the
/// summary file.
std::filesystem::path write_simulation(const std::filesystem::path& folder, const TetModel& model,
                                       const Simulation& simulation);

}  // namespace furrow
