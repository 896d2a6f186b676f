// Tetrahedral meshes from and to files.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "forward/mesh/tet_mesh.h"

namespace furrow {

/// VTU (linear and quadratic tetrahedra, cell data `label` or `cluster`, point data `fixed`), Gmsh MSH 2.2 and 4.1 ASCII (physical or
/// elementary tag as label; physical surface groups named in $PhysicalNames become regions), TetGen .node with .ele beside it (region
/// attribute as label, boundary marker 1.. as `region`; give either file). `fixed_file`: a list of node indices (0-based), optional.
/// Inverted corner order is mended by a swap; zero volumes, NaN, indices out of range, truncated files and elements of another kind
/// are InputErrors with file and element or line.
TetMesh read_tet_mesh(const std::filesystem::path& file, const std::string& unit = "mm");

/// Named arrays to store beside a mesh; rows = nodes or elements, 1 or 3 columns.
struct VtuArrays {
  std::vector<std::pair<std::string, MatrixXd>> point;
  std::vector<std::pair<std::string, MatrixXd>> cell;
};
/// VTU with `label`, `fixed` and the arrays given; reads back to the last digit. Field data states unit (mm) and format version.
void write_tet_mesh(const std::filesystem::path& file, const TetMesh& mesh, const VtuArrays& arrays = {});

}  // namespace furrow
