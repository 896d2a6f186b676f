#include "capture/stabilise.h"

#include <algorithm>
#include <cmath>

#include "capture/stable_set.h"
#include "forward/base/error.h"
#include "forward/base/surface_mesh.h"

namespace furrow {
namespace {

constexpr int kNeighbours = 12;
constexpr double kSmallestNoise = 1e-4;  ///< [mm], about what scan files round to
/// Found vertices may creep together by less than their noise, so they count as this many independent ones:
/// on a CT head's geometry with computed sag (16 scans) the error at the vertices was then 0.5 to 1.6 of the
/// stated deviation. Where nothing in view is fixed, it was 2 to 9 of it.
constexpr double kIndependentFound = 5;

std::vector<int> boundary_vertices(const Triangles& triangles, const Positions& points) {
  SurfaceMesh mesh;
  mesh.vertices = points;
  mesh.triangles = triangles;
  std::vector<int> vertices;
  for (const auto& [a, b] : boundary_edges(mesh)) {
    vertices.push_back(a);
    vertices.push_back(b);
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

std::vector<int> candidate_vertices(const std::vector<bool>& mask, int count) {
  std::vector<int> vertices;
  for (int i = 0; i < count; ++i)
    if (mask.empty() || mask[i]) vertices.push_back(i);
  return vertices;
}

struct Choice {
  VectorXd weights;
  StableSource source;
};

Choice choose_weights(const Positions& neutral, const Positions& pose, const LocalFit& local, double noise,
                      const StabiliseOptions& options) {
  const int n = static_cast<int>(neutral.rows());
  const std::vector<int> candidates = candidate_vertices(options.stable, n);
  if (options.trust_mask && !options.stable.empty()) {
    VectorXd weights = VectorXd::Zero(n);
    weights(candidates).setOnes();
    return {std::move(weights), StableSource::mask};
  }
  if (!options.stable.empty()) {
    VectorXd weights = stable_if_rigid(neutral, pose, candidates, noise);
    if (weights.size() > 0) return {std::move(weights), StableSource::mask};
  }
  if (options.triangles.rows() > 0) {
    std::vector<int> rim = boundary_vertices(options.triangles, neutral), inside;
    std::set_intersection(rim.begin(), rim.end(), candidates.begin(), candidates.end(),
                          std::back_inserter(inside));
    VectorXd weights = stable_if_rigid(neutral, pose, inside, noise);
    if (weights.size() > 0) return {std::move(weights), StableSource::boundary};
  }
  return {find_stable_vertices(neutral, local, noise, candidates, {options.subsets, options.seed}),
          StableSource::search};
}

/// Least squares with fixed weights w:  A^-1 (sum w^2 J'J) A^-1 s^2,  A = sum w J'J.
Mat6 motion_covariance(const Positions& aligned, const VectorXd& weights, double deviation) {
  const Mat6 inverse = motion_information(aligned, weights).inverse();
  return deviation * deviation * inverse * motion_information(aligned, weights.cwiseAbs2()) * inverse;
}

}  // namespace

Stabilised stabilise(const Positions& neutral, const Positions& pose, const StabiliseOptions& options) {
  require(neutral.rows() == pose.rows(), "stabilise: neutral and pose differ in their vertex count");
  require(options.stable.empty() || static_cast<long>(options.stable.size()) == neutral.rows(),
          "stabilise: the stable mask needs one entry a vertex");
  require(neutral.rows() >= 10, "stabilise needs at least 10 vertices");
  const LocalFit local = fit_locally(neutral, pose, nearest_neighbours(neutral, kNeighbours));
  Stabilised result;
  result.noise = options.noise > 0 ? options.noise : std::max(local.noise, kSmallestNoise);
  Choice choice = choose_weights(neutral, pose, local, result.noise, options);
  result.weights = std::move(choice.weights);
  result.source = choice.source;
  result.stable_count = static_cast<int>((result.weights.array() > 0.5).count());
  require(result.stable_count >= 10, "stabilise: fewer than 10 vertices move rigidly with the head");

  result.head_from_world = fit_rigid_motion(pose, neutral, result.weights);
  result.aligned = result.head_from_world.apply(pose);
  const VectorXd squared = (result.aligned - neutral).rowwise().squaredNorm();
  result.stable_rms = std::sqrt(result.weights.dot(squared) / (3 * result.weights.sum()));
  result.covariance =
      motion_covariance(result.aligned, result.weights, std::max(result.stable_rms, result.noise));
  if (result.source == StableSource::search)
    result.covariance *= std::max(1.0, result.stable_count / kIndependentFound);
  return result;
}

double position_deviation(const Eigen::Matrix<double, 6, 6>& covariance, const Positions& points) {
  const Mat6 information = motion_information(points, VectorXd::Ones(points.rows()));
  return std::sqrt((covariance * information).trace() / static_cast<double>(points.rows()));
}

Vec3 gravity_in_head(const RigidMotion& head_from_world, const Vec3& gravity_world) {
  return head_from_world.rotation * gravity_world;
}

}  // namespace furrow
