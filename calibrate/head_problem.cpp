#include <fmt/format.h>

#include <cmath>
#include <map>

#include "calibrate/head_fit.h"
#include "forward/base/error.h"
#include "forward/base/rigid_motion.h"
#include "inverse/linearized_equilibrium.h"
#include "inverse/rotation_derivative.h"

namespace furrow {

namespace {

enum class Role { cluster, scale, poisson };

struct ParameterRole {
  Role role;
  int cluster = -1;
};

ParameterRole role_of(const std::string& name, const TetModel& model) {
  if (name == "tissue.poisson") return {Role::poisson};
  if (name == "tissue.young") return {Role::scale};
  return {Role::cluster, model.cluster(name.substr(std::string("tissue.young.").size()))};
}

GravityCase gravity_case(const HeadData& data, const std::vector<int>& poses, RestMode rest) {
  GravityCase out{rest, data.model->scene.gravity, {}};
  for (const int p : poses) out.gravities.push_back(data.poses[p].gravity);
  return out;
}

EquilibriumOptions options_of(const Scene& scene) {
  return {scene.solver.tolerance, scene.solver.max_iterations, scene.solver.inversion_thresholding};
}

}  // namespace

SparseRows rows_to_scan(const SparseRows& weights, const std::vector<int>& vertices, const DofMap& dofs) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < vertices.size(); ++k)
    for (SparseRows::InnerIterator it(weights, vertices[k]); it; ++it)
      for (int c = 0; c < 3; ++c)
        if (const int dof = dofs.dof[3 * it.col() + c]; dof >= 0)
          entries.emplace_back(static_cast<int>(3 * k) + c, dof, it.value());
  SparseRows out(3 * static_cast<Eigen::Index>(vertices.size()), dofs.free_count);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

HeadProblem::HeadProblem(const HeadData& data, FrozenFactor& factor, std::vector<int> free,
                         std::vector<int> poses, VectorXd values, RestMode rest)
    : data_(data),
      factor_(factor),
      free_(std::move(free)),
      poses_(std::move(poses)),
      values_(std::move(values)),
      experiment_(*data.model->compiled, gravity_case(data, poses_, rest), options_of(data.model->scene)) {
  require(values_.size() == static_cast<Eigen::Index>(data.parameters.size()),
          "HeadProblem: one value a parameter");
  for (const int k : free_) {
    const ResolvedParameter& parameter = data.parameters[k];
    const bool poisson = parameter.name == "tissue.poisson";
    maps_.push_back({poisson ? MapKind::logit : MapKind::logit_of_log, parameter.range});
  }
  set_up_rows();
  set_up_whitening();
}

void HeadProblem::set_up_rows() {
  const TetModel& model = *data_.model;
  int coordinate = free_count();
  for (std::size_t k = 0; k < poses_.size(); ++k) {
    const HeadPose& at = pose(static_cast<int>(k));
    PoseRows rows;
    rows.first = data_rows_;
    rows.to_scan = rows_to_scan(model.attachment.weights, at.vertices, model.compiled->dofs());
    if (at.rigid) {
      rows.rigid = coordinate;
      coordinate += 6;
      for (const int v : at.vertices)
        rows.pivot += model.scan.vertices.row(v).transpose() / static_cast<double>(at.vertices.size());
    }
    data_rows_ += 3 * static_cast<int>(at.vertices.size());
    rows_.push_back(std::move(rows));
  }
  rigid_count_ = coordinate - free_count();
  prior_rows_ = rigid_count_;
  for (const int k : free_) prior_rows_ += data_.parameters[k].prior.has_value();
  if (data_.smoothness) {
    std::map<int, int> coordinate_of;
    for (int k = 0; k < free_count(); ++k) {
      const ParameterRole role = role_of(data_.parameters[free_[k]].name, model);
      if (role.role == Role::cluster) coordinate_of[role.cluster] = k;
    }
    for (const auto& [a, b] : neighbouring_clusters(model))
      if (coordinate_of.count(a) && coordinate_of.count(b))
        neighbours_.emplace_back(coordinate_of[a], coordinate_of[b]);
    prior_rows_ += static_cast<int>(neighbours_.size());
  }
}

