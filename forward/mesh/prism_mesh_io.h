// Prism meshes in VTU: VTK_LAGRANGE_WEDGE cells (type 73 with HigherOrderDegrees (p, p, q); without them
// where the number of nodes tells the order; linear wedges, type 13, are read too). What is written is read
// back to the last digit.
//
// Point data: `fixed` (0/1), `b` [1/mm], `outer_vertex` and `inner_vertex` (number in the surface files, -1:
// none). Cell data, layers being numbered from the outer surface inwards:
//   `layer`        one layer a cell
//   `layer_cut_w`  one cut at w in (-1, 1), one number or one a column of nodes: below it layer 1, above it
//   layer 0 both           any number of layers: `layer` has S columns, from w = -1 to 1, -1 where a cell has
//   fewer;
//                  `layer_cut_w` the S - 1 cuts between them (1 where there are fewer), each one number or
//                  one a column of nodes
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "forward/mesh/prism_mesh.h"

namespace furrow {

/// `layers`: names of the scene's layers, from the outer surface inwards (layers[0] is the epidermis); cell
/// data `layer` numbers them. Empty: the names that the file gives. `to_mm` scales positions. Throws
/// InputError naming the file, array or cell.
PrismMesh read_prism_mesh(const std::filesystem::path& file, double to_mm,
                          const std::vector<std::string>& layers);

/// Extra nodal arrays, n x c each.
using NodeArrays = std::map<std::string, MatrixXd>;
/// Writes `file` whole or not at all; positions are mesh.nodes unless `deformed` (n x 3) is given, then
/// `displacement` is written too.
void write_prism_mesh(const std::filesystem::path& file, const PrismMesh& mesh,
                      const Positions* deformed = nullptr, const NodeArrays& arrays = {});

/// The same from and to the text of the file; `where`: its name for messages.
PrismMesh parse_prism_mesh(const std::string& text, const std::string& where, double to_mm,
                           const std::vector<std::string>& layers);
std::string format_prism_mesh(const PrismMesh& mesh, const Positions* deformed = nullptr,
                              const NodeArrays& arrays = {});

}  // namespace furrow
