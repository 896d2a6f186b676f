// Tetrahedra between surfaces, by TetGen (the only file that includes it is tetgen_mesher.cpp).
#pragma once

#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"
#include "forward/mesh/tet_mesh.h"

namespace furrow {

struct TetgenOptions {
  double size = 4.0;  ///< wanted edge length [mm]; volume bound = size^3 / (6 sqrt 2)
  int order = 2;
  double radius_edge = 1.4;  ///< TetGen's -q
  bool keep_boundary =
      true;  ///< -Y: the surface's own vertices and triangles, in their order, are the first nodes
};

/// What was mended in a surface before meshing, in words, for the report ("flipped 12 triangles of
/// skull.obj").
using Repairs = std::vector<std::string>;

/// Meshes the inside of one closed surface. `fixed_groups` are names of `surface.group_names` whose
/// triangles' nodes become fixed; region_names = group_names, region per boundary node. `name` is the file's
/// name for messages. Mends: duplicate vertices (kept in the numbering, unused ones merged away from the
/// elements only), degenerate and duplicate triangles, flipped normals, small holes are refused or filled
/// (CGAL) when their boundary is shorter than `size` x 12. Refuses with InputError naming file and place
/// (vertex or triangle indices, position): larger holes, self-intersections, non-manifold edges, unknown
/// group names.
TetMesh mesh_closed_surface(const SurfaceMesh& surface, const std::string& name,
                            const std::vector<std::string>& fixed_groups, const TetgenOptions& options,
                            Repairs& repairs);

/// Meshes the volume between an outer closed surface (the skin) and closed surfaces inside it (the bones);
/// bones' nodes are fixed. Node i < skin.vertex_count() is skin vertex i. Open skins (a face mask over an
/// open skull) are refused with the advice to give a closed `volume`. Also refuses bones that intersect the
/// skin, each other, or lie outside.
struct NamedSurface {
  std::string name;
  SurfaceMesh mesh;
};
TetMesh mesh_between(const NamedSurface& skin, const std::vector<NamedSurface>& bones,
                     const TetgenOptions& options, Repairs& repairs);

}  // namespace furrow
