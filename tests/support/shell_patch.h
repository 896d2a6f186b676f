// The four-prism patch of golden/solve_patch.json (carried in tests/golden) as a compiled scene: what the
// tests of shells, steps and derivatives run on.
#pragma once

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "forward/solve/trajectory.h"

namespace furrow::testing {

inline Positions matrix3_of(const nlohmann::json& rows) {
  Positions p(rows.size(), 3);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int c = 0; c < 3; ++c) p(i, c) = rows[i][c].get<double>();
  return p;
}

inline nlohmann::json read_golden(const std::string& name) {
  std::ifstream in(std::string(FURROW_SOURCE_DIR) + "/tests/golden/" + name);
  return nlohmann::json::parse(in);
}

/// What the golden files' `params` have in common: two layers, one branch, one kappa; everything but the
/// ligament field.
inline ShellTheta golden_theta(const nlohmann::json& params) {
  ShellTheta t;
  LayerTheta layer;
  layer.poisson = 0.49;
  layer.stiffening = params["C"];
  layer.steady_fraction = 0.2;
  layer.times = VectorXd::Constant(1, params["tau"].get<double>());
  layer.weights = VectorXd::Ones(1);
  layer.prestretch.setOnes();
  for (const char* name : {"E_epi", "E_soft"}) {
    layer.young = params[name];
    t.layers.push_back(layer);
  }
  t.ligament_stiffness = params["k"];
  t.skull_penalty = params["kappa"];
  ColliderTheta collider;
  collider.penalty = params["kappa"];
  collider.friction = params["mu"];
  t.colliders.push_back(collider);
  return t;
}

struct ShellPatch {
  nlohmann::json json = read_golden("solve_patch.json");
  PrismMesh mesh;
  FixedFlags fixed;
  ShellPhysics physics;
  ShellSchedule schedule;

  ShellPatch() {
    mesh.nodes = matrix3_of(json["X"]);
    const auto& conn = json["conn"];
    mesh.elements.resize(conn.size(), 45);
    for (std::size_t e = 0; e < conn.size(); ++e)
      for (int a = 0; a < 45; ++a) mesh.elements(e, a) = conn[e][a].get<int>();
    mesh.inner_faces = mesh.elements.leftCols(15);
    mesh.outer_faces = mesh.elements.rightCols(15);
    mesh.layers = {"epidermis", "soft"};
    const auto constant = [](double w) { return VectorXd::Constant(1, w); };
    mesh.sublayers.assign(conn.size(),
                          {{constant(-1), constant(0.875), 1}, {constant(0.875), constant(1), 0}});
    fixed = FixedFlags::Constant(mesh.nodes.rows(), 3, false);
    for (const int node : json["fixed"]) fixed.row(node).setConstant(true);

    physics.elastic.rule = RuleKind::exact;
    physics.elastic.branches = 1;
    physics.ligaments = ShellPhysics::Ligaments{};
    physics.skull = ShellPhysics::Skull{ImlsKernel::wendland, 6.0, 0, true};
    physics.colliders = {{0, 5}};

    schedule.dt = 1.0 / 24;
    schedule.frames = 5;
    schedule.viscous = ViscousScheme::seed;
    schedule.friction_lag = 1;
    schedule.solver.tolerance = 1e-13;
    std::vector<ColliderPose> poses(1);
    for (const auto& step : json["schedule"]) {
      ColliderPose pose;
      pose.present = true;
      pose.centre = Vec3(step["c"][0], step["c"][1], step["c"][2]);
      pose.radius = step["R"];
      poses.push_back(pose);
    }
    const double dt = schedule.dt;
    schedule.colliders = [poses, dt](double t) {
      const double at = t / dt;
      const int low = std::min(static_cast<int>(at + 1e-9), static_cast<int>(poses.size()) - 1);
      if (at - low < 1e-9) return std::vector<ColliderPose>{poses[low]};
      ColliderPose pose = poses[low + 1];
      pose.present = poses[low].present;
      pose.centre = poses[low].centre + (at - low) * (poses[low + 1].centre - poses[low].centre);
      return std::vector<ColliderPose>{pose};
    };
  }

  /// b = b1 (1 - w) + b2 w, w = (1 + tanh(X/3))/2 at the inner nodes.
  VectorXd blend() const {
    const std::vector<int> inner = mesh.inner_nodes();
    VectorXd w(inner.size());
    for (std::size_t k = 0; k < inner.size(); ++k) w[k] = 0.5 * (1 + std::tanh(mesh.nodes(inner[k], 0) / 3));
    return w;
  }

  ShellTheta theta(const nlohmann::json& params) const {
    ShellTheta t = golden_theta(params);
    const VectorXd w = blend();
    t.ligament_b = params["b1"].get<double>() * (1 - w.array()) + params["b2"].get<double>() * w.array();
    return t;
  }
  ShellTheta theta() const { return theta(json["params"]); }

  /// The change of theta for a unit change of one of the golden's nine parameters.
  ShellTheta direction(const std::string& name) const {
    ShellTheta d = theta().zero();
    if (name == "E_epi") d.layers[0].young = 1;
    if (name == "E_soft") d.layers[1].young = 1;
    if (name == "C") d.layers[0].stiffening = d.layers[1].stiffening = 1;
    if (name == "tau") d.layers[0].times[0] = d.layers[1].times[0] = 1;
    if (name == "k") d.ligament_stiffness = 1;
    if (name == "mu") d.colliders[0].friction = 1;
    if (name == "kappa") d.skull_penalty = d.colliders[0].penalty = 1;
    if (name == "b1") d.ligament_b = 1 - blend().array();
    if (name == "b2") d.ligament_b = blend();
    return d;
  }
};

/// The patch with its five steps computed.
struct SolvedPatch {
  ShellPatch patch;
  CompiledShell shell{patch.mesh, patch.physics, patch.fixed};
  ShellTheta theta = patch.theta();
  Trajectory trajectory = simulate(shell, theta, patch.schedule);
};

inline const SolvedPatch& solved() {
  static const SolvedPatch s;
  return s;
}

/// 1/2 sum over outer nodes and steps of |x - x_target|^2 and its derivative by every frame.
struct Misfit {
  double value = 0;
  std::map<int, Positions> bars;
};
inline Misfit misfit(const SolvedPatch& s, const Trajectory& target) {
  Misfit m;
  for (int f = 1; f <= 5; ++f) {
    Positions bar = Positions::Zero(s.patch.mesh.nodes.rows(), 3);
    for (const int node : s.patch.mesh.outer_nodes())
      bar.row(node) = s.trajectory.frames[f].state->x.row(node) - target.frames[f].state->x.row(node);
    m.value += 0.5 * bar.squaredNorm();
    m.bars[f] = bar;
  }
  return m;
}

}  // namespace furrow::testing
