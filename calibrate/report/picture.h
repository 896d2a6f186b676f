// Small pictures of coloured surfaces, and PNG files of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"

namespace furrow {

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< row by row from the top, 3 bytes a pixel
};

/// The surface as seen from the front (head frame: y up, z towards the viewer), in its vertex colours under a
/// light from the viewer, on white; as high as the surface's shape asks for. `mesh` has triangles and
/// colours.
Picture draw_front(const SurfaceMesh& mesh, int width);

/// The bytes of a PNG file.
std::string to_png(const Picture& picture);

std::string to_base64(const std::string& bytes);

}  // namespace furrow
