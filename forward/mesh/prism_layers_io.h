// The layers of prisms in cell data `layer` and `layer_cut_w`; prism_mesh_io.h says what they hold.
#pragma once

#include <string>
#include <vector>

#include "forward/mesh/prism_mesh.h"
#include "forward/mesh/vtu_file.h"

namespace furrow {

/// Sets mesh.layers and mesh.sublayers. `turned`: columns 1 and 2 of the faces changed places after the file
/// was read. Throws InputError naming the file, array and element.
void read_layers(const VtuPiece& piece, const std::vector<std::string>& layers, bool turned, PrismMesh& mesh);

/// Adds the arrays and the field data `layer_names`.
void write_layers(const PrismMesh& mesh, VtuGrid& grid);

}  // namespace furrow
