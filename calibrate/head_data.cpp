#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "calibrate/head_fit.h"
#include "capture/stabilise.h"
#include "forward/base/error.h"

namespace furrow {

namespace {

const Scene& only_scene(const Project& project) {
  if (project.scenes.size() != 1)
    throw InputError(project.file.string(), "a fit of heads takes one scene; give \"scene\": \"scene.json\"");
  return project.scenes.begin()->second;
}

std::vector<int> masked_vertices(const MeshObservation& observation) {
  std::vector<int> vertices;
  for (std::size_t v = 0; v < observation.mask.size(); ++v)
    if (observation.mask[v]) vertices.push_back(static_cast<int>(v));
  return vertices;
}

HeadPose to_head_frame(const Project& project, const MeshObservation& observation, const SurfaceMesh& scan) {
  HeadPose pose;
  pose.name = observation.source.name;
  pose.use = observation.source.use;
  pose.vertices = masked_vertices(observation);
  pose.sigma_is_auto = !observation.source.sigma;
  pose.sigma = observation.source.sigma.value_or(0.1);
  pose.robust = observation.source.robust;
  pose.rigid = rigid_motion_of(project, observation.source);
  pose.points = observation.points;
  pose.gravity = observation.source.gravity;
  if (observation.source.frame == Frame::world) {
    StabiliseOptions options;
    options.stable = observation.stable;
    options.triangles = scan.triangles;
    const Stabilised stabilised = stabilise(scan.vertices, observation.points, options);
    pose.points = stabilised.aligned;
    pose.gravity = gravity_in_head(stabilised.head_from_world, observation.source.gravity);
    pose.turns_gravity = true;
    pose.alignment_rms = stabilised.stable_rms;
  }
  return pose;
}

}  // namespace

HeadData load_head(const Project& project, const ModelVariant& variant) {
  HeadData data;
  data.model = std::make_shared<TetModel>(build_tet_model(only_scene(project), variant));
  data.warnings = data.model->warnings;
  for (const ObservationSource& source : project.observations)
    data.poses.push_back(
        to_head_frame(project, load_observation(source, data.model->scan), data.model->scan));
  const TissueTheta theta = data.model->theta();
  data.parameters = resolve_parameters(project, data.model->layout.names, theta.young, theta.poisson);
  data.neutral_sigma = project.neutral_sigma;
  data.smoothness = project.smoothness;
  return data;
}

HeadData with_model(const HeadData& data, std::shared_ptr<TetModel> model) {
  HeadData out = data;
  out.model = std::move(model);
  return out;
}

std::vector<std::pair<int, int>> neighbouring_clusters(const TetModel& model) {
  std::set<std::pair<int, int>> pairs;
  auto touch = [&](int a, int b) {
    if (a != b) pairs.insert(std::minmax(a, b));
  };
  const std::vector<int>& cluster = model.layout.vertex_cluster;
  if (static_cast<int>(cluster.size()) == model.scan.vertex_count()) {
    for (Eigen::Index t = 0; t < model.scan.triangles.rows(); ++t)
      for (int e = 0; e < 3; ++e)
        touch(cluster[model.scan.triangles(t, e)], cluster[model.scan.triangles(t, (e + 1) % 3)]);
  } else {  // labels of elements: clusters that meet in a node
    std::vector<std::set<int>> of_node(model.mesh.node_count());
    for (int e = 0; e < model.mesh.element_count(); ++e)
      for (int a = 0; a < 4; ++a) of_node[model.mesh.elements(e, a)].insert(cluster[e]);
    for (const auto& clusters : of_node)
      for (const int a : clusters)
        for (const int b : clusters) touch(a, b);
  }
  return {pairs.begin(), pairs.end()};
}

}  // namespace furrow
