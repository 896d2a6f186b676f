// A scene as plain data, as scene.json says it. Files are absolute paths; nothing is loaded yet.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "forward/base/types.h"
#include "forward/material/neo_hookean.h"
#include "forward/shell_scene.h"

namespace furrow {

struct MeshFile {
  std::filesystem::path file;
  std::string unit = "mm";
  bool operator==(const MeshFile&) const = default;
};

struct VolumeSource {  ///< one closed boundary whose groups say what is fixed
  MeshFile mesh;
  std::vector<std::string> fixed;
  bool operator==(const VolumeSource&) const = default;
};

struct TetOptions {
  double size = 4.0;  ///< [mm]
  int order = 2;
  std::optional<MeshFile>
      ready_made;  ///< `"tet": {"mesh": "head.vtu", "unit": "mm"}`; then size and bones are not used
  std::filesystem::path fixed_nodes;  ///< list of node indices; empty: what the mesh file says
  bool operator==(const TetOptions&) const = default;
};

struct Tissue {
  Law law = Law::neo_hookean;
  bool clustered =
      true;  ///< false (`"young"` without `clusters`): one cluster "all", whatever labels a mesh carries
  std::filesystem::path layout;  ///< clustered and empty: the ready-made mesh's labels
  std::filesystem::path names;
  double blend = 0;                     ///< [mm]
  std::map<std::string, double> young;  ///< cluster name -> [MPa]; "*" for all others
  double poisson = 0.47;
  bool operator==(const Tissue&) const = default;
};

struct BoundaryCondition {
  /// "fixed" (default set of the mesh), a region's name; of a shell "rim", "inner", "outer" or "fixed"; empty
  /// when file or box is given.
  std::string nodes;
  std::filesystem::path file;              ///< list of node indices
  std::optional<std::array<Vec3, 2>> box;  ///< [mm]
  std::array<bool, 3> fix{false, false, false};
  /// Shells: how the fixed components move, CSV with time_s and any of x_mm, y_mm, z_mm, the displacement
  /// from rest; empty: they stay.
  std::filesystem::path path;
  bool operator==(const BoundaryCondition&) const = default;
};

enum class RestShape { scan, inverse, file };

struct SolverOptions {
  std::string method = "auto";  ///< auto | newton | lbfgs, and pcg for shells
  double tolerance = 1e-10;     ///< tets: |free residual| over |gravity load|
  double force_tolerance = 0;   ///< shells: largest free component of the residual [N]; 0: auto
  int max_iterations = 200;
  bool inversion_thresholding = false;  ///< ITF04, for bad starts only
  bool operator==(const SolverOptions&) const = default;
};

struct Pose {
  std::string name;
  Vec3 gravity;  ///< head frame [mm/s^2]
  bool operator==(const Pose&) const = default;
};

struct Scene {
  std::filesystem::path file;
  std::string model = "tet";        ///< tet | shell
  std::optional<ShellScene> shell;  ///< set exactly when model is "shell"
  MeshFile
      surface;  ///< the scan that observations, masks and layouts index; none for a shell: its outer nodes
  std::vector<MeshFile> bones;
  std::optional<VolumeSource> volume;
  TetOptions tet;
  Tissue tissue;
  double density = 1e-9;      ///< [t/mm^3]
  Vec3 gravity{0, -9810, 0};  ///< of the scan (the neutral pose) [mm/s^2]; a shell without gravity has zero
  RestShape rest = RestShape::inverse;
  std::filesystem::path rest_file;  ///< VTU with the same topology when rest == file
  std::vector<BoundaryCondition> boundary;
  std::vector<Pose> poses;  ///< what `simulate` computes; empty: the scene's own gravity
  SolverOptions solver;
  bool operator==(const Scene&) const = default;
};

}  // namespace furrow
