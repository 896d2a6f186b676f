// Which vertices of a scan move rigidly with the skull, when nobody says so.
//
// Soft tissue moves smoothly by 0.5-3 mm; stable vertices (the rim of a patch, a forehead) by nothing, and
// they are a minority. So the search looks for the rigid motion under which some vertices agree *at noise
// level*, and among such sets takes the one that pins the motion best: score = rms standard deviation of all
// vertices' positions implied by the set. A compact piece of cheek that moves as a block can also agree at
// noise level, but pins the motion badly. Noise is independent between vertices and motion is not, so
// residuals are looked at after a local affine smoothing, which leaves every rigid motion as it is.
#pragma once

#include <vector>

#include "forward/base/rigid_motion.h"
#include "forward/base/types.h"

namespace furrow {

using Mat6 = Eigen::Matrix<double, 6, 6>;

/// Indices of the k nearest points to each point, itself first; n x min(k, n).
Elements nearest_neighbours(const Positions& points, int k);

/// `values` at each point by the affine function of position that fits its neighbours best.
struct LocalFit {
  Positions smoothed;  ///< n x 3; an affine function of the points is reproduced exactly
  VectorXd leverage;   ///< n; variance of a smoothed value over that of a raw one
  double noise =
      0;  ///< standard deviation per coordinate of what affine functions cannot explain (median over points)
};
LocalFit fit_locally(const Positions& points, const Positions& values, const Elements& neighbours);

/// Sum of w_i J_i'J_i, J_i = [-[x_i]x, I]: information of a rigid motion (omega, tau) on weighted points at
/// unit noise.
Mat6 motion_information(const Positions& points, const VectorXd& weights);

struct StableSearch {
  int subsets = 300;
  unsigned seed = 1;
};

/// Weights (Tukey's) of the vertices that move rigidly from `from` to `to`; `noise` per coordinate of a raw
/// `to - from` [mm]. Vertices outside `candidates` (ascending indices) get weight 0. All zero when nothing
/// agrees.
VectorXd find_stable_vertices(const Positions& from, const LocalFit& to, double noise,
                              const std::vector<int>& candidates, const StableSearch& search);

/// Weights 1 of the given vertices when one rigid motion explains them at noise level, else nothing (size 0).
VectorXd stable_if_rigid(const Positions& from, const Positions& to, const std::vector<int>& candidates,
                         double noise);

}  // namespace furrow
