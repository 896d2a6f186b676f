// Tetrahedral meshes from and to files.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "forward/mesh/tet_mesh.h"

namespace furrow {

/// VTU (linear or quadratic tetrahedra, cell data `label` or `cluster`, point data `fixed`, `region`), Gmsh
/// MSH 2.2 and 4.1 ASCII (physical tag, else the elementary one, as label; physical surfaces become regions,
/// named in $PhysicalNames), TetGen .node with .ele beside it (region attribute as label, boundary marker m
/// as region "marker m"; give either file). Mended: inverted elements (two corners swapped). Nodes that no
/// element uses are kept in the numbering and marked fixed, so that no free node is without stiffness. Zero
/// volumes, NaN, indices out of range, truncated files, elements of another kind, mid-edge nodes away from
/// their edge and folded quadratic elements are InputErrors with file and element (0-based) or line. `unit`
/// is what the file's numbers are ("mm", "cm", "m").
TetMesh read_tet_mesh(const std::filesystem::path& file, const std::string& unit = "mm");

/// Named arrays to store beside a mesh; rows = nodes or elements, 1 or 3 columns.
struct VtuArrays {
  std::vector<std::pair<std::string, MatrixXd>> point;
  std::vector<std::pair<std::string, MatrixXd>> cell;
};
/// VTU with `label`, `fixed` and the arrays given; reads back to the last digit. Field data states unit (mm)
/// and format version.
void write_tet_mesh(const std::filesystem::path& file, const TetMesh& mesh, const VtuArrays& arrays = {});

}  // namespace furrow
