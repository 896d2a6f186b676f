#include "forward/mesh/prism_mesh_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "forward/base/error.h"
#include "forward/base/text_file.h"
#include "forward/mesh/prism_layers_io.h"
#include "forward/mesh/vtu_file.h"

namespace furrow {
namespace {

constexpr int kLinearWedge = 13, kLagrangeWedge = 73;  // VTK's cell types

int type_of_cells(const VtuPiece& piece) {
  const std::vector<int> types = piece.cell_types();
  if (types[0] != kLinearWedge && types[0] != kLagrangeWedge)
    piece.fail(
        fmt::format("element 0 is a VTK cell of type {}; only Lagrange wedges (73) and linear wedges (13) "
                    "are read",
                    types[0]));
  for (std::size_t e = 1; e < types.size(); ++e)
    if (types[e] != types[0])
      piece.fail(
          fmt::format("element {} (0-based) is a VTK cell of type {} among cells of type {}; write one kind "
                      "of wedges only",
                      e, types[e], types[0]));
  return types[0];
}

/// (p, p, q) of every cell.
PrismOrder order_from_degrees(const VtuPiece& piece, const MatrixXd& degrees) {
  if (degrees.cols() != 3) piece.fail("array \"HigherOrderDegrees\" must have three numbers a cell");
  for (int e = 0; e < degrees.rows(); ++e) {
    const double p = degrees(e, 0), q = degrees(e, 2);
    const bool known = (p == 1 || p == 2 || p == 3 || p == 4) && degrees(e, 1) == p && (q == 1 || q == 2);
    if (!known)
      piece.fail(
          fmt::format("element {} (0-based) has degrees ({}, {}, {}); wedges of degrees (p, p, q) with p = 1 "
                      "to 4 and q = 1 or 2 are read",
                      e, p, degrees(e, 1), q));
    if (degrees.row(e) != degrees.row(0))
      piece.fail(
          fmt::format("element {} (0-based) has other degrees than element 0; write cells of one order", e));
  }
  return {static_cast<int>(degrees(0, 0)), static_cast<int>(degrees(0, 2))};
}

PrismOrder order_from_size(const VtuPiece& piece, int size) {
  std::vector<PrismOrder> found;
  for (int p = 1; p <= 4; ++p)
    for (int q = 1; q <= 2; ++q)
      if (PrismOrder{p, q}.nodes() == size) found.push_back({p, q});
  if (found.empty())
    piece.fail(
        fmt::format("element 0 has {} nodes; wedges of order 1 to 4 in the plane and 1 or 2 in thickness are "
                    "read",
                    size));
  if (found.size() > 1)
    piece.fail(
        fmt::format("wedges of {} nodes are of degrees (3, 3, 2) or (4, 4, 1); write the cell array "
                    "HigherOrderDegrees",
                    size));
  return found[0];
}

PrismOrder order_of_cells(const VtuPiece& piece) {
  if (type_of_cells(piece) == kLinearWedge) return {1, 1};
  if (const auto degrees = piece.cell_array("HigherOrderDegrees")) return order_from_degrees(piece, *degrees);
  return order_from_size(piece, piece.first_cell_size());
}

Elements native_elements(const VtuPiece& piece, PrismOrder order) {
  const Elements vtk = piece.connectivity(order.nodes());
  Elements native(vtk.rows(), vtk.cols());
  const std::vector<int> permutation = native_to_vtk(order);
  for (int n = 0; n < order.nodes(); ++n) native.col(n) = vtk.col(permutation[n]);
  return native;
}

/// VTK documents linear wedges with the normal of nodes 0 1 2 away from 3 4 5, and evaluates them with it
/// towards them: both are in use. A mesh of the first kind is turned round; true when it was.
bool turn_linear_wedges(const VtuPiece& piece, PrismMesh& mesh) {
  if (type_of_cells(piece) != kLinearWedge) return false;
  for (int e = 0; e < mesh.elements.rows(); ++e) {
    const auto x = [&](int n) -> Eigen::RowVector3d { return mesh.nodes.row(mesh.elements(e, n)); };
    const Eigen::RowVector3d up = x(3) + x(4) + x(5) - x(0) - x(1) - x(2);
    if (!((x(1) - x(0)).cross(x(2) - x(0)).dot(up) < 0)) return false;
  }
  mesh.elements.col(1).swap(mesh.elements.col(2));
  mesh.elements.col(4).swap(mesh.elements.col(5));
  return true;
}

/// Surface files number the nodes of a surface in ascending order; an array that says otherwise is refused.
void check_vertex_numbers(const VtuPiece& piece, const char* name, const std::vector<int>& nodes) {
  const auto numbers = piece.point_integers(name);
  if (!numbers) return;
  std::vector<int> expected(numbers->size(), -1);
  for (std::size_t v = 0; v < nodes.size(); ++v) expected[nodes[v]] = static_cast<int>(v);
  const auto [found, other] = std::mismatch(numbers->begin(), numbers->end(), expected.begin());
  if (found != numbers->end())
    piece.fail(fmt::format(
        "array \"{}\" holds {} at {} (0-based) where {} belongs: nodes of the surface are numbered "
        "in ascending order, others are -1; mend or remove it",
        name, *found, found - numbers->begin(), *other));
}

PrismMesh mesh_from(const VtuPiece& piece, const std::string& where, double to_mm,
                    const std::vector<std::string>& layers) {
  if (piece.points() == 0 || piece.cells() == 0)
    piece.fail("has no prisms; write a mesh of linear or Lagrange wedges");
  PrismMesh mesh;
  mesh.order = order_of_cells(piece);
  mesh.elements = native_elements(piece, mesh.order);
  mesh.nodes = piece.positions();
  if (to_mm != 1) mesh.nodes *= to_mm;
  const bool turned = turn_linear_wedges(piece, mesh);
  read_layers(piece, layers, turned, mesh);
  if (const auto fixed = piece.point_integers("fixed"))
    for (const int value : *fixed) mesh.fixed.push_back(value != 0);
  if (const auto b = piece.point_array("b")) {
    if (b->cols() != 1) piece.fail("array \"b\" must have one number a row");
    mesh.ligament_b = b->col(0);
  }
  check_prism_mesh(mesh, where);
  auto [inner, outer, rim] = prism_surfaces(mesh.order, mesh.elements, where);
  mesh.inner_faces = std::move(inner);
  mesh.outer_faces = std::move(outer);
  mesh.rim = std::move(rim);
  check_vertex_numbers(piece, "outer_vertex", mesh.outer_nodes());
  check_vertex_numbers(piece, "inner_vertex", mesh.inner_nodes());
  return mesh;
}

std::vector<int> vertex_numbers(Eigen::Index count, const std::vector<int>& nodes) {
  std::vector<int> numbers(count, -1);
  for (std::size_t v = 0; v < nodes.size(); ++v) numbers[nodes[v]] = static_cast<int>(v);
  return numbers;
}

void set_cells(const PrismMesh& mesh, VtuGrid& grid) {
  grid.cell_type = kLagrangeWedge;
  grid.cells.resize(mesh.elements.rows(), mesh.elements.cols());
  const std::vector<int> permutation = native_to_vtk(mesh.order);
  for (int n = 0; n < mesh.order.nodes(); ++n) grid.cells.col(permutation[n]) = mesh.elements.col(n);
  const double p = mesh.order.in_plane, q = mesh.order.thickness;
  grid.degrees = Eigen::RowVector3d(p, p, q).replicate(mesh.elements.rows(), 1);
}

}  // namespace

PrismMesh parse_prism_mesh(const std::string& text, const std::string& where, double to_mm,
                           const std::vector<std::string>& layers) {
  require(std::isfinite(to_mm) && to_mm > 0, "a unit of length is a positive number of mm");
  PrismMesh mesh;
  read_vtu(text, where, [&](const VtuPiece& piece) { mesh = mesh_from(piece, where, to_mm, layers); });
  return mesh;
}

std::string format_prism_mesh(const PrismMesh& mesh, const Positions* deformed, const NodeArrays& arrays) {
  const Eigen::Index count = mesh.nodes.rows();
  require(deformed == nullptr || deformed->rows() == count, "deformed positions have one row a node");
  VtuGrid grid;
  grid.points = deformed == nullptr ? mesh.nodes : *deformed;
  set_cells(mesh, grid);
  write_layers(mesh, grid);
  if (!mesh.fixed.empty())
    grid.point_integers.push_back({"fixed", std::vector<int>(mesh.fixed.begin(), mesh.fixed.end()), true});
  grid.point_integers.push_back({"outer_vertex", vertex_numbers(count, mesh.outer_nodes())});
  grid.point_integers.push_back({"inner_vertex", vertex_numbers(count, mesh.inner_nodes())});
  if (mesh.ligament_b.size() > 0) grid.point_numbers.emplace_back("b", mesh.ligament_b);
  if (deformed != nullptr) grid.point_numbers.emplace_back("displacement", *deformed - mesh.nodes);
  for (const auto& [name, values] : arrays) {
    require(values.rows() == count && values.cols() > 0, "a nodal array has one row a node");
    grid.point_numbers.emplace_back(name, values);
  }
  return format_vtu(grid);
}

PrismMesh read_prism_mesh(const std::filesystem::path& file, double to_mm,
                          const std::vector<std::string>& layers) {
  return parse_prism_mesh(read_bytes(file), file.string(), to_mm, layers);
}

void write_prism_mesh(const std::filesystem::path& file, const PrismMesh& mesh, const Positions* deformed,
                      const NodeArrays& arrays) {
  write_text_atomically(file, format_prism_mesh(mesh, deformed, arrays));
}

}  // namespace furrow
