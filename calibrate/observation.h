// Observations: what was measured, where, and how well. Plain data; `fit` turns them into residuals.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"
#include "forward/scene.h"

namespace furrow {

enum class Use { fit, holdout };
enum class Frame { head, world };

/// Loss rho of a whitened residual: huber is quadratic up to `scale` and linear beyond, cauchy grows like a
/// logarithm.
struct RobustLoss {
  enum class Kind { none, huber, cauchy };
  Kind kind = Kind::none;
  double scale = 1;  ///< in standard deviations
};

/// One scan of the head at rest under one gravity, as project.json says it (kind "mesh").
struct ObservationSource {
  std::string name;
  std::string scene;          ///< a key of Project::scenes
  MeshFile mesh;              ///< vertices correspond to those of the scene's surface
  Vec3 gravity{0, -9810, 0};  ///< in `frame` [mm/s^2]
  Frame frame = Frame::head;
  std::filesystem::path stable;  ///< mask of vertices that move least, for the motion into the head frame;
                                 ///< empty: found robustly
  std::filesystem::path mask;    ///< vertices that count; empty: all
  std::optional<double> sigma;   ///< noise per coordinate [mm]; nothing: "auto"
  Use use = Use::fit;
  RobustLoss robust;
  std::string where;  ///< file and key path, for messages
};

/// An observation with its files read.
struct MeshObservation {
  ObservationSource source;
  Positions points;          ///< scan vertices x 3 [mm], in source.frame
  std::vector<bool> mask;    ///< per scan vertex; all true without a mask file
  std::vector<bool> stable;  ///< per scan vertex; empty without a file

  int count() const;  ///< vertices in the mask
};

/// `scan` is the scene's surface. InputError: a vertex count that differs from the scan's, a mask that
/// selects fewer than three vertices, a scan more than three times larger or smaller than the neutral (a unit
/// that is wrong).
MeshObservation load_observation(const ObservationSource& source, const SurfaceMesh& scan);

}  // namespace furrow
