// Scan vertices on a tetrahedral mesh: each follows its closest point of the mesh's boundary with a constant
// offset,
//   p(x) = W x + o,   W rows: shape functions of the boundary face at the closest point (order 1 or 2),  o =
//   scan - W x_neutral.
#pragma once

#include "forward/base/types.h"
#include "forward/mesh/tet_mesh.h"

namespace furrow {

struct SurfaceAttachment {
  SparseRows weights;  ///< scan vertices x nodes; rows sum to 1
  Positions offset;    ///< [mm]

  Positions apply(const Positions& x) const;  ///< scan vertices x 3
  double largest_offset() const;              ///< [mm]
};

/// A scan vertex within 1e-9 of the mesh diagonal of a node gets that node alone. `on_faces` restricts the
/// faces (e.g. those whose nodes are not all fixed); empty: all boundary faces.
SurfaceAttachment attach_surface(const Positions& scan, const TetMesh& mesh,
                                 const std::vector<bool>& on_faces = {});

}  // namespace furrow
