// What a scene of "model": "shell" says beyond surface, gravity, density and solver: plain data, nothing
// loaded.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "forward/base/types.h"
#include "forward/element/lagrange_prism.h"
#include "forward/element/quadrature.h"
#include "forward/material/skin.h"
#include "forward/mesh/prism_shell.h"
#include "forward/potential/imls_surface.h"
#include "forward/potential/ligament.h"

namespace furrow {

struct LayerOptions {
  std::string name;
  double thickness = 0;  ///< [mm]; 0 for the last (innermost) layer: what is left
  double young = 0;      ///< instantaneous [MPa]
  double poisson = 0.49;
  double stiffening = 1;                   ///< C
  double steady_fraction = 1;              ///< mu_inf / mu
  std::vector<double> relaxation_times;    ///< tau_k [s]
  std::vector<double> branch_weights;      ///< share of each branch in the rest 1 - steady_fraction; sum 1
  std::array<double, 2> prestretch{1, 1};  ///< along `prestretch_axis` and across it, in the plane
  Vec3 prestretch_axis = Vec3::UnitX();    ///< projected onto the surface
  bool operator==(const LayerOptions&) const = default;
};

/// `"mesh": {"patch": {...}}` a generated patch, `{"file": "mesh.vtu"}` a ready-made one.
struct PatchSource {
  int nx = 4, ny = 2;
  double size_x = 28, size_y = 18;          ///< [mm]
  double curvature_x = 0, curvature_y = 0;  ///< z_outer = -(curvature_x x^2 + curvature_y y^2)/2 [1/mm]
  bool operator==(const PatchSource&) const = default;
};
struct ShellMeshOptions {
  std::optional<PatchSource> patch;
  std::filesystem::path file;
  std::string unit = "mm";
  PrismOrder order;
  double thickness = 2;  ///< [mm]; patches only
  /// With two layers; `stack_cuts` override it. With another number of layers `stack` is one element a layer.
  StackKind stack = StackKind::stack;
  std::vector<double>
      stack_cuts;  ///< depths from the outer surface as fractions of the thickness, ascending; may be empty
  RuleKind rule = RuleKind::tensor;
  int contact_subdivision = 2;  ///< n: sub-triangles of a face are n^2
  bool operator==(const ShellMeshOptions&) const = default;
};

struct FieldSource {
  int vertex = 0;  ///< of the inner surface (ascending inner nodes)
  double b = 0;    ///< [1/mm]
  bool operator==(const FieldSource&) const = default;
};
/// Where b comes from; exactly one is set: uniform, sources, clusters, nodal file, or the mesh file's own
/// array.
struct LigamentField {
  enum class Kind { uniform, sources, clusters, nodal, mesh } kind = Kind::uniform;
  double uniform = 0.2;
  std::vector<FieldSource> sources;
  double blend = 3.0;                   ///< [mm]
  std::optional<double> background;     ///< [1/mm]
  std::filesystem::path layout, names;  ///< clusters: one label an inner vertex
  std::vector<std::pair<std::string, double>> cluster_b;
  std::filesystem::path nodal;  ///< CSV with a column b, one row an inner vertex
  bool operator==(const LigamentField&) const = default;
};
struct LigamentOptions {
  LigamentVariant variant = LigamentVariant::smoothed;
  double stiffness = 0.002;  ///< [MPa]; [MPa/mm] for `quadratic`
  double smoothing = 0.05;   ///< [mm]
  LigamentField field;
  bool operator==(const LigamentOptions&) const = default;
};

/// Penalty [MPa/mm], or slaved to the softest layer's modulus: kappa = per_scale x young [1/mm].
struct PenaltyOptions {
  std::optional<double> absolute, per_scale;
  double ramp = 0;  ///< [mm]; 0: the published penalty
  bool operator==(const PenaltyOptions&) const = default;
};
struct SkullOptions {
  ImlsKernel kernel = ImlsKernel::wendland;
  double radius = 0;  ///< [mm]; 0: auto
  PenaltyOptions penalty;
  bool subtract_rest_gap = true;
  bool operator==(const SkullOptions&) const = default;
};

struct ColliderOptions {
  std::string name;
  double radius = 8;  ///< [mm]; of no effect where `path` has a column radius
  PenaltyOptions penalty;
  double friction = 0.8;       ///< mu
  double slip_speed = 0.5;     ///< [mm/s]
  std::filesystem::path path;  ///< finger.csv
  bool operator==(const ColliderOptions&) const = default;
};

enum class ViscousScheme { strang, seed };
struct TimeOptions {
  double step = 1.0 / 24;  ///< [s]
  int frames = 1;          ///< frames computed after frame 0
  ViscousScheme viscous = ViscousScheme::strang;
  int friction_lag = 2;
  /// Frame 0 is brought to rest (all branches relaxed) before time starts; default: when gravity, prestretch
  /// or a moving boundary would leave it out of balance.
  std::optional<bool> settle;
  double step_limit = 0;  ///< [s] of wall time a step may take; 0: none
  bool operator==(const TimeOptions&) const = default;
};

struct ShellScene {
  ShellMeshOptions mesh;
  std::vector<LayerOptions> layers;  ///< from the outer surface inwards
  Volumetric volumetric = Volumetric::quadratic;
  std::optional<LigamentOptions> ligaments;
  std::optional<SkullOptions> skull;
  std::vector<ColliderOptions> colliders;
  TimeOptions time;
  bool operator==(const ShellScene&) const = default;
};

}  // namespace furrow
