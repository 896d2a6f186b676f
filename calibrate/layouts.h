// `furrow fit --layouts a.txt,b.txt`: which painting of clusters predicts the held-out poses best (the
// inversion paper, its comparison of layouts). Every layout is fitted in a folder of its own and validated
// there.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "calibrate/fit.h"

namespace furrow {

/// The project with another layout. Names of its clusters come from <stem>_names.json beside it, where that
/// exists; every cluster starts at the geometric mean of the scene's stiffnesses. InputError where the scene
/// has no clusters, or several scenes.
Project with_layout(const Project& project, const std::filesystem::path& layout);

struct RankedLayout {
  std::filesystem::path layout, folder;
  int clusters = 0;
  Termination termination = Termination::failed;
  std::string failure;    ///< why there is no error; empty when there is one
  double mean_error = 0;  ///< over all held-out observations [mm]
  double p95 = 0;
  double chi2_per_dof = 0;  ///< of the fit
};

struct LayoutRun {
  std::filesystem::path output;
  bool resume = false;
  PathRules rules;  ///< of the project, for the record in each folder
  std::function<bool(const std::filesystem::path& layout, const FitProgress&)> progress;
};

/// Best first; layouts without an error last. Writes OUTPUT/layouts.json. InputError before the first fit:
/// two layouts of one name, a layout that cannot be read, nothing held out.
std::vector<RankedLayout> rank_layouts(const Project& project,
                                       const std::vector<std::filesystem::path>& layouts,
                                       const LayoutRun& run);

}  // namespace furrow
