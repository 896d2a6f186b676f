// Which vertices of a scan move rigidly with the skull, when nobody says so.
//
// Soft tissue moves smoothly by 0.5-3 mm; stable vertices (the rim of a patch, a forehead) by nothing, and
// they are a minority. So the search looks for the rigid motion under which some vertices agree *at noise
// level*, and among such sets takes the one that pins the motion best: score = rms standard deviation of all
// vertices' positions implied by the set. A compact piece of cheek that moves as a block can also agree at
// noise level, but pins the motion badly.
#pragma once

#include <vector>

#include "forward/base/rigid_motion.h"
#include "forward/base/types.h"

namespace furrow {

using Mat6 = Eigen::Matrix<double, 6, 6>;

/// Indices of the k nearest points to each point, itself first; n x min(k, n).
Elements nearest_neighbours(const Positions& points, int k);

/// Noise of a displacement field per coordinate [mm]: what a local affine function of the neighbours cannot
/// explain (median over vertices).
double neighbour_noise(const Positions& points, const Positions& displacement, const Elements& neighbours);

/// Sum of w_i J_i'J_i, J_i = [-[x_i]x, I]: information of a rigid motion (omega, tau) on weighted points at
/// unit noise.
Mat6 motion_information(const Positions& points, const VectorXd& weights);

/// Redescending weights (1 - (r/c)^2)^2, zero beyond c, of residual lengths.
VectorXd tukey_weights(const VectorXd& residual_lengths, double cutoff);

struct StableSearch {
  Elements neighbours;
  double noise = 0.05;  ///< standard deviation of `to - from` per coordinate [mm]
  int subsets = 300;
  unsigned seed = 1;
};

/// Weights of the vertices that move rigidly from `from` to `to`.
VectorXd find_stable_vertices(const Positions& from, const Positions& to, const StableSearch& search);

/// Weights of the given vertices when a rigid motion explains them at noise level, else an empty vector.
VectorXd stable_if_rigid(const Positions& from, const Positions& to, const std::vector<int>& candidates,
                         double noise);

}  // namespace furrow
