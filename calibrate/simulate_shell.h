// `furrow simulate` of a shell scene: its frames through time, and the files that show them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "calibrate/shell_summary.h"
#include "forward/shell_model.h"

namespace furrow {

struct ShellSimulation {
  std::vector<ShellFrameSummary> frames;
  bool interrupted = false;
  std::string failure;  ///< the frame that failed and why, in words; empty: none did
  std::filesystem::path summary;
};

/// The frame just written (0 first) of how many, and how its equilibria went; false stops.
using ShellProgress = std::function<bool(int frame, int last, const StepReport&)>;

/// Simulates and writes into `folder`, which is made. As frames come: frames/NNNN.vtu (Lagrange wedges where
/// they are now; `displacement` [mm], `b`, `fixed`, `layer`), frames.pvd (their times) and surface/NNNN.obj
/// (the outer nodes, p^2 triangles a face), forces.csv where there are colliders. At the end, also of an
/// interrupted or failed run: animation.glb (at most 120 morph targets), animation.pc2, and last
/// summary.json. Files of these names from an earlier run in the folder are removed first.
ShellSimulation simulate_shell(const ShellModel& model, const std::filesystem::path& folder,
                               const ShellProgress& progress);

}  // namespace furrow
