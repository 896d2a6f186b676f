// A small bent patch of two-layered skin, deformed, with a history, under fingers and against bone, and the
// flat vectors that difference quotients are taken in: what the derivative tests of shells run on.
#pragma once

#include <random>

#include "forward/mesh/prism_shell.h"
#include "forward/solve/trajectory.h"
#include "tests/support/check_derivative.h"

namespace furrow::testing {

inline VectorXd flat_of(const Positions& p) {
  return Eigen::Map<const VectorXd>(p.data(), p.size());
}
inline Positions rows_of(const VectorXd& v) {
  return Eigen::Map<const Positions>(v.data(), v.size() / 3, 3);
}

/// All numbers of a state: x, frame_start, history, lag.
inline VectorXd flat_of(const ShellState& s) {
  std::vector<double> out;
  const auto append = [&](const auto& m) { out.insert(out.end(), m.data(), m.data() + m.size()); };
  append(s.x);
  append(s.frame_start);
  for (const VectorXd& branch : s.history->branch) append(branch);
  for (const ContactLag& lag : s.lag) {
    append(lag.pressure);
    append(lag.normal);
  }
  return Eigen::Map<const VectorXd>(out.data(), static_cast<Eigen::Index>(out.size()));
}
inline ShellState like(const ShellState& shape, const VectorXd& flat) {
  ShellState s = shape;
  const double* at = flat.data();
  const auto take = [&](auto& m) {
    std::copy_n(at, m.size(), m.data());
    at += m.size();
  };
  take(s.x);
  take(s.frame_start);
  for (VectorXd& branch : s.history.edit().branch) take(branch);
  for (ContactLag& lag : s.lag) {
    take(lag.pressure);
    take(lag.normal);
  }
  return s;
}

/// What a step of this size means for every entry of theta: its own size, or 0.01 where it is zero.
inline VectorXd theta_scale(const ShellTheta& theta) {
  VectorXd s = theta.flat().cwiseAbs();
  for (double& v : s)
    if (v == 0) v = 0.01;
  return s;
}

struct ShellBodyOptions {
  PrismOrder order{2, 1};
  int nx = 1, ny = 1;
  double size_x = 2.4, size_y = 2.0, thickness = 1.0;  ///< [mm]
  bool two_elements = false;        ///< a stack of two elements, else one across both layers
  std::vector<int> branches{1, 1};  ///< of the epidermis and the soft layer
  bool prestretch = false;
  bool fix_side = false;  ///< nodes at the smallest x are fixed
  ShellPhysics physics;   ///< `elastic.branches` and prestretch axes are filled in
};

/// See the file's head. Node positions, histories and lags are generic: no symmetry hides an error.
struct ShellBody {
  explicit ShellBody(const ShellBodyOptions& o) {
    PatchOptions patch{
        o.nx,        o.ny,
        o.size_x,    o.size_y,
        o.thickness, [](double u, double v) { return -0.04 * u * u - 0.03 * v * v + 0.02 * u * v; }};
    ThicknessPlan plan;
    plan.layers = {"soft", "epidermis"};
    plan.layer_cuts = {0, 0.7, 1};
    plan.element_cuts = o.two_elements ? std::vector<double>{0, 0.7, 1} : std::vector<double>{0, 1};
    PrismMesh mesh = make_patch(o.order, patch, plan);
    ShellPhysics physics = o.physics;
    physics.elastic.branches = *std::max_element(o.branches.begin(), o.branches.end());
    if (o.prestretch) physics.elastic.prestretch_axes = {Vec3(1, 0.3, 0), Vec3(0.2, 1, 0.1)};
    FixedFlags fixed = FixedFlags::Constant(mesh.nodes.rows(), 3, false);
    const double side = mesh.nodes.col(0).minCoeff() + 1e-9;
    for (Eigen::Index n = 0; n < mesh.nodes.rows(); ++n)
      if (o.fix_side && mesh.nodes(n, 0) < side) fixed.row(n).setConstant(true);
    shell = std::make_unique<CompiledShell>(std::move(mesh), physics, fixed);
    make_theta(o, physics);
    make_frame(physics);
    make_state();
  }

  StepInput input() const { return {from, frame, theta}; }
  const Potential& potential(const std::string& name) const {
    for (const auto& p : shell->potentials())
      if (p->name() == name) return *p;
    throw std::runtime_error("no potential " + name);
  }

