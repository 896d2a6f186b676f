#include "forward/shell_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/shell_ligament_field.h"
#include "forward/shell_refusals.h"
#include "forward/solve/boundary_path.h"
#include "forward/solve/collider_path.h"

namespace furrow {

namespace {

const ShellScene& shell_of(const Scene& scene) {
  require(scene.model == "shell" && scene.shell.has_value(), "build_shell_model: not a shell scene");
  return *scene.shell;
}

/// kappa = per_scale x Young's modulus of the softest layer.
double penalty_of(const PenaltyOptions& penalty, const ShellScene& shell) {
  if (penalty.absolute) return *penalty.absolute;
  double softest = std::numeric_limits<double>::infinity();
  for (const LayerOptions& layer : shell.layers) softest = std::min(softest, layer.young);
  return penalty.per_scale.value_or(500.0) * softest;
}

bool prestretched(const ShellScene& shell) {
  return std::any_of(shell.layers.begin(), shell.layers.end(), [](const LayerOptions& layer) {
    return layer.prestretch != std::array<double, 2>{1, 1};
  });
}

ShellPhysics physics_of(const ShellScene& shell) {
  ShellPhysics physics;
  physics.elastic.rule = shell.mesh.rule;
  physics.elastic.volumetric = shell.volumetric;
  for (const LayerOptions& layer : shell.layers) {
    physics.elastic.branches =
        std::max(physics.elastic.branches, static_cast<int>(layer.relaxation_times.size()));
    if (prestretched(shell)) physics.elastic.prestretch_axes.push_back(layer.prestretch_axis);
  }
  physics.surface_rule = subdivide_rule(triangle_rule(10), shell.mesh.contact_subdivision);
  if (shell.ligaments) physics.ligaments = {shell.ligaments->variant, shell.ligaments->smoothing};
  if (shell.skull)
    physics.skull = {shell.skull->kernel, shell.skull->radius, shell.skull->penalty.ramp,
                     shell.skull->subtract_rest_gap};
  for (const ColliderOptions& collider : shell.colliders)
    physics.colliders.push_back({collider.penalty.ramp, collider.slip_speed});
  return physics;
}

ShellTheta theta_of(const Scene& scene, const VectorXd& b) {
  const ShellScene& shell = *scene.shell;
  ShellTheta theta;
  for (const LayerOptions& from : shell.layers) {
    LayerTheta layer;
    layer.young = from.young;
    layer.poisson = from.poisson;
    layer.stiffening = from.stiffening;
    layer.steady_fraction = from.steady_fraction;
    const auto branches = static_cast<Eigen::Index>(from.relaxation_times.size());
    layer.times = Eigen::Map<const VectorXd>(from.relaxation_times.data(), branches);
    layer.weights = from.branch_weights.empty()
                        ? VectorXd(VectorXd::Constant(branches, 1.0 / std::max<double>(1, branches)))
                        : VectorXd(Eigen::Map<const VectorXd>(from.branch_weights.data(), branches));
    layer.prestretch = {from.prestretch[0], from.prestretch[1]};
    theta.layers.push_back(layer);
  }
  theta.ligament_stiffness = shell.ligaments ? shell.ligaments->stiffness : 0;
  theta.ligament_b = b;
  theta.skull_penalty = shell.skull ? penalty_of(shell.skull->penalty, shell) : 0;
  for (const ColliderOptions& from : shell.colliders) {
    ColliderTheta collider;
    collider.penalty = penalty_of(from.penalty, shell);
    collider.friction = from.friction;
    theta.colliders.push_back(collider);
  }
  theta.density = scene.density;
  return theta;
}

constexpr double kTouching = 1e-9;  ///< [mm], so that a box without depth finds the nodes on its plane

std::vector<int> nodes_of(const BoundaryCondition& condition, const PrismMesh& mesh,
                          const std::string& where) {
  std::vector<int> nodes;
  if (!condition.file.empty()) {
    nodes = read_index_list(condition.file, static_cast<int>(mesh.nodes.rows()));
  } else if (condition.box) {
    for (int i = 0; i < mesh.nodes.rows(); ++i) {
      const Vec3 x = mesh.nodes.row(i).transpose();
      if ((x.array() >= (*condition.box)[0].array() - kTouching).all() &&
          (x.array() <= (*condition.box)[1].array() + kTouching).all())
        nodes.push_back(i);
    }
  } else if (condition.nodes == "rim") {
    nodes = mesh.rim;
  } else if (condition.nodes == "inner") {
    nodes = mesh.inner_nodes();
  } else if (condition.nodes == "outer") {
    nodes = mesh.outer_nodes();
  } else if (condition.nodes == "fixed") {
    for (int i = 0; i < static_cast<int>(mesh.fixed.size()); ++i)
      if (mesh.fixed[i]) nodes.push_back(i);
  }
  if (nodes.empty()) throw InputError(where, "selects no node of the mesh");
  return nodes;
}

/// Where the fixed dofs are at a time: at rest, or on a path.
struct Boundary {
  FixedFlags fixed;
  Positions rest;
  struct Moving {
    std::vector<int> nodes;
    std::array<bool, 3> components;
    BoundaryMotion motion;
  };
  std::vector<Moving> moving;
  std::vector<std::vector<int>> nodes;  ///< of every entry of the scene

