// What a simulated shell says about itself in numbers: energies, forces, wrinkles, frame by frame.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "forward/base/wrinkle_filters.h"
#include "forward/shell_model.h"

namespace furrow {

struct ShellFrameSummary {
  double time = 0;               ///< [s]
  StepReport report;             ///< iterations and factorisations summed over the frame's equilibria
  int halvings = 0;              ///< of the time step
  std::vector<double> energies;  ///< of every potential at the end of the last equilibrium [mJ]
  double smallest_j = 1;         ///< of det F over quadrature points
  double smallest_j_nodes = 1;   ///< over the elements' nodes; at or below 0 an element is folded there
  double penetration = 0;        ///< deepest, into any collider [mm]
  std::vector<Vec3> forces;      ///< of the skin on every collider, contact and friction [N]
  Vec3 held = Vec3::Zero();      ///< sum of the forces that hold the fixed directions, on the skin [N]
  std::vector<Vec3> held_by;     ///< the same of every entry of the scene's `boundary` alone [N]
  double mean_displacement = 0, largest_displacement = 0;  ///< of the outer nodes [mm]
  WrinkleStatistics wrinkles;                              ///< of the outer surface without its contacts
};

/// The outer surface at rest.
SurfaceMesh outer_surface(const ShellModel& model);
/// Rows of the outer nodes, in the order of the surface files.
Positions outer_positions(const PrismMesh& mesh, const Positions& nodes);

/// Waves longer than four thicknesses (four mean edges, where that is more) are bulk deformation.
WrinkleFilter wrinkle_filter(const ShellModel& model);

/// A frame of this model.
ShellFrameSummary summarise(const ShellModel& model, const ShellFrame& frame, const WrinkleFilter& filter);

nlohmann::ordered_json to_json(const ShellModel& model, const ShellFrameSummary& frame);

/// CSV: time_s, then fx_N,fy_N,fz_N of one collider, `NAME.fx_N` ... of several.
std::string forces_csv(const ShellModel& model, const std::vector<ShellFrameSummary>& frames);

}  // namespace furrow