  std::unique_ptr<CompiledShell> shell;
  ShellTheta theta;
  Frame frame;
  ShellState from;
  Positions x;

 private:
  void make_theta(const ShellBodyOptions& o, const ShellPhysics& physics) {
    for (int l = 0; l < 2; ++l) {
      LayerTheta layer;
      layer.young = l == 0 ? 0.5 : 0.06;
      layer.poisson = l == 0 ? 0.45 : 0.48;
      layer.stiffening = l == 0 ? 1.3 : 0.8;
      layer.steady_fraction = o.branches[l] == 0 ? 1 : 0.25 + 0.1 * l;
      layer.times.resize(o.branches[l]);
      layer.weights = VectorXd::Constant(o.branches[l], 1.0 / std::max(1, o.branches[l]));
      for (int k = 0; k < o.branches[l]; ++k) layer.times[k] = 0.06 * (k + 1) + 0.02 * l;
      layer.prestretch = o.prestretch ? Eigen::Vector2d(1.06, 1.03 - 0.05 * l) : Eigen::Vector2d(1, 1);
      theta.layers.push_back(layer);
    }
    theta.ligament_stiffness = 0.004;
    theta.ligament_b = VectorXd::Constant(shell->inner().nodes().size(), 1.5) +
                       0.3 * random_vector(static_cast<int>(shell->inner().nodes().size()), 3);
    theta.skull_penalty = 0.7;
    for (std::size_t c = 0; c < physics.colliders.size(); ++c) {
      ColliderTheta collider;
      collider.penalty = 0.6 + 0.3 * c;
      collider.friction = 0.7 - 0.2 * c;
      collider.radius_change = 0.01;
      collider.offset = Vec3(0.02, -0.01, 0.015);
      theta.colliders.push_back(collider);
    }
    theta.density = 1.1e-9;
  }
  /// The first finger turns and slides, the second only slides.
  void make_frame(const ShellPhysics& physics) {
    frame.time = 0.2;
    frame.dt = 1.0 / 24;
    frame.gravity = Vec3(500, -3000, -9000);
    for (std::size_t c = 0; c < physics.colliders.size(); ++c) {
      ColliderPose before, now;
      before.present = now.present = true;
      before.radius = now.radius = c == 0 ? 3.0 : 2.0;
      before.centre = c == 0 ? Vec3(-0.6, 0.1, 2.9) : Vec3(0.9, -0.3, 1.95);
      now.centre = before.centre + (c == 0 ? Vec3(0.05, 0.03, -0.02) : Vec3(-0.06, 0.02, 0.01));
      if (c == 0) now.rotation = Eigen::AngleAxisd(0.12, Vec3(0.3, 1, -0.2).normalized()).toRotationMatrix();
      frame.before.push_back(before);
      frame.now.push_back(now);
    }
  }
  /// `amplitude` [mm] of the noise on a smooth deformation.
  Positions deformed(double amplitude, unsigned seed) const {
    const Positions& X = shell->mesh().nodes;
    const Mat3 A = (Mat3() << 0.06, 0.03, -0.02, 0.01, -0.05, 0.04, 0.03, -0.02, 0.02).finished();
    Positions out = X + X * A.transpose();
    out.col(2).array() += 0.03 * X.col(0).array() * X.col(1).array() + 0.02 * X.col(0).array();
    out += amplitude * rows_of(random_vector(static_cast<int>(X.size()), seed));
    return out;
  }
  void make_state() {
    const double noise = 0.01 / shell->mesh().order.in_plane;
    x = deformed(noise, 11);
    from = shell->rest_state();
    from.x = deformed(noise, 12);
    from.frame_start = from.x + 0.02 * rows_of(random_vector(static_cast<int>(x.size()), 13));
    ViscousHistory& history = from.history.edit();
    for (std::size_t k = 0; k < history.branch.size(); ++k)
      history.branch[k] += 0.03 * random_vector(static_cast<int>(history.branch[k].size()), 21 + k);
    for (std::size_t c = 0; c < from.lag.size(); ++c) {
      ContactLag& lag = from.lag[c];
      lag.pressure = 0.03 + 0.02 * random_vector(static_cast<int>(lag.pressure.size()), 31 + c).array().cos();
      lag.normal = rows_of(0.2 * random_vector(static_cast<int>(lag.normal.size()), 41 + c));
      lag.normal.col(2).array() -= 1;
      lag.normal.rowwise().normalize();
    }
  }
};

}  // namespace furrow::testing
