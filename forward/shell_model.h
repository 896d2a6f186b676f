// From a shell scene's files to something that runs: mesh, fixed dofs, parameters, paths.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forward/compiled_shell.h"
#include "forward/scene.h"
#include "forward/solve/trajectory.h"

namespace furrow {

struct ShellModel {
  Scene scene;
  std::shared_ptr<const CompiledShell> compiled;
  ShellTheta theta;        ///< the scene's own values
  ShellSchedule schedule;  ///< frames, paths, options; self-contained (no reference into this object)
  std::vector<std::string> layers, colliders;  ///< names, in theta's order
  /// Ligament clusters: name and label per inner vertex, where the field is clustered; empty otherwise.
  std::vector<std::string> ligament_clusters;
  std::vector<int> ligament_labels;
  std::vector<std::vector<int>> boundary_nodes;  ///< of every entry of the scene's `boundary`
  std::vector<std::string> warnings;

  const PrismMesh& mesh() const { return compiled->mesh(); }
  /// The outer surface as a triangle mesh: vertices are mesh().outer_nodes() in this order; every face of
  /// order p gives p^2 triangles.
  Triangles outer_triangles() const;
};

/// Reads every file, meshes, compiles. Throws InputError: file, key and what to do.
ShellModel build_shell_model(const Scene& scene);

/// The mesh alone, for `furrow mesh`.
PrismMesh build_shell_mesh(const Scene& scene);

}  // namespace furrow