void HeadProblem::set_up_whitening() {
  row_sigma_.resize(data_rows_);
  std::vector<std::vector<int>> rows_of(data_.model->scan.vertex_count());  // (row, pose) per vertex
  std::vector<std::vector<int>> poses_of_vertex(rows_of.size());
  for (std::size_t k = 0; k < poses_.size(); ++k) {
    const HeadPose& at = pose(static_cast<int>(k));
    for (std::size_t i = 0; i < at.vertices.size(); ++i) {
      const int row = rows_[k].first + static_cast<int>(3 * i);
      row_sigma_.segment<3>(row).setConstant(at.sigma);
      rows_of[at.vertices[i]].push_back(row);
      poses_of_vertex[at.vertices[i]].push_back(static_cast<int>(k));
    }
  }
  if (data_.neutral_sigma == 0) return;
  std::map<std::vector<int>, int> kinds;
  for (std::size_t v = 0; v < rows_of.size(); ++v) {
    if (rows_of[v].empty()) continue;
    const auto [kind, is_new] = kinds.emplace(poses_of_vertex[v], static_cast<int>(inverse_cholesky_.size()));
    if (is_new) {
      const Eigen::Index n = static_cast<Eigen::Index>(rows_of[v].size());
      MatrixXd covariance = MatrixXd::Constant(n, n, data_.neutral_sigma * data_.neutral_sigma);
      for (Eigen::Index i = 0; i < n; ++i) covariance(i, i) += std::pow(pose(poses_of_vertex[v][i]).sigma, 2);
      const MatrixXd lower = covariance.llt().matrixL();
      inverse_cholesky_.push_back(lower.triangularView<Eigen::Lower>().solve(MatrixXd::Identity(n, n)));
    }
    whitening_groups_.push_back(rows_of[v]);
    group_kind_.push_back(kind->second);
  }
}

void HeadProblem::whiten(MatrixXd& rows) const {
  if (whitening_groups_.empty()) {
    for (Eigen::Index c = 0; c < rows.cols(); ++c) rows.col(c).array() /= row_sigma_.array();
    return;
  }
  for (std::size_t g = 0; g < whitening_groups_.size(); ++g)
    for (int c = 0; c < 3; ++c) {
      const std::vector<int>& group = whitening_groups_[g];
      MatrixXd block(group.size(), rows.cols());
      for (std::size_t i = 0; i < group.size(); ++i) block.row(i) = rows.row(group[i] + c);
      block = (inverse_cholesky_[group_kind_[g]] * block).eval();
      for (std::size_t i = 0; i < group.size(); ++i) rows.row(group[i] + c) = block.row(i);
    }
}

void HeadProblem::whiten_transposed(VectorXd& rows) const {
  if (whitening_groups_.empty()) {
    rows.array() /= row_sigma_.array();
    return;
  }
  for (std::size_t g = 0; g < whitening_groups_.size(); ++g)
    for (int c = 0; c < 3; ++c) {
      const std::vector<int>& group = whitening_groups_[g];
      VectorXd block(group.size());
      for (std::size_t i = 0; i < group.size(); ++i) block[i] = rows[group[i] + c];
      block = (inverse_cholesky_[group_kind_[g]].transpose() * block).eval();
      for (std::size_t i = 0; i < group.size(); ++i) rows[group[i] + c] = block[i];
    }
}

int HeadProblem::size() const {
  return free_count() + rigid_count_;
}

VectorXd HeadProblem::start_coordinates() const {
  VectorXd p = VectorXd::Zero(size());
  for (int k = 0; k < free_count(); ++k) p[k] = maps_[k].to_coordinate(values_[free_[k]]);
  return p;
}

VectorXd HeadProblem::values_at(const VectorXd& p) const {
  VectorXd values = values_;
  for (int k = 0; k < free_count(); ++k) values[free_[k]] = maps_[k].to_physical(p[k]);
  for (int k = 0; k < free_count(); ++k) {  // a free scale moves every cluster in proportion
    if (data_.parameters[free_[k]].name != "tissue.young") continue;
    const double factor = values[free_[k]] / values_[free_[k]];
    for (std::size_t j = 0; j < data_.parameters.size(); ++j)
      if (data_.parameters[j].name.starts_with("tissue.young.")) values[j] *= factor;
  }
  return values;
}

TissueTheta HeadProblem::theta_at(const VectorXd& p) const {
  const VectorXd values = values_at(p);
  TissueTheta theta = data_.model->theta();
  double scale = 1;
  for (int k = 0; k < free_count(); ++k)
    if (data_.parameters[free_[k]].name == "tissue.young") scale = values[free_[k]] / values_[free_[k]];
  theta.young *= scale;  // clusters that are no parameters
  for (std::size_t j = 0; j < data_.parameters.size(); ++j) {
    const ParameterRole role = role_of(data_.parameters[j].name, *data_.model);
    if (role.role == Role::cluster) theta.young[role.cluster] = values[j];
    if (role.role == Role::poisson) theta.poisson = values[j];
  }
  return theta;
}

