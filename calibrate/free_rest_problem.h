// The objective of the paper's scheme: stiffness and a free rest shape, with gradients by the adjoint.
#pragma once

#include <optional>
#include <vector>

#include "calibrate/head_fit.h"

namespace furrow {

class FreeRestProblem {
 public:
  /// `poses`: indices into data.poses; the neutral scan is observed too, over the same vertices as the first
  /// of them.
  FreeRestProblem(const HeadData& data, FrozenFactor& factor, const std::vector<int>& poses,
                  const TissueTheta& prior_theta, const Positions& prior_rest, double alpha);

  struct Value {
    double cost = 0;  ///< whitened by sigma, prior included
    VectorXd young;   ///< by E
    VectorXd rest;    ///< by X over the free dofs
  };
  /// `neutral_only`: the single pose of the first stage.
  std::optional<Value> evaluate(const TissueTheta& theta, const Positions& X, bool neutral_only);
  /// Misfit of pose k (0: the neutral) at the last evaluation, three coordinates a vertex [mm].
  VectorXd misfit(int k) const;
  double sigma(int k) const { return observed_[k].sigma; }
  int pose_count() const { return static_cast<int>(observed_.size()); }

  /// Columns of d(whitened misfit)/d log E, and products with d/dX and its transpose, at the last evaluation
  /// with all poses.
  MatrixXd jacobian_by_log_young(const std::vector<int>& clusters) const;
  MatrixXd multiply_rest(const MatrixXd& v) const;  ///< free dofs x n to residuals x n
  MatrixXd multiply_rest_transposed(const MatrixXd& r) const;
  const FrozenFactor& factor() const { return factor_; }
  double alpha() const { return alpha_; }

 private:
  struct Observed {
    SparseRows to_scan;
    VectorXd offset;  ///< o - observed, 3 vertices
    double sigma;
  };

  const HeadData& data_;
  FrozenFactor& factor_;
  GravityExperiment all_, neutral_;
  std::vector<Observed> observed_;
  TissueTheta prior_theta_;
  Positions prior_rest_;
  double alpha_;
  ExperimentStart start_;
  ExperimentSolution solution_;
};

}  // namespace furrow