  Positions at(double time) const {
    Positions x = rest;
    for (const Moving& set : moving) {
      const Vec3 d = set.motion.at(time);
      for (const int node : set.nodes)
        for (int c = 0; c < 3; ++c)
          if (set.components[c]) x(node, c) = rest(node, c) + d[c];
    }
    return x;
  }
};

/// A path moves what its entry holds, and nothing is moved by two paths. `mover`: by node and direction the
/// entry that moves it, or -1; grows.
void check_motion(const Scene& scene, std::size_t k, const Boundary::Moving& set, Eigen::MatrixX3i& mover) {
  const std::string where = fmt::format("{}: boundary[{}]", scene.file.string(), k);
  for (int c = 0; c < 3; ++c) {
    if (!set.components[c] && set.motion.moves(c))
      throw InputError(where + ".path",
                       fmt::format("moves along {0}, which \"fix\" does not hold; add {0} to it "
                                   "or remove the column {0}_mm",
                                   "xyz"[c]));
    if (!set.components[c]) continue;
    for (const int node : set.nodes) {
      const int other = mover(node, c);
      if (other >= 0 && scene.boundary[other].path != scene.boundary[k].path)
        throw InputError(where + ".path",
                         fmt::format("moves node {} (0-based) along {}, which the path of boundary[{}] moves "
                                     "too; let their nodes differ",
                                     node, "xyz"[c], other));
      mover(node, c) = static_cast<int>(k);
    }
  }
}

Boundary boundary_of(const Scene& scene, const PrismMesh& mesh) {
  Boundary boundary{FixedFlags::Constant(mesh.nodes.rows(), 3, false), mesh.nodes, {}, {}};
  for (int i = 0; i < static_cast<int>(mesh.fixed.size()); ++i)
    if (mesh.fixed[i]) boundary.fixed.row(i).setConstant(true);
  Eigen::MatrixX3i mover = Eigen::MatrixX3i::Constant(mesh.nodes.rows(), 3, -1);
  for (std::size_t k = 0; k < scene.boundary.size(); ++k) {
    const BoundaryCondition& condition = scene.boundary[k];
    const std::string where = fmt::format("{}: boundary[{}]", scene.file.string(), k);
    const std::vector<int> nodes = nodes_of(condition, mesh, where);
    boundary.nodes.push_back(nodes);
    for (const int node : nodes)
      for (int c = 0; c < 3; ++c) boundary.fixed(node, c) = boundary.fixed(node, c) || condition.fix[c];
    if (condition.path.empty()) continue;
    boundary.moving.push_back({nodes, condition.fix, BoundaryMotion::read(condition.path)});
    check_motion(scene, k, boundary.moving.back(), mover);
  }
  if (boundary.fixed.all())
    throw InputError(scene.file.string(),
                     "every node is fixed: nothing is left to compute; fix fewer in \"boundary\"");
  return boundary;
}

StepSolverOptions solver_of(const Scene& scene) {
  StepSolverOptions options;
  const std::string& method = scene.solver.method;
  options.method = method == "newton"  ? StepMethod::newton
                   : method == "lbfgs" ? StepMethod::lbfgs
                   : method == "pcg"   ? StepMethod::pcg
                                       : StepMethod::automatic;
  options.tolerance = scene.solver.force_tolerance;
  if (scene.solver.max_iterations != SolverOptions{}.max_iterations)
    options.max_iterations = scene.solver.max_iterations;
  options.time_limit = scene.shell->time.step_limit;
  return options;
}

ShellSchedule schedule_of(const Scene& scene, const Boundary& boundary) {
  const ShellScene& shell = *scene.shell;
  ShellSchedule schedule;
  schedule.dt = shell.time.step;
  schedule.frames = shell.time.frames;
  schedule.viscous = shell.time.viscous;
  schedule.friction_lag = shell.time.friction_lag;
  schedule.gravity = scene.gravity;
  schedule.solver = solver_of(scene);
  schedule.settle =
      shell.time.settle.value_or(scene.gravity.norm() * scene.density > 0 || prestretched(shell) ||
                                 (boundary.at(0) - boundary.rest).cwiseAbs().maxCoeff() > 0);
  if (!boundary.moving.empty()) schedule.boundary = [boundary](double time) { return boundary.at(time); };
  std::vector<ColliderPath> paths;
  for (const ColliderOptions& collider : shell.colliders)
    paths.push_back(ColliderPath::read(collider.path, collider.radius));
  if (!paths.empty())
    schedule.colliders = [paths](double time) {
      std::vector<ColliderPose> poses;
      for (const ColliderPath& path : paths) poses.push_back(path.at(time));
      return poses;
    };
  return schedule;
}

}  // namespace

Triangles ShellModel::outer_triangles() const {
  const PrismMesh& m = mesh();
  const std::vector<int> nodes = m.outer_nodes();
  std::vector<int> rank(m.nodes.rows(), -1);
  for (std::size_t k = 0; k < nodes.size(); ++k) rank[nodes[k]] = static_cast<int>(k);
  const Triangles local = triangle_subdivision(m.order.in_plane);
  Triangles out(m.outer_faces.rows() * local.rows(), 3);
  for (Eigen::Index f = 0; f < m.outer_faces.rows(); ++f)
    for (Eigen::Index t = 0; t < local.rows(); ++t)
      for (int c = 0; c < 3; ++c) out(f * local.rows() + t, c) = rank[m.outer_faces(f, local(t, c))];
  return out;
}

ShellModel build_shell_model(const Scene& scene) {
  const ShellScene& shell = shell_of(scene);
  PrismMesh mesh = build_shell_mesh(scene);
  refuse_too_large(scene, mesh);
  refuse_sharp_bone(scene, mesh);
  ShellModel model;
  model.scene = scene;
  for (const LayerOptions& layer : shell.layers) model.layers.push_back(layer.name);
  for (const ColliderOptions& collider : shell.colliders) model.colliders.push_back(collider.name);
  const LigamentFieldValues field = ligament_field(scene, mesh);
  model.ligament_clusters = field.clusters;
  model.ligament_labels = field.labels;
  const Boundary boundary = boundary_of(scene, mesh);
  refuse_free_body(scene, mesh, boundary.fixed);
  model.boundary_nodes = boundary.nodes;
  model.theta = theta_of(scene, field.b);
  model.schedule = schedule_of(scene, boundary);
  model.compiled = std::make_shared<CompiledShell>(std::move(mesh), physics_of(shell), boundary.fixed);
  refuse_colliders_inside(scene, *model.compiled, model.schedule);
  model.warnings = path_warnings(scene, *model.compiled, model.schedule);
  return model;
}

}  // namespace furrow
