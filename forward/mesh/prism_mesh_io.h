// Prism meshes in VTU: VTK_LAGRANGE_WEDGE cells (type 73 with HigherOrderDegrees; linear wedges, type 13, are
// read too). Point data `fixed` (0/1), `b` [1/mm], `outer_vertex`, `inner_vertex`; cell data `layer` (one layer a
// cell) or `layer_cut_w` (one cut: below it layer 1, above it layer 0). What is written is read back to the
// last digit.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "forward/mesh/prism_mesh.h"

namespace furrow {

/// `layers`: names of the scene's layers, from the outer surface inwards (layers[0] is the epidermis); cell
/// data `layer` numbers them. `to_mm` scales positions. Throws InputError naming the file, array or cell.
PrismMesh read_prism_mesh(const std::filesystem::path& file, double to_mm,
                          const std::vector<std::string>& layers);

/// Extra nodal arrays, n x c each.
using NodeArrays = std::map<std::string, MatrixXd>;
/// Writes `file` whole or not at all; positions are mesh.nodes unless `deformed` (n x 3) is given, then
/// `displacement` is written too.
void write_prism_mesh(const std::filesystem::path& file, const PrismMesh& mesh, const Positions* deformed = nullptr,
                      const NodeArrays& arrays = {});

}  // namespace furrow
