// Implicit moving least squares distance to an oriented cloud (the skull = the inner surface at rest), THEORY
// 7:
//
//   g(x) = sum_i theta(|x - p_i|/h) n_i.(x - p_i) / sum_i theta(|x - p_i|/h)
//
// with the weight derivatives kept. Kernels: Wendland C2 (1-a)^4 (4a+1) (default), seed (1-a)^4 (a cone at
// every cloud point), r2_quartic (1 - a^2)^4. Normals point from bone to skin: g > 0 outside the bone.
#pragma once

#include <memory>

#include "forward/base/types.h"

namespace furrow {

enum class ImlsKernel { wendland, seed, r2_quartic };

struct ImlsValue {
  double g = 0;  ///< [mm]
  Vec3 gradient = Vec3::Zero();
  Mat3 hessian = Mat3::Zero();
};

class ImlsSurface {
 public:
  /// `points`, `normals`: n x 3; h [mm] > 0. Throws std::invalid_argument for sizes that differ or h <= 0.
  ImlsSurface(Positions points, Positions normals, double h, ImlsKernel kernel);
  ~ImlsSurface();
  ImlsSurface(ImlsSurface&&) noexcept;

  double h() const;
  /// Where no cloud point lies within h: the plane of the nearest one (THEORY 7), so that a point pushed
  /// deep does not fall through; on the outer side that is a positive gap, no contact.
  ImlsValue value(const Vec3& x, bool with_hessian = true) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// 2.5 x the mean distance of a cloud point to its nearest neighbours (the radius "auto").
double imls_radius(const Positions& points);

}  // namespace furrow
