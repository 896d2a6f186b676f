// Physics is a sum of potentials. Besides x a potential sees what a step starts from (history, friction's
// lag, the frame's start), the frame (time step, gravity, collider poses) and theta; it can push
// differentials of these through its gradient and pull cotangents back, so that nothing that moves in time
// escapes a derivative.
#pragma once

#include <limits>
#include <string>

#include "forward/assembly/hessian_sum.h"
#include "forward/potential/collider_pose.h"
#include "forward/shell_state.h"
#include "forward/shell_theta.h"

namespace furrow {

/// One time step of the scene.
struct Frame {
  double time = 0;  ///< at its end [s]
  double dt = 0;    ///< [s]; infinite: brought to rest, all branches relaxed
  /// Energy factor alpha^e of the Maxwell branches: e = 1 literal, 1/2 Strang.
  double viscous_exponent = 0.5;
  Vec3 gravity = Vec3::Zero();            ///< [mm/s^2]
  std::vector<ColliderPose> before, now;  ///< one a collider
};

/// What a step gives a potential besides x.
struct StepInput {
  const ShellState& from;
  const Frame& frame;
  const ShellTheta& theta;
};

/// Derivative of an objective by what a step starts from and by theta.
struct StepPullback {
  ShellState state;
  ShellTheta theta;
};

struct PotentialValue {
  double energy = 0;                                            ///< [N mm]; +inf where x is not admissible
  double smallest_j = std::numeric_limits<double>::infinity();  ///< smallest det F, where there is one
};

class Potential {
 public:
  virtual ~Potential() = default;
  virtual std::string name() const = 0;
  /// Adds dU/dx to `gradient` (n x 3 [N]) unless it is null.
  virtual PotentialValue value(const Positions& x, const StepInput&, Positions* gradient) const = 0;
  /// Adds d2U/dx2 [N/mm]; `projected`: made positive semi-definite point by point.
  virtual void add_hessian(const Positions& x, const StepInput&, bool projected, HessianSum&) const = 0;
  /// Adds d2U/dx2 v without the matrix, fixed dofs included.
  virtual void add_hessian_product(const Positions& x, const StepInput&, const Positions& v,
                                   Positions& out) const = 0;
  /// Adds the change of dU/dx, at fixed x, for a change of what the step starts from and of theta.
  virtual void add_gradient_jvp(const Positions& x, const StepInput&, const ShellState& dfrom,
                                const ShellTheta& dtheta, Positions& out) const = 0;
  /// Adds lambda' d(dU/dx)/d(from, theta).
  virtual void add_gradient_vjp(const Positions& x, const StepInput&, const Positions& lambda,
                                StepPullback& out) const = 0;
};

}  // namespace furrow
