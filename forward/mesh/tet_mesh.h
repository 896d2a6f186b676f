// Tetrahedral meshes of order 1 and 2; node order: element/lagrange_tet.h.
#pragma once

#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"
#include "forward/base/types.h"
#include "forward/element/lagrange_tet.h"

namespace furrow {

struct TetMesh {
  int order = 2;            ///< 1: 4 nodes an element, 2: 10
  Positions nodes;          ///< [mm]
  Elements elements;        ///< m x 4 or m x 10
  std::vector<int> label;   ///< cluster label per element as in the file; empty when there are none
  std::vector<bool> fixed;  ///< per node; empty when nothing is known
  std::vector<int> region;  ///< per node: index into region_names of the boundary group it lies on (of
                            ///< several the lowest, but see tetgen_mesher.h), -1 inside; may be empty
  std::vector<std::string> region_names;

  int node_count() const { return static_cast<int>(nodes.rows()); }
  int element_count() const { return static_cast<int>(elements.rows()); }
};

/// Straight-sided order 2 of an order 1 mesh: mid-edge nodes are appended after the corners; fixed and region
/// are carried (an edge's node is fixed when both ends are and the edge lies on a boundary face whose three
/// corners are fixed).
TetMesh elevate_order(const TetMesh& linear);

/// Faces that belong to one element only: corner triples (outward), and the element of each.
struct BoundaryFaces {
  Triangles corners;
  std::vector<int> element;
  std::vector<int> face;  ///< row of kTetFaces
};
BoundaryFaces boundary_faces(const TetMesh&);

struct TetQuality {
  double smallest_volume = 0;        ///< of the corner tetrahedra [mm^3]
  double total_volume = 0;           ///< [mm^3]
  double smallest_dihedral_deg = 0;  ///< of the corner tetrahedra
  double largest_dihedral_deg = 0;
  double mean_edge = 0;          ///< [mm]
  double smallest_jacobian = 0;  ///< smallest det dX/dxi at nodes and quadrature points over 6 x corner
                                 ///< volume (order 2), 1 for order 1
};
TetQuality measure_quality(const TetMesh&);

}  // namespace furrow
