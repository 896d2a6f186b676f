#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "calibrate/validate.h"
#include "forward/base/json_file.h"
#include "forward/base/mesh_io.h"

namespace furrow {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

Json summary_json(const VectorXd& distances) {
  const ErrorSummary s = summarise(distances);
  return {{"mean_error", s.mean}, {"rms", s.rms}, {"p95", s.p95}, {"max", s.max}};
}

Json errors_json(const std::optional<VertexErrors>& errors) {
  if (!errors || errors->position.size() == 0) return nullptr;
  Json out = summary_json(errors->position);
  out["unit"] = "mm";
  out["motion"] = summary_json(errors->motion);
  return out;
}

/// The calibrated head's errors with the baselines' beside them.
Json entry_json(const std::optional<VertexErrors>& fit, const std::optional<VertexErrors>& naive,
                const std::optional<VertexErrors>& uniform) {
  Json out = Json::object();
  if (const Json own = errors_json(fit); own.is_object()) out = own;
  out["naive"] = errors_json(naive);
  out["uniform"] = errors_json(uniform);
  return out;
}

void write_error_map(const fs::path& file, const SurfaceMesh& scan, const Positions& surface,
                     const HeldOutPose& pose, const VectorXd& errors, double high) {
  SurfaceMesh mesh = scan;
  mesh.vertices = surface;
  VectorXd values = VectorXd::Constant(scan.vertex_count(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < pose.vertices.size(); ++i)
    values[pose.vertices[i]] = errors[static_cast<Eigen::Index>(i)];
  write_surface_with_scalar(file, mesh, "error", values, 0, high);
}

/// Both maps of a pose share the range, so that they can be held against each other; returns its end [mm].
double write_error_maps(const fs::path& folder, const SurfaceMesh& scan, const Validation& validation) {
  fs::create_directories(folder);
  double high = 0;
  for (const HeldOutPose& pose : validation.poses)
    for (const auto& errors : {pose.fit, pose.naive})
      if (errors) high = std::max(high, summarise(errors->position).p95);
  for (const HeldOutPose& pose : validation.poses) {
    if (pose.fit)
      write_error_map(folder / (pose.name + ".ply"), scan, pose.surface, pose, pose.fit->position, high);
    if (pose.naive)
      write_error_map(folder / (pose.name + "_naive.ply"), scan, pose.naive_surface, pose,
                      pose.naive->position, high);
  }
  return high;
}

/// The neutral, coloured by the mean over the held-out poses that observe a vertex.
void write_mean_error(const fs::path& file, const SurfaceMesh& scan, const Validation& validation) {
  VectorXd sum = VectorXd::Zero(scan.vertex_count()), count = sum;
  for (const HeldOutPose& pose : validation.poses)
    for (std::size_t i = 0; pose.fit && i < pose.vertices.size(); ++i) {
      sum[pose.vertices[i]] += pose.fit->position[static_cast<Eigen::Index>(i)];
      count[pose.vertices[i]] += 1;
    }
  if (count.maxCoeff() == 0) return;
  const VectorXd mean = sum.cwiseQuotient(count);  // not a number where no pose observes
  write_surface_with_scalar(file, scan, "error", mean, 0,
                            summarise(validation.total(&HeldOutPose::fit).position).p95);
}

}  // namespace

fs::path write_validation(const fs::path& folder, const FittedHead& head, const Validation& validation) {
  Json out{{"furrow", 1}, {"subject", head.project.subject}, {"unit", "mm"}, {"frame", "head"}};
  out["observations"] = Json::array();
  for (const HeldOutPose& pose : validation.poses) {
    Json entry{{"name", pose.name}, {"count", pose.vertices.size()}};
    entry.update(entry_json(pose.fit, pose.naive, pose.uniform));
    out["observations"].push_back(entry);
  }
  out["totals"] = entry_json(validation.total(&HeldOutPose::fit), validation.total(&HeldOutPose::naive),
                             validation.total(&HeldOutPose::uniform));
  auto baseline = [](double young, const char* rest) {
    return Json{
        {"young", young > 0 ? Json(1000 * young) : Json(nullptr)}, {"unit", "kPa"}, {"rest_shape", rest}};
  };
  out["baselines"] = {
      {"naive", baseline(validation.naive_young, "the neutral scan")},
      {"uniform", baseline(validation.uniform_young, "inverse elastostatics from the neutral scan")}};
  out["notes"] = validation.notes;
  const double high = write_error_maps(folder / "validation", head.data.model->scan, validation);
  out["error_maps"] = {{"folder", "validation"}, {"low", 0.0}, {"high", high}, {"unit", "mm"}};
  write_mean_error(folder / "validation" / "mean_error.ply", head.data.model->scan, validation);
  write_json(folder / "validation.json", out);
  return folder / "validation.json";
}

}  // namespace furrow
