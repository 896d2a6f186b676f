// What the readers of the three surface formats share. Lengths are the file's own; read_surface scales them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"

namespace furrow {

/// Grows while a file is read; lists, since the counts are not known before.
struct SurfaceBuilder {
  std::vector<double> coordinates;    ///< 3 a vertex
  std::vector<std::uint8_t> colours;  ///< 3 a vertex, or none
  std::vector<int> corners;           ///< 3 a triangle

  int vertex_count() const { return static_cast<int>(coordinates.size() / 3); }
  SurfaceMesh finish() const;  ///< without groups
};

SurfaceMesh read_obj(const std::filesystem::path& file);
SurfaceMesh read_ply(const std::filesystem::path& file);
SurfaceMesh read_stl(const std::filesystem::path& file);

/// More than this many vertices or triangles do not fit an index; readers refuse the file.
inline constexpr std::size_t most_indices = 2147483647;

}  // namespace furrow
