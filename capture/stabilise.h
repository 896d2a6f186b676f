// Stabilisation: scans taken in a scanner's world frame are brought to one head frame.
//
// A pose scan differs from the neutral scan by the head's rigid motion and by the soft tissue's own
// displacement. Only the first is wanted, so the motion is estimated from the vertices that move least. In
// this order: all of a given mask, when one rigid motion explains them at noise level; the boundary of the
// scan (within the mask), when one explains it; a minority found robustly (stable_set.h, within the mask).
// The estimate comes with its covariance, the prior of the small rigid nuisance that a fit keeps per pose.
#pragma once

#include <vector>

#include "forward/base/rigid_motion.h"
#include "forward/base/types.h"

namespace furrow {

struct StabiliseOptions {
  std::vector<bool> stable{};  ///< per vertex: where stable vertices may be found; empty: anywhere
  bool trust_mask = false;     ///< least squares over the whole mask, whatever it says
  Triangles triangles{};       ///< of the scan, for its boundary; may be empty
  double noise =
      0;  ///< standard deviation of pose - neutral per coordinate [mm]; 0: estimated from neighbours
  int subsets = 300;  ///< random starts of the search
  unsigned seed = 1;
};

enum class StableSource { mask, boundary, search };

struct Stabilised {
  RigidMotion head_from_world;
  Positions aligned;      ///< the pose in the head frame, n x 3 [mm]
  VectorXd weights;       ///< per vertex in [0, 1], n
  double stable_rms = 0;  ///< of aligned - neutral per coordinate, over the weights [mm]
  double noise = 0;       ///< standard deviation per coordinate, given or estimated [mm]
  int stable_count = 0;   ///< vertices of weight above 1/2
  StableSource source = StableSource::search;
  /// Of (omega, tau) in  x_head = exp(omega) aligned + tau: rotation about the head frame's origin [rad],
  /// translation [mm]. From the scatter of the stable vertices; for those that a search found, as if five of
  /// them were independent, since soft tissue that creeps by less than its noise looks stable.
  Eigen::Matrix<double, 6, 6> covariance;
};

/// `neutral` (head frame) and `pose` (world frame), n x 3 in the same vertex order [mm]. Deterministic for a
/// given seed. Throws std::logic_error when counts differ, for fewer than 10 vertices, or when fewer than 10
/// are stable.
Stabilised stabilise(const Positions& neutral, const Positions& pose, const StabiliseOptions& options = {});

/// Standard deviation of a vertex's position that the covariance implies, rms over `points` (head frame)
/// [mm].
double position_deviation(const Eigen::Matrix<double, 6, 6>& covariance, const Positions& points);

/// The world's gravity as the head felt it in this pose [any unit, kept].
Vec3 gravity_in_head(const RigidMotion& head_from_world, const Vec3& gravity_world);

}  // namespace furrow
