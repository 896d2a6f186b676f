// A fit read back from the folder that `furrow fit` wrote: what `validate`, `export` and `report` start from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/head_fit.h"
#include "calibrate/run_record.h"

namespace furrow {

struct FittedHead {
  std::filesystem::path folder;
  Project project;
  HeadData data;                      ///< observations with the sigmas that the fit used
  TissueTheta theta;                  ///< calibrated
  Positions X;                        ///< calibrated rest shape, nodes x 3 [mm]
  std::vector<std::string> warnings;  ///< inputs that changed since the fit

  std::vector<int> poses(Use use) const;  ///< indices into data.poses
};

/// `record`: the project, where it is not the one that the folder remembers. InputError: no fit in the
/// folder, a fit without result, a project that is not the one that was fitted.
FittedHead read_fitted_head(const std::filesystem::path& folder, const std::optional<RunRecord>& record = {});

/// Positions of the scan's vertices in the listed poses, each vertices x 3 [mm].
struct Prediction {
  std::vector<Positions> surface;  ///< empty when a pose has no equilibrium
  std::vector<Positions> nodes;    ///< the mesh's, nodes x 3 [mm]
  std::string failure;
};
Prediction predict(const HeadData& data, const TissueTheta& theta, const Positions& X,
                   const std::vector<Vec3>& gravities);

}  // namespace furrow
