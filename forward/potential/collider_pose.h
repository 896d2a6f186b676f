// Where a collider is.
#pragma once

#include "forward/base/types.h"

namespace furrow {

struct ColliderPose {
  bool present = false;              ///< false: lifted, nothing else counts
  Vec3 centre = Vec3::Zero();        ///< [mm]
  Mat3 rotation = Mat3::Identity();  ///< turns the collider from its pose at rotation vector 0
  double radius = 0;                 ///< [mm]
};

}  // namespace furrow
