#include "calibrate/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/baseline.h"
#include "forward/base/error.h"
#include "forward/base/mesh_io.h"

namespace furrow {

namespace {

/// The neutral that observed motion is measured from: scan vertices x 3 [mm].
Positions neutral_points(const FittedHead& head) {
  const TetModel& model = *head.data.model;
  if (!head.project.validation_neutral) return model.scan.vertices;
  const MeshFile& neutral = *head.project.validation_neutral;
  Positions points = read_surface(neutral.file, neutral.unit, false).vertices;
  if (points.rows() != model.scan.vertices.rows())
    throw InputError(neutral.file.string(),
                     fmt::format("has {} vertices and the scene's surface has {}; they must correspond",
                                 points.rows(), model.scan.vertices.rows()));
  return points;
}

VectorXd distances(const Positions& a, const Positions& b, const std::vector<int>& vertices) {
  VectorXd out(static_cast<Eigen::Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i)
    out[static_cast<Eigen::Index>(i)] = (a.row(vertices[i]) - b.row(vertices[i])).norm();
  return out;
}

/// Errors of predicted surfaces; `predicted_neutral` is the model's own.
class Judge {
 public:
  Judge(const FittedHead& head, Validation& validation)
      : head_(head),
        validation_(validation),
        held_out_(head.poses(Use::holdout)),
        neutral_(neutral_points(head)) {
    for (const int k : held_out_) {
      const HeadPose& pose = head.data.poses[k];
      gravities_.push_back(pose.gravity);
      validation.poses.push_back({pose.name, pose.vertices, {}, {}, {}, {}, {}});
    }
  }

  /// Returns the surfaces predicted, nothing on failure.
  std::vector<Positions> judge(const HeadData& data, const TissueTheta& theta, const Positions& X,
                               bool scan_is_neutral, std::optional<VertexErrors> HeldOutPose::*where,
                               const std::string& what) {
    std::vector<Vec3> gravities = gravities_;
    if (!scan_is_neutral) gravities.push_back(data.model->scene.gravity);
    Prediction prediction = predict(data, theta, X, gravities);
    if (!prediction.failure.empty()) {
      validation_.notes.push_back(what + ": " + prediction.failure);
      return {};
    }
    const Positions& at_neutral = scan_is_neutral ? data.model->scan.vertices : prediction.surface.back();
    for (std::size_t i = 0; i < held_out_.size(); ++i) {
      const HeadPose& pose = data.poses[held_out_[i]];
      const Positions& surface = prediction.surface[i];
      validation_.poses[i].*where =
          VertexErrors{distances(surface, pose.points, pose.vertices),
                       distances(surface - at_neutral, pose.points - neutral_, pose.vertices)};
    }
    return std::move(prediction.surface);
  }

  double judge_baseline(RestMode rest, std::optional<VertexErrors> HeldOutPose::*where,
                        const std::string& what, Positions HeldOutPose::*surface = nullptr) {
    const Baseline baseline = fit_one_stiffness(head_, rest);
    if (baseline.young == 0) {
      validation_.notes.push_back(what + ": " + baseline.failure);
      return 0;
    }
    TissueTheta theta = baseline.data.model->theta();
    theta.young.setConstant(baseline.young);
    const std::vector<Positions> found = judge(baseline.data, theta, baseline.X, true, where, what);
    for (std::size_t i = 0; surface && i < found.size() && i < held_out_.size(); ++i)
      validation_.poses[i].*surface = found[i];
    return baseline.young;
  }

 private:
  const FittedHead& head_;
  Validation& validation_;
  std::vector<int> held_out_;
  Positions neutral_;
  std::vector<Vec3> gravities_;
};

}  // namespace

ErrorSummary summarise(const VectorXd& distances) {
  if (distances.size() == 0) return {};
  std::vector<double> sorted(distances.data(), distances.data() + distances.size());
  std::sort(sorted.begin(), sorted.end());
  const double place = 0.95 * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(place), above = std::min(below + 1, sorted.size() - 1);
  const double share = place - static_cast<double>(below);
  return {distances.mean(), std::sqrt(distances.squaredNorm() / static_cast<double>(distances.size())),
          (1 - share) * sorted[below] + share * sorted[above], sorted.back()};
}

VertexErrors Validation::total(std::optional<VertexErrors> HeldOutPose::*of) const {
  VertexErrors all;
  auto append = [](VectorXd& to, const VectorXd& more) {
    const Eigen::Index n = to.size();
    to.conservativeResize(n + more.size());
    to.tail(more.size()) = more;
  };
  for (const HeldOutPose& pose : poses) {
    if (!(pose.*of)) continue;
    append(all.position, (pose.*of)->position);
    append(all.motion, (pose.*of)->motion);
  }
  return all;
}

bool Validation::complete() const {
  return std::all_of(poses.begin(), poses.end(),
                     [](const HeldOutPose& pose) { return pose.fit.has_value(); });
}

Validation validate(const FittedHead& head, const std::function<void(const std::string&)>& tell) {
  if (head.poses(Use::holdout).empty())
    throw InputError(head.project.file.string(), "holds no observation out; give one \"use\": \"holdout\"");
  Validation validation;
  Judge judge(head, validation);
  tell("held-out observations with the calibrated values");
  const bool exact_neutral = head.project.rest == RestScheme::inverse;
  const std::vector<Positions> surfaces =
      judge.judge(head.data, head.theta, head.X, exact_neutral, &HeldOutPose::fit, "calibrated head");
  for (std::size_t i = 0; i < validation.poses.size() && i < surfaces.size(); ++i)
    validation.poses[i].surface = surfaces[i];
  tell("naive baseline: the neutral scan as rest shape");
  validation.naive_young = judge.judge_baseline(RestMode::known, &HeldOutPose::naive, "naive baseline",
                                                &HeldOutPose::naive_surface);
  tell("uniform baseline: one stiffness and its rest shape");
  validation.uniform_young =
      judge.judge_baseline(RestMode::inverse, &HeldOutPose::uniform, "uniform baseline");
  return validation;
}

}  // namespace furrow
