// One head ready to be fitted: model, observations in the head frame, and the least-squares problem in
// optimiser coordinates.
//
// Residual of pose p at scan vertex v (THEORY 15, DESIGN 7.3 and 7.9):
//   d_pv = exp(omega_p) (W x_p(theta) + o)_v + t_p - observed_pv
// with the covariance sigma_p^2 delta_pq + sigma_n^2 between poses p, q of one vertex: the neutral scan's
// noise (sigma_n) is shared by all poses, since each is predicted as neutral + motion; the offset of the
// scanned surface is thereby eliminated (dx_p/d offset = 1 to first order). The residual vector is whitened
// by the Cholesky factor of that covariance.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/observation.h"
#include "calibrate/project.h"
#include "forward/tet_model.h"
#include "inverse/gravity_experiment.h"
#include "inverse/least_squares.h"
#include "inverse/parameter_map/coordinate.h"

namespace furrow {

/// An observation brought into the head frame.
struct HeadPose {
  std::string name;
  Use use = Use::fit;
  Positions points;           ///< scan vertices x 3 [mm], head frame (as aligned)
  std::vector<int> vertices;  ///< observed scan vertices
  Vec3 gravity;               ///< head frame (as aligned) [mm/s^2]
  double sigma = 0.1;         ///< [mm]
  bool sigma_is_auto = false;
  RobustLoss robust;
  std::optional<RigidMotionPrior> rigid;  ///< the small motion left over is a nuisance of the fit
  bool turns_gravity = false;  ///< the nuisance rotation turns gravity too (poses given in a world frame)
  double alignment_rms = 0;    ///< of the stable vertices [mm]; 0 in the head frame
};

struct HeadData {
  std::shared_ptr<TetModel> model;
  std::vector<HeadPose> poses;  ///< all observations of the project, in its order
  std::vector<ResolvedParameter> parameters;
  double neutral_sigma = 0;  ///< [mm]
  std::optional<double> smoothness;
  std::vector<std::string> warnings;
};

/// Reads scans, brings world poses into the head frame, resolves parameters. Throws InputError.
HeadData load_head(const Project& project, const ModelVariant& variant = {});
/// The same observations on another model of the same scan (model variants).
HeadData with_model(const HeadData& data, std::shared_ptr<TetModel> model);

/// Neighbouring clusters: those that share an edge of the scan (or a node of the mesh where labels are the
/// mesh's own).
std::vector<std::pair<int, int>> neighbouring_clusters(const TetModel& model);

/// Picks the listed scan vertices out of W: (3 vertices) x free dofs.
SparseRows rows_to_scan(const SparseRows& weights, const std::vector<int>& vertices, const DofMap& dofs);

class HeadProblem final : public LeastSquares {
 public:
  /// `free`: indices into data.parameters; `poses`: indices into data.poses. `values`: physical values of all
  /// parameters (free ones start there). The factor is shared by all problems on one model.
  HeadProblem(const HeadData& data, FrozenFactor& factor, std::vector<int> free, std::vector<int> poses,
              VectorXd values, RestMode rest = RestMode::inverse);

  int size() const override;
  int residual_count() const override { return data_rows_ + prior_rows_; }
  std::optional<ResidualValue> evaluate(const VectorXd& p, bool with_jacobian) override;
  std::optional<ValueGradient> evaluate_gradient(const VectorXd& p) override;

  VectorXd start_coordinates() const;           ///< of `values`, nuisances zero
  VectorXd values_at(const VectorXd& p) const;  ///< physical values of all parameters
  TissueTheta theta_at(const VectorXd& p) const;
  int data_rows() const { return data_rows_; }
  int free_count() const { return static_cast<int>(free_.size()); }
  const std::vector<int>& free() const { return free_; }
  const std::vector<int>& poses() const { return poses_; }
  /// d log(parameter) / dp of the free parameters (d parameter / dp for Poisson's ratio), to turn columns
  /// into log parameters.
  VectorXd log_derivatives(const VectorXd& p) const;

  const ExperimentSolution* solution() const {
    return solution_ ? &*solution_ : nullptr;
  }  ///< of the last evaluation
  /// Unwhitened misfit of pose k (index into poses()) at the last evaluation, its observed vertices x 3 [mm].
  Positions misfit(int k, const VectorXd& p) const;
  /// rms over the observed vertices and poses of d(surface)/d log parameter of an unwhitened Jacobian [mm];
  /// per free parameter.
  VectorXd effect_sizes(const VectorXd& p);

  const ExperimentStart& start() const { return start_; }
  void restore(ExperimentStart start) {
    start_ = std::move(start);
    solution_.reset();
  }
  std::string last_failure() const { return failure_; }
  const GravityExperiment& experiment() const { return experiment_; }
  void set_krylov_tolerance(double tolerance) {
    experiment_.krylov.tolerance = tolerance;
  }  ///< of derivatives
  int forward_solves() const { return forward_solves_; }

 private:
  struct PoseRows {
    int first = 0;       ///< row of its first residual
    SparseRows to_scan;  ///< (3 observed vertices) x free dofs
    int rigid = -1;      ///< first coordinate of its nuisance, -1 none
    Vec3 pivot = Vec3::Zero();
  };
  struct Motion {
    Vec3 omega, translation;
  };

  const HeadPose& pose(int k) const { return data_.poses[poses_[k]]; }
  Motion motion(int k, const VectorXd& p) const;
  std::vector<Vec3> gravities_at(const VectorXd& p) const;
  bool solve(const VectorXd& p);
  Positions predicted(int k) const;  ///< observed vertices x 3, before the nuisance motion
  void whiten(MatrixXd& rows) const;
  void whiten_transposed(VectorXd& rows) const;
  VectorXd data_residual(const VectorXd& p) const;  ///< not whitened
  MatrixXd data_jacobian(const VectorXd& p);        ///< not whitened
  void apply_robust(VectorXd& residual, MatrixXd* jacobian) const;
  void prior_rows(const VectorXd& p, VectorXd& residual, MatrixXd* jacobian) const;
  MatrixXd theta_by_coordinates(const VectorXd& p) const;  ///< |theta| x free coordinates
  void set_up_rows();
  void set_up_whitening();

  const HeadData& data_;
  FrozenFactor& factor_;
  std::vector<int> free_, poses_;
  VectorXd values_;
  std::vector<CoordinateMap> maps_;
  GravityExperiment experiment_;
  std::vector<PoseRows> rows_;
  int data_rows_ = 0, prior_rows_ = 0, rigid_count_ = 0;
  std::vector<std::vector<int>> whitening_groups_;  ///< rows (component 0) of one vertex's poses
  std::vector<int> group_kind_;
  std::vector<MatrixXd> inverse_cholesky_;
  std::vector<std::pair<int, int>> neighbours_;  ///< pairs of coordinates under the smoothness prior
  VectorXd row_sigma_;
  ExperimentStart start_;
  std::optional<ExperimentSolution> solution_;
  VectorXd solved_p_;
  std::string failure_;
  int forward_solves_ = 0;
};

}  // namespace furrow
