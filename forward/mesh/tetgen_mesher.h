// Tetrahedra between surfaces, by TetGen (the only file that includes it is tetgen_mesher.cpp).
#pragma once

#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"
#include "forward/mesh/tet_mesh.h"

namespace furrow {

struct TetgenOptions {
  double size = 4.0;  ///< wanted edge length [mm]; volume bound = size^3 / (6 sqrt 2); a kept surface that is
                      ///< coarser rules beside it
  int order = 2;
  double radius_edge = 1.4;   ///< TetGen's -q
  bool keep_boundary = true;  ///< -Y: no new nodes on the surface, its triangles are the boundary's faces
};

/// What was mended in a surface before meshing, in words, for the report ("flipped 12 triangles of
/// skull.obj").
using Repairs = std::vector<std::string>;

/// Meshes the inside of one closed surface (a closed shell inside it is a cavity). Node i <
/// surface.vertex_count() is surface vertex i; vertices that no triangle uses, and all but the first of
/// several at one place, keep their number, are in no element and count as fixed (so that no free node is
/// without stiffness). The nodes inside follow, and then the mid-edge nodes of order 2; elements and own
/// nodes lie along a space-filling curve.
/// `fixed_groups`: names of `surface.group_names` whose triangles' corner and mid-edge nodes become fixed.
/// region_names = group_names (one region "surface" when there are none); at a node of several groups the
/// lowest of the fixed ones wins, else the lowest. `name` is the file's name for messages. Mends, and says so
/// in `repairs`: duplicate vertices (within 1e-7 of the diagonal), triangles with a repeated corner, without
/// area or given twice, flipped normals, holes whose boundary is at most 12 x size long (filled, CGAL).
/// Refuses with InputError naming file and place (vertex or triangle numbers from 0, position): longer holes,
/// self-intersections, edges of three triangles, vertices where the surface touches itself, one-sided
/// surfaces, surfaces that nearly touch, unknown group names, sizes that would take more than about 20
/// million tetrahedra.
TetMesh mesh_closed_surface(const SurfaceMesh& surface, const std::string& name,
                            const std::vector<std::string>& fixed_groups, const TetgenOptions& options,
                            Repairs& repairs);

/// Meshes the volume between an outer closed surface (the skin) and closed surfaces inside it (the bones);
/// bones' nodes are fixed. Node i < skin.vertex_count() is skin vertex i, the bones' vertices follow in
/// order. Regions: the skin's groups (or its name), then one a bone, called by its name. Shells inside a bone
/// (marrow) play no part. Mends and refuses as above. Open skins (a face mask over an open skull) are refused
/// with the advice to give a closed `volume`. Also refuses bones that intersect the skin, each other, or lie
/// outside.
struct NamedSurface {
  std::string name;
  SurfaceMesh mesh;
};
TetMesh mesh_between(const NamedSurface& skin, const std::vector<NamedSurface>& bones,
                     const TetgenOptions& options, Repairs& repairs);

}  // namespace furrow