MatrixXd HeadProblem::theta_by_coordinates(const VectorXd& p) const {
  const TissueTheta theta = theta_at(p);
  MatrixXd out = MatrixXd::Zero(theta.size(), free_count());
  for (int k = 0; k < free_count(); ++k) {
    const ParameterRole role = role_of(data_.parameters[free_[k]].name, *data_.model);
    const double derivative = maps_[k].derivative(p[k]);
    if (role.role == Role::cluster)  // a free scale multiplies the cluster's own value
      out(role.cluster, k) = derivative * theta.young[role.cluster] / maps_[k].to_physical(p[k]);
    if (role.role == Role::poisson) out(theta.young.size(), k) = derivative;
    if (role.role == Role::scale)
      out.col(k).head(theta.young.size()) = theta.young * (derivative / maps_[k].to_physical(p[k]));
  }
  return out;
}

VectorXd HeadProblem::log_derivatives(const VectorXd& p) const {
  VectorXd out(free_count());
  for (int k = 0; k < free_count(); ++k)
    out[k] = maps_[k].derivative(p[k]) / (maps_[k].kind == MapKind::logit ? 1.0 : maps_[k].to_physical(p[k]));
  return out;
}

HeadProblem::Motion HeadProblem::motion(int k, const VectorXd& p) const {
  if (rows_[k].rigid < 0) return {Vec3::Zero(), Vec3::Zero()};
  return {pose(k).rigid->rotation * p.segment<3>(rows_[k].rigid),
          pose(k).rigid->translation * p.segment<3>(rows_[k].rigid + 3)};
}

std::vector<Vec3> HeadProblem::gravities_at(const VectorXd& p) const {
  std::vector<Vec3> gravities;
  for (std::size_t k = 0; k < poses_.size(); ++k) {
    const HeadPose& at = pose(static_cast<int>(k));
    // observed = exp(omega) head, so gravity in the head frame is exp(-omega) times that of the aligned frame
    gravities.push_back(at.turns_gravity
                            ? rotation_from_vector(-motion(static_cast<int>(k), p).omega) * at.gravity
                            : at.gravity);
  }
  return gravities;
}

bool HeadProblem::solve(const VectorXd& p) {
  if (solution_ && solved_p_ == p) return solution_->ok;
  solved_p_ = p;
  forward_solves_ += static_cast<int>(poses_.size());
  solution_ = experiment_.solve(theta_at(p), start_, factor_, gravities_at(p));
  if (!solution_->ok) failure_ = solution_->failure;
  return solution_->ok;
}

Positions HeadProblem::predicted(int k) const {
  const Positions all = data_.model->scan_positions(solution_->x[k]);
  Positions out(pose(k).vertices.size(), 3);
  for (std::size_t i = 0; i < pose(k).vertices.size(); ++i) out.row(i) = all.row(pose(k).vertices[i]);
  return out;
}

Positions HeadProblem::misfit(int k, const VectorXd& p) const {
  require(solution_ && solution_->ok, "misfit: nothing is solved");
  Positions d = predicted(k);
  const Motion m = motion(k, p);
  const Mat3 R = rotation_from_vector(m.omega);
  for (Eigen::Index i = 0; i < d.rows(); ++i) {
    const Vec3 arm = d.row(i).transpose() - rows_[k].pivot;
    d.row(i) =
        (rows_[k].pivot + R * arm + m.translation).transpose() - pose(k).points.row(pose(k).vertices[i]);
  }
  return d;
}

VectorXd HeadProblem::data_residual(const VectorXd& p) const {
  VectorXd r(data_rows_);
  for (std::size_t k = 0; k < poses_.size(); ++k) {
    const Positions d = misfit(static_cast<int>(k), p);
    r.segment(rows_[k].first, d.size()) = Eigen::Map<const VectorXd>(d.data(), d.size());
  }
  return r;
}

