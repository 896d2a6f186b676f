// A shell of Lagrange prisms between the inner surface (towards the skull) and the outer one (the skin that
// is seen), with one element or a stack of elements through the thickness. Node order: THEORY section 2.
#pragma once

#include <string>
#include <vector>

#include "forward/base/types.h"
#include "forward/element/layered_rule.h"

namespace furrow {

struct PrismMesh {
  PrismOrder order;
  Positions nodes;                               ///< n x 3 rest positions [mm]
  Elements elements;                             ///< m x order.nodes(), native order
  std::vector<std::vector<Sublayer>> sublayers;  ///< per element, from inner to outer; they fill [-1, 1]
  std::vector<std::string> layers;  ///< names of the material layers, from the outer surface inwards
  /// Faces of the two surfaces, f x order.face_nodes(): node numbers in the triangle's order, both oriented
  /// so that their normal points from inner to outer.
  Elements inner_faces, outer_faces;
  std::vector<int> rim;     ///< nodes on the side walls (the open border of the patch), ascending
  std::vector<char> fixed;  ///< per node, what a file said (all three components); empty: nothing
  VectorXd ligament_b;      ///< per node [1/mm] as a file said (only inner nodes matter); empty: nothing

  std::vector<int> inner_nodes() const;  ///< ascending
  std::vector<int> outer_nodes() const;  ///< ascending: the vertices of the surface files, in this order
};

/// What bounds a set of elements: faces at w = -1 and w = +1 that no other element continues, and the nodes
/// of side walls that belong to one element only (ascending). Throws InputError naming `what` and the
/// elements where node numbers are out of range or elements do not meet face to face, the same way up and
/// side by side.
struct PrismSurfaces {
  Elements inner_faces, outer_faces;
  std::vector<int> rim;
};
PrismSurfaces prism_surfaces(PrismOrder order, const Elements& elements, const std::string& what);

/// Throws InputError naming `what` and the element: wrong node numbers, nodes of no element, numbers that are
/// not finite, elements folded or inside out (det dX/dxi <= 0 at a quadrature point or a node), sublayers
/// that do not fill [-1, 1].
void check_prism_mesh(const PrismMesh& mesh, const std::string& what);

/// Volume of the rest shape [mm^3].
double volume(const PrismMesh& mesh);

/// Smallest det F over the nodes of all elements for the nodes' positions x: high-order elements can fold
/// between their quadrature points, first at the nodes (THEORY 5).
double smallest_j_at_nodes(const PrismMesh& mesh, const Positions& x);

}  // namespace furrow
