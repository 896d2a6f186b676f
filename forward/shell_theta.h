// The physical parameters theta of a shell scene, in internal units. The same type holds values,
// differentials (tangent) and derivatives of an objective (adjoint): theta is a point or a covector of one
// vector space.
#pragma once

#include <string>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

struct LayerTheta {
  double young = 0;  ///< instantaneous [MPa]
  double poisson = 0;
  double stiffening = 0;       ///< C
  double steady_fraction = 0;  ///< mu_inf / mu
  VectorXd times;              ///< tau_k [s], one a branch of this layer
  VectorXd weights;            ///< shares of 1 - steady_fraction
  Eigen::Vector2d prestretch = Eigen::Vector2d::Zero();
};

struct ColliderTheta {
  double penalty = 0;          ///< kappa [MPa/mm]
  double friction = 0;         ///< mu
  double radius_change = 0;    ///< added to the path's radius [mm]
  Vec3 offset = Vec3::Zero();  ///< added to the path's centre [mm]
};

struct ShellTheta {
  std::vector<LayerTheta> layers;
  double ligament_stiffness = 0;  ///< k [MPa], [MPa/mm] for the quadratic variant
  VectorXd ligament_b;            ///< per inner node [1/mm] ([1/mm^2])
  double skull_penalty = 0;       ///< [MPa/mm]
  std::vector<ColliderTheta> colliders;
  double density = 0;  ///< [t/mm^3]

  int size() const;
  VectorXd flat() const;
  /// The inverse of flat() for a theta of this shape.
  ShellTheta like(const VectorXd& flat) const;
  ShellTheta zero() const { return like(VectorXd::Zero(size())); }
};

/// A name for every entry of flat(): "layers.soft.young", "ligaments.stiffness", "ligaments.b.3",
/// "colliders.index.friction", ...
std::vector<std::string> theta_names(const ShellTheta& theta, const std::vector<std::string>& layers,
                                     const std::vector<std::string>& colliders);

}  // namespace furrow