MatrixXd HeadProblem::data_jacobian(const VectorXd& p) {
  std::vector<int> which;
  const MatrixXd by_coordinates = theta_by_coordinates(p);
  for (Eigen::Index t = 0; t < by_coordinates.rows(); ++t)
    if (by_coordinates.row(t).any()) which.push_back(static_cast<int>(t));
  const MatrixXd chain = by_coordinates(which, Eigen::all);
  const std::vector<Vec3> gravities = gravities_at(p);
  std::vector<bool> with_gravity;
  for (std::size_t k = 0; k < poses_.size(); ++k)
    with_gravity.push_back(rows_[k].rigid >= 0 && pose(static_cast<int>(k)).turns_gravity);
  const ExperimentTangent tangent = experiment_.tangent(*solution_, gravities, which, with_gravity, factor_);

  MatrixXd J = MatrixXd::Zero(data_rows_, size());
  for (std::size_t k = 0; k < poses_.size(); ++k) {
    const int rows = static_cast<int>(rows_[k].to_scan.rows()), columns = static_cast<int>(which.size());
    const Motion m = motion(static_cast<int>(k), p);
    const Mat3 R = rotation_from_vector(m.omega);
    MatrixXd moved = rows_[k].to_scan * tangent.x[k];
    for (int i = 0; i < rows; i += 3) moved.middleRows<3>(i) = (R * moved.middleRows<3>(i)).eval();
    J.block(rows_[k].first, 0, rows, free_count()) = moved.leftCols(columns) * chain;
    if (rows_[k].rigid < 0) continue;
    const HeadPose& at = pose(static_cast<int>(k));
    const Positions x = predicted(static_cast<int>(k));
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      const Vec3 arm = x.row(i).transpose() - rows_[k].pivot;
      J.block<3, 3>(rows_[k].first + 3 * i, rows_[k].rigid) =
          at.rigid->rotation * rotated_by_omega(m.omega, arm);
      J.block<3, 3>(rows_[k].first + 3 * i, rows_[k].rigid + 3) = at.rigid->translation * Mat3::Identity();
    }
    if (with_gravity[k])  // d exp(-omega) g / d omega = -(d exp(w) g / dw at w = -omega)
      J.block(rows_[k].first, rows_[k].rigid, rows, 3) -=
          at.rigid->rotation * moved.rightCols(3) * rotated_by_omega(-m.omega, at.gravity);
  }
  return J;
}

void HeadProblem::apply_robust(VectorXd& residual, MatrixXd* jacobian) const {
  // r~ = sign(r) sqrt(rho(r^2)):  dr~/dr = rho'(s) r / r~,  s = r^2
  for (std::size_t k = 0; k < poses_.size(); ++k) {
    const RobustLoss& loss = pose(static_cast<int>(k)).robust;
    if (loss.kind == RobustLoss::Kind::none) continue;
    const double c2 = loss.scale * loss.scale;
    const int last = rows_[k].first + static_cast<int>(rows_[k].to_scan.rows());
    for (int i = rows_[k].first; i < last; ++i) {
      const double s = residual[i] * residual[i];
      if (s < 1e-24 || (loss.kind == RobustLoss::Kind::huber && s <= c2)) continue;
      const bool huber = loss.kind == RobustLoss::Kind::huber;
      const double rho = huber ? 2 * std::sqrt(s * c2) - c2 : c2 * std::log1p(s / c2);
      const double slope = huber ? std::sqrt(c2 / s) : 1 / (1 + s / c2);
      const double r = residual[i];
      residual[i] = std::copysign(std::sqrt(rho), r);
      if (jacobian) jacobian->row(i) *= slope * r / residual[i];
    }
  }
}

void HeadProblem::prior_rows(const VectorXd& p, VectorXd& residual, MatrixXd* jacobian) const {
  int row = data_rows_;
  const VectorXd log_derivative = log_derivatives(p);
  auto log_value = [&](int k) {
    const double v = maps_[k].to_physical(p[k]);
    return maps_[k].kind == MapKind::logit ? v : std::log(v);
  };
  for (int k = free_count(); k < size(); ++k, ++row) {
    residual[row] = p[k];
    if (jacobian) (*jacobian)(row, k) = 1;
  }
  for (int k = 0; k < free_count(); ++k) {
    const auto& prior = data_.parameters[free_[k]].prior;
    if (!prior) continue;
    const double centre = maps_[k].kind == MapKind::logit ? prior->value : std::log(prior->value);
    residual[row] = (log_value(k) - centre) / prior->log_std;
    if (jacobian) (*jacobian)(row, k) = log_derivative[k] / prior->log_std;
    ++row;
  }
  for (const auto& [a, b] : neighbours_) {
    residual[row] = (log_value(a) - log_value(b)) / *data_.smoothness;
    if (jacobian) {
      (*jacobian)(row, a) = log_derivative[a] / *data_.smoothness;
      (*jacobian)(row, b) = -log_derivative[b] / *data_.smoothness;
    }
    ++row;
  }
}

