#include "capture/stabilise.h"

#include <algorithm>
#include <cmath>

#include "capture/stable_set.h"
#include "forward/base/error.h"
#include "forward/base/surface_mesh.h"

namespace furrow {
namespace {

constexpr int kNeighbours = 16;

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

VectorXd mask_weights(const std::vector<bool>& stable) {
  VectorXd weights(static_cast<int>(stable.size()));
  for (int i = 0; i < weights.size(); ++i) weights[i] = stable[i] ? 1 : 0;
  return weights;
}

struct Choice {
  VectorXd weights;
  StableSource source;
};

Choice choose_weights(const Positions& neutral, const Positions& pose, const Elements& neighbours,
                      double noise, const StabiliseOptions& options) {
  if (!options.stable.empty()) return {mask_weights(options.stable), StableSource::mask};
  if (options.triangles.rows() > 0) {
    VectorXd rim = stable_if_rigid(neutral, pose, boundary_vertices(options.triangles, neutral), noise);
    if (rim.size() > 0) return {std::move(rim), StableSource::boundary};
  }
  return {find_stable_vertices(neutral, pose, {neighbours, noise, options.subsets, options.seed}),
          StableSource::search};
}

/// Least squares with weights w: A = sum w J'J; the sandwich A^-1 (sum w^2 J'J s^2) A^-1 holds for any fixed
/// weights.
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
  const Elements neighbours = nearest_neighbours(neutral, kNeighbours);
  Stabilised result;
  result.noise = options.noise > 0 ? options.noise : neighbour_noise(neutral, pose, neighbours);
  Choice choice = choose_weights(neutral, pose, neighbours, result.noise, options);
  result.weights = std::move(choice.weights);
  result.source = choice.source;
  result.stable_count = static_cast<int>((result.weights.array() > 0.5).count());
  require(result.stable_count >= 10, "stabilise: fewer than 10 vertices are stable");

  result.head_from_world = fit_rigid_motion(pose, neutral, result.weights);
  result.aligned = result.head_from_world.apply(pose);
  const VectorXd squared = (result.aligned - neutral).rowwise().squaredNorm();
  result.stable_rms = std::sqrt(result.weights.dot(squared) / (3 * result.weights.sum()));
  result.covariance =
      motion_covariance(result.aligned, result.weights, std::max(result.stable_rms, result.noise));
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
