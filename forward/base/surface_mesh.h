// Triangle surfaces. The order of vertices is the correspondence between poses, masks and layouts: no reader
// may change it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

struct SurfaceMesh {
  Positions vertices;                    ///< [mm]
  Triangles triangles;                   ///< polygons come as fans
  std::vector<std::string> group_names;  ///< OBJ groups in order of appearance; empty when there are none
  std::vector<int> triangle_group;  ///< index into group_names per triangle; empty when there are no groups
  Eigen::Matrix<std::uint8_t, Eigen::Dynamic, 3, Eigen::RowMajor>
      colours;  ///< per vertex; no rows when there are none

  int vertex_count() const { return static_cast<int>(vertices.rows()); }
  int triangle_count() const { return static_cast<int>(triangles.rows()); }
};

/// Area-weighted unit normals per vertex (zero where no face touches); n x 3.
Positions vertex_normals(const SurfaceMesh&);
/// Edges of exactly one triangle, as oriented vertex pairs.
std::vector<std::pair<int, int>> boundary_edges(const SurfaceMesh&);
/// Edges shared by three or more triangles.
std::vector<std::pair<int, int>> non_manifold_edges(const SurfaceMesh&);
/// Signed volume of a closed surface [mm^3]; positive when normals point outwards.
double signed_volume(const SurfaceMesh&);
/// Diagonal of the axis-aligned bounding box [mm].
double diagonal(const Positions&);

}  // namespace furrow
