// One reader a format, from text in memory. All return nodes in the file's numbers; `check_tet_mesh` is what
// they share.
#pragma once

#include <string>

#include "forward/mesh/tet_mesh.h"
#include "forward/mesh/tet_mesh_io.h"

namespace furrow {

/// `where`: the file's name for messages.
TetMesh parse_vtu(const std::string& text, const std::string& where);
TetMesh parse_msh(const std::string& text, const std::string& where);
TetMesh parse_tetgen(const std::string& node_text, const std::string& node_where, const std::string& ele_text,
                     const std::string& ele_where);

/// The XML text of a VTU file (appended base64, zlib).
std::string format_vtu(const TetMesh& mesh, const VtuArrays& arrays);

/// Index ranges, repeated corners, finite coordinates, orientation (mended), volumes, mid-edge nodes; marks
/// unused nodes fixed.
void check_tet_mesh(TetMesh& mesh, const std::string& where);

}  // namespace furrow
