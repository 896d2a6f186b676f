// Tetrahedral meshes in VTU (VTK's cells 10 and 24).
#include <fmt/format.h>

#include <algorithm>

#include "forward/mesh/tet_mesh_readers.h"
#include "forward/mesh/vtu_file.h"

namespace furrow {
namespace {

constexpr int kTetra = 10, kQuadraticTetra = 24;  // VTK's cell types

int order_of_cells(const VtuPiece& piece) {
  const std::vector<int> types = piece.cell_types();
  if (types[0] != kTetra && types[0] != kQuadraticTetra)
    piece.fail(fmt::format(
        "element 0 is a VTK cell of type {}; only linear (10) and quadratic (24) tetrahedra are read",
        types[0]));
  for (std::size_t e = 1; e < types.size(); ++e)
    if (types[e] != types[0])
      piece.fail(
          fmt::format("element {} (0-based) is a VTK cell of type {} among cells of type {}; write one kind "
                      "of tetrahedra only",
                      e, types[e], types[0]));
  return types[0] == kTetra ? 1 : 2;
}

void take_regions(TetMesh& mesh, const VtuPiece& piece) {
  mesh.region = piece.point_integers("region").value_or(std::vector<int>());
  if (mesh.region.empty()) return;
  mesh.region_names = piece.field_texts("region_names");
  const int highest = *std::max_element(mesh.region.begin(), mesh.region.end());
  if (highest >= 10000) piece.fail(fmt::format("array \"region\" holds {}; number regions from 0", highest));
  for (int r = static_cast<int>(mesh.region_names.size()); r <= highest; ++r)
    mesh.region_names.push_back(fmt::format("region {}", r));
  for (int& region : mesh.region) region = std::max(region, -1);
}

TetMesh mesh_from(const VtuPiece& piece) {
  if (piece.points() == 0 || piece.cells() == 0)
    piece.fail("has no tetrahedra; write a volume mesh of linear or quadratic tetrahedra");
  TetMesh mesh;
  mesh.order = order_of_cells(piece);
  mesh.elements = piece.connectivity(mesh.order == 1 ? 4 : 10);
  mesh.nodes = piece.positions();
  auto label = piece.cell_integers("label");
  if (!label) label = piece.cell_integers("cluster");
  mesh.label = std::move(label).value_or(std::vector<int>());
  if (const auto fixed = piece.point_integers("fixed"))
    for (const int value : *fixed) mesh.fixed.push_back(value != 0);
  take_regions(mesh, piece);
  return mesh;
}

}  // namespace

TetMesh parse_vtu(const std::string& text, const std::string& where) {
  TetMesh mesh;
  read_vtu(text, where, [&](const VtuPiece& piece) { mesh = mesh_from(piece); });
  check_tet_mesh(mesh, where);
  return mesh;
}

std::string format_vtu(const TetMesh& mesh, const VtuArrays& arrays) {
  VtuGrid grid;
  grid.points = mesh.nodes;
  grid.cell_type = mesh.order == 1 ? kTetra : kQuadraticTetra;
  grid.cells = mesh.elements;
  if (!mesh.label.empty()) grid.cell_integers.push_back({"label", mesh.label});
  if (!mesh.fixed.empty())
    grid.point_integers.push_back({"fixed", std::vector<int>(mesh.fixed.begin(), mesh.fixed.end()), true});
  if (!mesh.region.empty()) grid.point_integers.push_back({"region", mesh.region});
  grid.point_numbers = arrays.point;
  grid.cell_numbers = arrays.cell;
  if (!mesh.region_names.empty()) grid.texts.emplace_back("region_names", mesh.region_names);
  return format_vtu(grid);
}

}  // namespace furrow
