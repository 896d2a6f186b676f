// The potentials of the two surfaces and of gravity: the point laws of ligament.h, contact_sphere.h,
// friction.h and imls_surface.h, summed over surface points with reference area weights.
#pragma once

#include <memory>

#include "forward/potential/contact_sphere.h"
#include "forward/potential/imls_surface.h"
#include "forward/potential/ligament.h"
#include "forward/potential/potential.h"
#include "forward/potential/surface_points.h"

namespace furrow {

/// What the four surface potentials share: their second derivative is a sum over points of 3 x 3 matrices.
class SurfacePotential : public Potential {
 public:
  void add_hessian(const Positions& x, const StepInput&, bool projected, HessianSum&) const final;
  void add_hessian_product(const Positions& x, const StepInput&, const Positions& v,
                           Positions& out) const final;
  const SurfacePoints& points() const { return points_; }

 protected:
  explicit SurfacePotential(const SurfacePoints& points) : points_(points) {}
  /// Weight times d2psi/dx2 of every point; `projected`: its positive part.
  virtual std::vector<Mat3> point_hessians(const Positions& x, const StepInput&, bool projected) const = 0;
  const SurfacePoints& points_;
};

/// The inner surface is tied to its rest position; theta.ligament_stiffness and theta.ligament_b.
class LigamentPotential final : public SurfacePotential {
 public:
  LigamentPotential(const SurfacePoints& inner, LigamentVariant variant, double smoothing);
  std::string name() const override { return "ligament"; }
  PotentialValue value(const Positions& x, const StepInput&, Positions* gradient) const override;
  void add_gradient_jvp(const Positions& x, const StepInput&, const ShellState& dfrom,
                        const ShellTheta& dtheta, Positions& out) const override;
  void add_gradient_vjp(const Positions& x, const StepInput&, const Positions& lambda,
                        StepPullback& out) const override;

 private:
  std::vector<Mat3> point_hessians(const Positions& x, const StepInput&, bool projected) const override;
  Ligament law(const ShellTheta& theta, double b) const {
    return {variant_, theta.ligament_stiffness, b, smoothing_};
  }
  LigamentVariant variant_;
  double smoothing_;
};

/// The inner surface against the skull: gap = g(x) - g(X) (or g(x) alone, as published); theta.skull_penalty.
/// The skin may lift off; no friction.
class SkullPotential final : public SurfacePotential {
 public:
  SkullPotential(const SurfacePoints& inner, ImlsSurface skull, double ramp, bool subtract_rest_gap);
  std::string name() const override { return "skull"; }
  PotentialValue value(const Positions& x, const StepInput&, Positions* gradient) const override;
  void add_gradient_jvp(const Positions& x, const StepInput&, const ShellState& dfrom,
                        const ShellTheta& dtheta, Positions& out) const override;
  void add_gradient_vjp(const Positions& x, const StepInput&, const Positions& lambda,
                        StepPullback& out) const override;
  double deepest_penetration(const Positions& x) const;  ///< [mm] >= 0

 private:
  std::vector<Mat3> point_hessians(const Positions& x, const StepInput&, bool projected) const override;
  ImlsSurface skull_;
  double ramp_;
  VectorXd rest_gap_;
};

/// Spheres against the outer surface, theta.colliders.
class ContactPotential final : public SurfacePotential {
 public:
  ContactPotential(const SurfacePoints& outer, std::vector<double> ramps);
  std::string name() const override { return "contact"; }
  PotentialValue value(const Positions& x, const StepInput&, Positions* gradient) const override;
  void add_gradient_jvp(const Positions& x, const StepInput&, const ShellState& dfrom,
                        const ShellTheta& dtheta, Positions& out) const override;
  void add_gradient_vjp(const Positions& x, const StepInput&, const Positions& lambda,
                        StepPullback& out) const override;

  /// The sphere of collider c now; null radius stands for an absent one.
  SphereContact sphere(int c, const ColliderPose& pose, const ShellTheta& theta) const;
  /// Force of the skin on collider c [N].
  Vec3 force_on(int c, const Positions& x, const StepInput&) const;
  double deepest_penetration(const Positions& x, const StepInput&) const;  ///< [mm] >= 0

  /// What friction will remember of x under the poses `now` (zero for absent colliders), and its derivatives.
  std::vector<ContactLag> lag(const Positions& x, const Frame&, const ShellTheta&) const;
  std::vector<ContactLag> lag_jvp(const Positions& x, const Frame&, const ShellTheta&, const Positions& dx,
                                  const ShellTheta& dtheta) const;
  void add_lag_vjp(const Positions& x, const Frame&, const ShellTheta&, const std::vector<ContactLag>& bar,
                   Positions& x_bar, ShellTheta& theta_bar) const;
  std::vector<ContactLag> no_lag() const;

 private:
  std::vector<Mat3> point_hessians(const Positions& x, const StepInput&, bool projected) const override;
  std::vector<double> ramps_;
};

/// Lagged friction between the outer surface and the spheres. Slip in a frame, against the collider's own
/// motion:
///   u = x - c_now - R (x_start - c_before),  R = R_now R_before^T
class FrictionPotential final : public SurfacePotential {
 public:
  FrictionPotential(const SurfacePoints& outer, std::vector<double> slip_speeds);
  std::string name() const override { return "friction"; }
  PotentialValue value(const Positions& x, const StepInput&, Positions* gradient) const override;
  void add_gradient_jvp(const Positions& x, const StepInput&, const ShellState& dfrom,
                        const ShellTheta& dtheta, Positions& out) const override;
  void add_gradient_vjp(const Positions& x, const StepInput&, const Positions& lambda,
                        StepPullback& out) const override;
  Vec3 force_on(int c, const Positions& x, const StepInput&) const;  ///< of the skin on collider c [N]

 private:
  std::vector<Mat3> point_hessians(const Positions& x, const StepInput&, bool projected) const override;
  std::vector<double> slip_speeds_;
};

/// -density g . sum_a V_a (x_a - X_a), dead load per rest volume.
class GravityPotential final : public Potential {
 public:
  GravityPotential(VectorXd nodal_volume, Positions rest)
      : volume_(std::move(nodal_volume)), rest_(std::move(rest)) {}
  std::string name() const override { return "gravity"; }
  PotentialValue value(const Positions& x, const StepInput&, Positions* gradient) const override;
  void add_hessian(const Positions&, const StepInput&, bool, HessianSum&) const override {}
  void add_hessian_product(const Positions&, const StepInput&, const Positions&, Positions&) const override {}
  void add_gradient_jvp(const Positions& x, const StepInput&, const ShellState& dfrom,
                        const ShellTheta& dtheta, Positions& out) const override;
  void add_gradient_vjp(const Positions& x, const StepInput&, const Positions& lambda,
                        StepPullback& out) const override;

 private:
  VectorXd volume_;
  Positions rest_;
};

}  // namespace furrow
