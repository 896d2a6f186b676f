// Shells of prisms from a rectangle of cells: the patches that tests and studies use.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forward/mesh/prism_mesh.h"

namespace furrow {

/// Elements through the thickness and the layers they hold, as fractions or lengths already resolved:
/// element e reaches from depth cuts[e] to cuts[e+1] (fractions of the thickness, 0 inner .. 1 outer), and
/// the layer boundaries are given likewise; a layer boundary inside an element makes sublayers.
struct ThicknessPlan {
  std::vector<double> element_cuts{0, 1};
  std::vector<double> layer_cuts{0, 1};     ///< layer l reaches from layer_cuts[l] to layer_cuts[l + 1]
  std::vector<std::string> layers{"skin"};  ///< from the inner surface outwards
};

/// Patch of nx x ny rectangular cells of two prisms each (cut by the diagonal from lower left to upper
/// right), size_x x size_y x thickness [mm], centred at the origin, outer surface at z = height(x, y) (0
/// where empty), the same shift for all nodes of a column (the thickness is measured along z). Elements are
/// straight-sided in x and y. Nodes are numbered row by row (x fast), level by level from the inner surface;
/// elements of a column follow each other outwards. PrismMesh::layers are the plan's, turned round: from the
/// outer surface inwards.
struct PatchOptions {
  int nx = 4, ny = 2;
  double size_x = 28, size_y = 18, thickness = 2;  ///< [mm]
  std::function<double(double, double)> height;    ///< [mm]
};
/// Throws std::invalid_argument when the numbers make no patch (cuts that do not ascend from 0 to 1, no
/// cells, ...), InputError when `height` folds an element.
PrismMesh make_patch(PrismOrder order, const PatchOptions& options, const ThicknessPlan& plan);

/// The skin from its two layers (epidermis thickness in mm, the rest is `soft`): `stack` = elements epidermis
/// / top 25 % of the soft layer / rest (the default), or `seed` = one element across both. Throws
/// std::invalid_argument unless 0 < epidermis < thickness [mm].
enum class StackKind { stack, seed };
ThicknessPlan skin_plan(double thickness, double epidermis, StackKind kind);

}  // namespace furrow
