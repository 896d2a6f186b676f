// glTF 2.0 for Blender and viewers: one binary file (GLB) with a surface and its poses as morph targets.
//
// glTF's unit is the metre and its axes are y up, z towards the viewer: positions are written times 0.001,
// axes as they are (the head frame has y up and z forward). Vertex order is kept. Values are single
// precision.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"

namespace furrow {

struct GltfPose {
  std::string name;
  Positions vertices;  ///< all vertices of the mesh in this pose, n x 3 [mm]
};

struct GltfScene {
  std::string name = "surface";
  SurfaceMesh mesh;             ///< the neutral; its colours (sRGB) are written when it has any
  std::vector<GltfPose> poses;  ///< morph targets, named in the mesh's extras.targetNames
  /// The animation "poses" goes from the neutral through all of them, linearly; each takes so long [s] ...
  double seconds_per_pose = 1.0;
  std::vector<double> times;   ///< ... or is reached at its own time [s], ascending from above 0
  std::string frame = "head";  ///< what the coordinates are given in, for the file's extras
};

/// Throws InputError when the file does not end in .glb or cannot be written, std::logic_error when counts
/// differ, a triangle names no vertex, there is no triangle, or a number is not finite. Nothing half-written
/// stays behind.
void write_gltf(const std::filesystem::path& file, const GltfScene& scene);

}  // namespace furrow
