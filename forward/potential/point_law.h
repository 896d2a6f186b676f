// What happens at one point of a surface, per reference area: energy density psi(x) [N/mm], its gradient
// [MPa] and Hessian [MPa/mm] by the point's position x, and the derivative of the gradient by what the law
// depends on. Assembly over surface points is written once (surface_points.h); these are values and pure
// functions.
#pragma once

#include "forward/base/types.h"

namespace furrow {

struct PointValue {
  double energy = 0;
  Vec3 gradient = Vec3::Zero();
  Mat3 hessian = Mat3::Zero();
};

}  // namespace furrow
