// Closed surfaces fit for meshing: what can be mended is mended and said, the rest is refused with its place.
// (The only file that includes CGAL is surface_repair.cpp.)
#pragma once

#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"
#include "forward/mesh/tetgen_mesher.h"

namespace furrow {

/// Closed, manifold, consistently oriented; normals leave the solid that the surface bounds (a shell inside a
/// shell is a cavity).
struct MendedSurface {
  std::string name;         ///< of the file, for messages
  Positions vertices;       ///< the file's, all of them, in their order [mm]
  Triangles triangles;      ///< duplicates of a vertex are replaced by the first of them
  std::vector<int> group;   ///< per triangle: index into the surface's group names, 0 when it has none
  std::vector<int> source;  ///< per triangle: its number in the file (0-based), -1 for one that fills a hole
  std::vector<std::vector<int>> shells;  ///< connected components: their triangles
};

/// Steps, in this order: merge coincident vertices (1e-7 of the diagonal), drop triangles with a repeated
/// corner and copies of a triangle, refuse edges of three or more triangles, orient consistently, fill holes
/// whose boundary is at most `longest_hole` [mm], flip the longest edge of triangles without area, refuse
/// vertices where the surface touches itself, turn the shells' normals out of the solid. Self-intersections
/// are left to refuse_intersections. Throws InputError.
MendedSurface mend_surface(const SurfaceMesh& surface, const std::string& name, double longest_hole,
                           Repairs& repairs);

/// Throws InputError naming the first pair of triangles that intersect, within a surface or between two.
void refuse_intersections(const std::vector<const MendedSurface*>& surfaces);

/// Whether a shell encloses a point (its winding number there is 1 or -1).
bool shell_contains(const MendedSurface& surface, int shell, const Vec3& point);
/// Whether the solid contains a point.
bool contains(const MendedSurface& surface, const Vec3& point);
/// Volume inside a shell [mm^3]; negative for the wall of a cavity.
double shell_volume(const MendedSurface& surface, int shell);

}  // namespace furrow
