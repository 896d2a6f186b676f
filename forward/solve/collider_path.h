// The prescribed motion of a collider, read from finger.csv:
//
//   time_s,x_mm,y_mm,z_mm[,radius_mm][,rx_rad,ry_rad,rz_rad],present
//
// (x, y, z and radius without a suffix are read as mm; position, radius and rotation may be empty where
// present = 0). Between two rows the centre and the radius are interpolated linearly, the rotation along the
// shortest arc.
#pragma once

#include <filesystem>
#include <vector>

#include <Eigen/Geometry>

#include "forward/base/types.h"
#include "forward/potential/collider_pose.h"

namespace furrow {

class ColliderPath {
 public:
  /// A table without a radius column takes `radius` [mm]. Throws InputError (file and line): a number that is
  /// none or not finite, times that do not ascend, a column missing, unknown or there twice, an empty cell or
  /// a radius
  /// <= 0 where the collider is present, present neither 0 nor 1, no rows.
  static ColliderPath read(const std::filesystem::path& file, double radius);

  /// The pose at t [s]. Present between two rows only where it is so in both; a time within 1e-9 s of a row
  /// is that row alone. Before the first row the first stands, after the last row the last.
  ColliderPose at(double t) const;

  double first_time() const { return times_.front(); }  ///< [s]
  double last_time() const { return times_.back(); }    ///< [s]

 private:
  struct Sample {
    bool present;
    Vec3 centre;
    Eigen::Quaterniond rotation;
    double radius;
  };
  ColliderPath() = default;

  std::vector<double> times_;
  std::vector<Sample> samples_;
};

}  // namespace furrow
