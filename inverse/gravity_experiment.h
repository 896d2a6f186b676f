// One head under several gravity directions: theta -> rest shape X -> equilibria x_1 .. x_P, with the exact
// derivative of the whole chain in both directions.
//
//   rest known     X given                      dx_p = -K_p^-1 r_theta,p dtheta
//   rest inverse   r(x_neutral, X, theta) = 0   dX = -D_n^-1 r_theta,n dtheta,  dx_p = -K_p^-1 (r_theta,p
//   dtheta + D_p dX) adjoint        lambda_p = K_p^-1 xbar_p,  Xbar = -sum D_p' lambda_p,  nu = D_n^-T Xbar,
//                  thetabar = -sum r_theta,p' lambda_p - r_theta,n' nu
#pragma once

#include <string>
#include <vector>

#include "forward/compiled_scene.h"
#include "forward/solve/equilibrium.h"
#include "forward/solve/frozen_factor.h"
#include "forward/solve/krylov.h"

namespace furrow {

enum class RestMode {
  known,   ///< X = the scene's reference positions
  inverse  ///< the scene's reference positions are the neutral equilibrium
};

struct GravityCase {
  RestMode rest = RestMode::inverse;
  Vec3 neutral_gravity{0, -9810, 0};  ///< of the scan [mm/s^2]; used when rest is inverse
  std::vector<Vec3> gravities;        ///< per pose, head frame [mm/s^2]
};

/// Where an evaluation starts, recorded so that it can be repeated to the last digit.
struct ExperimentStart {
  TissueTheta factor_theta;  ///< stiffnesses of the frozen factor; no clusters: none yet
  Positions X;               ///< 0 rows: the reference
  std::vector<Positions> x;  ///< empty: X
};

struct ExperimentSolution {
  TissueTheta theta;
  Positions X;
  std::vector<Positions> x;
  bool ok = false;
  std::string failure;  ///< which pose, and why
  int iterations = 0;   ///< of all solves
  double smallest_j = 1;
  double largest_residual = 0;
};

struct ExperimentTangent {
  MatrixXd X;               ///< free dofs x columns; empty when the rest shape is known
  std::vector<MatrixXd> x;  ///< per pose: free dofs x columns
};

struct ExperimentPullback {
  VectorXd theta;             ///< |theta|, zero where not asked for
  std::vector<Vec3> gravity;  ///< per pose
  Positions X;                ///< gradient by a free rest shape (rest known): n x 3, fixed nodes held
};

class GravityExperiment {
 public:
  GravityExperiment(const CompiledScene&, GravityCase, const EquilibriumOptions&);

  const CompiledScene& scene() const { return scene_; }
  const GravityCase& gravity_case() const { return case_; }
  int pose_count() const { return static_cast<int>(case_.gravities.size()); }

  /// `factor` is made to fit theta first, starting from start.factor_theta, so that the result depends on
  /// (theta, start) only.
  ExperimentSolution solve(const TissueTheta&, const ExperimentStart&, FrozenFactor& factor) const;
  /// The same with other gravities for the poses (the nuisance rotation of a pose turns its gravity).
  ExperimentSolution solve(const TissueTheta&, const ExperimentStart&, FrozenFactor&,
                           const std::vector<Vec3>& gravities) const;
  /// Solves with X given instead (free rest shape of the `seed` scheme).
  ExperimentSolution solve_at_rest(const TissueTheta&, const Positions& X, const ExperimentStart&,
                                   FrozenFactor&) const;

  /// Columns: the listed components of theta, then, for each pose with `with_gravity`, the three components
  /// of its own gravity (columns that the other poses do not have).
  ExperimentTangent tangent(const ExperimentSolution&, const std::vector<Vec3>& gravities,
                            const std::vector<int>& which, const std::vector<bool>& with_gravity,
                            const FrozenFactor&) const;
  /// `bars`: dJ/dx_p over the free dofs.
  ExperimentPullback pullback(const ExperimentSolution&, const std::vector<Vec3>& gravities,
                              const std::vector<VectorXd>& bars, const std::vector<int>& which,
                              const FrozenFactor&) const;

  ExperimentStart start_from(const ExperimentSolution&, const FrozenFactor&) const;

  KrylovOptions krylov{1e-8, 300};  ///< of derivatives; gradient checks ask for more

 private:
  ExperimentSolution solve_poses(ExperimentSolution, const ExperimentStart&, const FrozenFactor&,
                                 const std::vector<Vec3>&) const;
  void prepare(FrozenFactor&, const TissueTheta&, const ExperimentStart&) const;

  const CompiledScene& scene_;
  GravityCase case_;
  EquilibriumOptions options_;
};

}  // namespace furrow
