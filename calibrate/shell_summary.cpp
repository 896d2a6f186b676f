#include "calibrate/shell_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace furrow {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) {
  return {v[0], v[1], v[2]};
}

double mean_edge(const SurfaceMesh& mesh) {
  double sum = 0;
  for (int t = 0; t < mesh.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k)
      sum += (mesh.vertices.row(mesh.triangles(t, k)) - mesh.vertices.row(mesh.triangles(t, (k + 1) % 3)))
                 .norm();
  return sum / (3.0 * mesh.triangle_count());
}

/// Outer vertices that touch a collider: their dent is no wrinkle.
std::vector<char> touching(const Positions& outer, const Frame& frame, const ShellTheta& theta) {
  constexpr double kNear = 0.05;  // [mm]
  std::vector<char> near(outer.rows(), 0);
  for (std::size_t c = 0; c < frame.now.size(); ++c) {
    if (!frame.now[c].present) continue;
    const Vec3 centre = frame.now[c].centre + theta.colliders[c].offset;
    const double reach = frame.now[c].radius + theta.colliders[c].radius_change + kNear;
    for (int i = 0; i < outer.rows(); ++i)
      if ((outer.row(i).transpose() - centre).norm() < reach) near[i] = 1;
  }
  return near;
}

Vec3 held_force(const DofMap& dofs, const Positions& gradient, const std::vector<int>& nodes) {
  Vec3 sum = Vec3::Zero();
  for (const int i : nodes)
    for (int c = 0; c < 3; ++c)
      if (dofs.dof[3 * i + c] < 0) sum[c] += gradient(i, c);
  return sum;
}

std::vector<int> all_nodes(const PrismMesh& mesh) {
  std::vector<int> nodes(mesh.nodes.rows());
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

Json to_json(const WrinkleStatistics& wrinkles) {
  return {{"rms_mm", wrinkles.rms},
          {"peak_to_valley_mm", wrinkles.peak_to_valley},
          {"wavelength_mm", wrinkles.wavelength},
          {"direction", to_json(wrinkles.direction)},
          {"crests", wrinkles.crests}};
}

}  // namespace

Positions outer_positions(const PrismMesh& mesh, const Positions& nodes) {
  const std::vector<int> outer = mesh.outer_nodes();
  Positions rows(outer.size(), 3);
  for (std::size_t k = 0; k < outer.size(); ++k) rows.row(k) = nodes.row(outer[k]);
  return rows;
}

SurfaceMesh outer_surface(const ShellModel& model) {
  SurfaceMesh surface;
  surface.vertices = outer_positions(model.mesh(), model.mesh().nodes);
  surface.triangles = model.outer_triangles();
  return surface;
}

WrinkleFilter wrinkle_filter(const ShellModel& model) {
  const SurfaceMesh surface = outer_surface(model);
  const double thickness = volume(model.mesh()) / model.compiled->outer().weight().sum();
  return WrinkleFilter(surface, 4 * std::max(thickness, mean_edge(surface)));
}

ShellFrameSummary summarise(const ShellModel& model, const ShellFrame& frame, const WrinkleFilter& filter) {
  const CompiledShell& shell = *model.compiled;
  const Positions& x = frame.state->x;
  const StepInput input{*frame.from, frame.frame, model.theta};
  const ShellValue value = shell.evaluate(x, input, true);

  ShellFrameSummary out;
  out.time = frame.time;
  out.report = frame.report;
  out.halvings = frame.halvings;
  out.energies = value.parts;
  out.smallest_j = value.smallest_j;
  out.smallest_j_nodes = smallest_j_at_nodes(model.mesh(), x);
  out.penetration = shell.contact().deepest_penetration(x, input);
  for (std::size_t c = 0; c < model.colliders.size(); ++c)
    out.forces.push_back(shell.contact().force_on(static_cast<int>(c), x, input) +
                         shell.friction().force_on(static_cast<int>(c), x, input));
  out.held = held_force(shell.dofs(), value.gradient, all_nodes(model.mesh()));
  for (const std::vector<int>& nodes : model.boundary_nodes)
    out.held_by.push_back(held_force(shell.dofs(), value.gradient, nodes));
  const Positions outer = outer_positions(model.mesh(), x);
  const VectorXd moved = (outer - outer_positions(model.mesh(), model.mesh().nodes)).rowwise().norm();
  out.mean_displacement = moved.mean();
  out.largest_displacement = moved.maxCoeff();
  out.wrinkles = filter.statistics(outer, touching(outer, frame.frame, model.theta));
  return out;
}

Json to_json(const ShellModel& model, const ShellFrameSummary& frame) {
  Json energies = Json::object(), forces = Json::object();
  double energy = 0;
  const auto& potentials = model.compiled->potentials();
  for (std::size_t p = 0; p < frame.energies.size(); ++p) {
    energies[potentials[p]->name()] = frame.energies[p];
    energy += frame.energies[p];
  }
  for (std::size_t c = 0; c < frame.forces.size(); ++c) forces[model.colliders[c]] = to_json(frame.forces[c]);
  Json held_by = Json::array();
  for (const Vec3& force : frame.held_by) held_by.push_back(to_json(force));
  return {{"time_s", frame.time},
          {"energy_mJ", energy},
          {"energies_mJ", energies},
          {"iterations", frame.report.iterations},
          {"factorizations", frame.report.factorizations},
          {"halvings", frame.halvings},
          {"buckles", frame.report.buckles},
          {"out_of_balance_N", frame.report.gradient},
          {"force_on_collider_N", forces},
          {"force_of_boundary_N", to_json(frame.held)},
          {"forces_by_boundary_N", held_by},
          {"smallest_J", frame.smallest_j},
          {"smallest_J_at_nodes", frame.smallest_j_nodes},
          {"deepest_penetration_mm", frame.penetration},
          {"mean_displacement_mm", frame.mean_displacement},
          {"largest_displacement_mm", frame.largest_displacement},
          {"wrinkles", to_json(frame.wrinkles)}};
}

std::string forces_csv(const ShellModel& model, const std::vector<ShellFrameSummary>& frames) {
  std::string text = "time_s";
  for (const std::string& name : model.colliders)
    for (const char axis : {'x', 'y', 'z'})
      text +=
          model.colliders.size() == 1 ? fmt::format(",f{}_N", axis) : fmt::format(",{}.f{}_N", name, axis);
  text += '\n';
  for (const ShellFrameSummary& frame : frames) {
    text += fmt::format("{}", frame.time);
    for (const Vec3& force : frame.forces) text += fmt::format(",{},{},{}", force[0], force[1], force[2]);
    text += '\n';
  }
  return text;
}

}  // namespace furrow
