// From a scene's files to something that computes: mesh, clusters, fixed nodes, and the scan's vertices
// attached to the mesh.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"
#include "forward/compiled_scene.h"
#include "forward/field/layout.h"
#include "forward/mesh/surface_attachment.h"
#include "forward/mesh/tet_mesh.h"
#include "forward/scene.h"

namespace furrow {

struct TetModel {
  Scene scene;
  SurfaceMesh scan;  ///< observations, masks and layouts index its vertices
  TetMesh mesh;      ///< nodes in the scan's configuration (the rest shape when scene.rest == file)
  Layout layout;
  FixedFlags fixed;
  std::shared_ptr<const CompiledScene> compiled;
  SurfaceAttachment attachment;
  Positions rest;                     ///< rest positions of the nodes when scene.rest is file, else no rows
  std::vector<std::string> notes;     ///< repairs made
  std::vector<std::string> warnings;  ///< "the head is 0.24 mm tall: is the mesh in metres?"

  int cluster(const std::string& name) const;  ///< index; std::logic_error when unknown
  TissueTheta theta() const;                   ///< the scene's own values
  /// Positions of the scan's vertices for positions of the mesh's nodes: vertices x 3 [mm].
  Positions scan_positions(const Positions& x) const { return attachment.apply(x); }
};

/// Changes of the discretisation that the model part of error bars is estimated with.
struct ModelVariant {
  double size_factor = 1;   ///< on tet.size (meshes that furrow makes)
  double blend = -1;        ///< [mm]; < 0: the scene's
  double label_jitter = 0;  ///< labels are looked up at centroids displaced by normal noise of this size [mm]
  unsigned seed = 1;        ///< of the jitter
  std::optional<Law> law;
};

/// Reads every file, meshes, labels, attaches, compiles. Throws InputError.
TetModel build_tet_model(const Scene& scene, const ModelVariant& variant = {});

/// The poses to simulate: the scene's list, or its own gravity as "pose".
std::vector<Pose> poses_of(const Scene& scene);

}  // namespace furrow