std::optional<ResidualValue> HeadProblem::evaluate(const VectorXd& p, bool with_jacobian) {
  if (!solve(p)) return std::nullopt;
  ResidualValue value;
  MatrixXd whitened = data_residual(p);
  whiten(whitened);
  value.residual = VectorXd::Zero(residual_count());
  value.residual.head(data_rows_) = whitened.col(0);
  if (with_jacobian) {
    try {
      MatrixXd J = data_jacobian(p);
      whiten(J);
      value.jacobian = MatrixXd::Zero(residual_count(), size());
      value.jacobian.topRows(data_rows_) = J;
    } catch (const NoDerivative& e) {
      failure_ = e.what();
      return std::nullopt;
    }
    start_ = experiment_.start_from(*solution_, factor_);
  }
  apply_robust(value.residual, with_jacobian ? &value.jacobian : nullptr);
  prior_rows(p, value.residual, with_jacobian ? &value.jacobian : nullptr);
  return value;
}

std::optional<ValueGradient> HeadProblem::evaluate_gradient(const VectorXd& p) {
  if (!solve(p)) return std::nullopt;
  // bar of the data residual: W' (dr~/dr) r~, then back through the motions, the equilibria and the rest
  // shape
  VectorXd residual = VectorXd::Zero(residual_count());
  MatrixXd whitened = data_residual(p);
  whiten(whitened);
  residual.head(data_rows_) = whitened.col(0);
  MatrixXd slopes = MatrixXd::Ones(data_rows_, 1);
  apply_robust(residual, &slopes);
  MatrixXd prior_jacobian = MatrixXd::Zero(residual_count(), size());
  prior_rows(p, residual, &prior_jacobian);
  ValueGradient out{0.5 * residual.squaredNorm(),
                    prior_jacobian.bottomRows(prior_rows_).transpose() * residual.tail(prior_rows_)};
  VectorXd bar = slopes.col(0).cwiseProduct(residual.head(data_rows_));
  whiten_transposed(bar);

  const std::vector<Vec3> gravities = gravities_at(p);
  std::vector<VectorXd> bars;
  for (std::size_t k = 0; k < poses_.size(); ++k) {
    const Motion m = motion(static_cast<int>(k), p);
    const Mat3 R = rotation_from_vector(m.omega);
    VectorXd pose_bar = bar.segment(rows_[k].first, rows_[k].to_scan.rows());
    if (rows_[k].rigid >= 0) {
      const Positions x = predicted(static_cast<int>(k));
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        const Vec3 arm = x.row(i).transpose() - rows_[k].pivot, b = pose_bar.segment<3>(3 * i);
        out.gradient.segment<3>(rows_[k].rigid) +=
            pose(static_cast<int>(k)).rigid->rotation * rotated_by_omega(m.omega, arm).transpose() * b;
        out.gradient.segment<3>(rows_[k].rigid + 3) += pose(static_cast<int>(k)).rigid->translation * b;
      }
    }
    for (Eigen::Index i = 0; i < pose_bar.size(); i += 3)
      pose_bar.segment<3>(i) = (R.transpose() * pose_bar.segment<3>(i)).eval();
    bars.push_back(rows_[k].to_scan.transpose() * pose_bar);
  }
  std::vector<int> which(experiment_.scene().cluster_count() + 1);
  for (std::size_t t = 0; t < which.size(); ++t) which[t] = static_cast<int>(t);
  try {
    const ExperimentPullback pullback = experiment_.pullback(*solution_, gravities, bars, which, factor_);
    out.gradient.head(free_count()) += theta_by_coordinates(p).transpose() * pullback.theta;
    for (std::size_t k = 0; k < poses_.size(); ++k) {
      const HeadPose& at = pose(static_cast<int>(k));
      if (rows_[k].rigid < 0 || !at.turns_gravity) continue;
      const Vec3 omega = motion(static_cast<int>(k), p).omega;
      out.gradient.segment<3>(rows_[k].rigid) -=
          at.rigid->rotation * rotated_by_omega(-omega, at.gravity).transpose() * pullback.gravity[k];
    }
  } catch (const NoDerivative& e) {
    failure_ = e.what();
    return std::nullopt;
  }
  start_ = experiment_.start_from(*solution_, factor_);
  return out;
}

VectorXd HeadProblem::effect_sizes(const VectorXd& p) {
  require(solve(p), "effect_sizes: no equilibrium");
  const MatrixXd J = data_jacobian(p);
  const VectorXd by_log = log_derivatives(p);
  VectorXd out(free_count());
  for (int k = 0; k < free_count(); ++k) out[k] = J.col(k).norm() / std::sqrt(data_rows_ / 3.0) / by_log[k];
  return out;
}

}  // namespace furrow
