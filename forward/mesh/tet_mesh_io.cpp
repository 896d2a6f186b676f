#include "forward/mesh/tet_mesh_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "forward/base/error.h"
#include "forward/base/text_file.h"
#include "forward/base/units.h"
#include "forward/mesh/tet_mesh_readers.h"

namespace furrow {
namespace {

double mm_per(const std::string& unit, const std::string& where) {
  try {
    return parse_quantity("1 " + unit, dimension::length);
  } catch (const std::invalid_argument&) {
    throw InputError(where, fmt::format("\"{}\" is no unit of length; give mm, cm or m", unit));
  }
}

Mat3 corner_edges(const TetMesh& mesh, int e) {
  Mat3 edges;
  for (int k = 0; k < 3; ++k)
    edges.col(k) =
        (mesh.nodes.row(mesh.elements(e, k + 1)) - mesh.nodes.row(mesh.elements(e, 0))).transpose();
  return edges;
}

void check_indices(const TetMesh& mesh, const std::string& where) {
  for (int i = 0; i < mesh.node_count(); ++i)
    if (!mesh.nodes.row(i).allFinite())
      throw InputError(where, fmt::format("node {} (0-based) is not finite; write the mesh again", i));
  for (int e = 0; e < mesh.element_count(); ++e) {
    if (mesh.elements.row(e).minCoeff() < 0 || mesh.elements.row(e).maxCoeff() >= mesh.node_count())
      throw InputError(where,
                       fmt::format("element {} (0-based) names a node outside 0..{}; write the mesh again", e,
                                   mesh.node_count() - 1));
    std::vector<int> nodes(mesh.elements.cols());
    for (int k = 0; k < mesh.elements.cols(); ++k) nodes[k] = mesh.elements(e, k);
    std::sort(nodes.begin(), nodes.end());
    if (std::adjacent_find(nodes.begin(), nodes.end()) != nodes.end())
      throw InputError(where, fmt::format("element {} (0-based) names a node twice; remove it", e));
  }
}

void refuse_copies(const TetMesh& mesh, const std::string& where) {
  std::vector<std::pair<std::array<int, 4>, int>> corners(mesh.element_count());
  for (int e = 0; e < mesh.element_count(); ++e) {
    for (int k = 0; k < 4; ++k) corners[e].first[k] = mesh.elements(e, k);
    std::sort(corners[e].first.begin(), corners[e].first.end());
    corners[e].second = e;
  }
  std::sort(corners.begin(), corners.end());
  for (std::size_t i = 1; i < corners.size(); ++i)
    if (corners[i].first == corners[i - 1].first)
      throw InputError(
          where,
          fmt::format(
              "elements {} and {} (0-based) are the same tetrahedron; keep one (give each volume one group)",
              corners[i - 1].second, corners[i].second));
}

/// Inverted elements get corners 0 and 1 swapped, and the mid-edge nodes with them: 12 with 02, 13 with 03.
void mend_orientation(TetMesh& mesh, const std::string& where) {
  for (int e = 0; e < mesh.element_count(); ++e) {
    const Mat3 edges = corner_edges(mesh, e);
    const double determinant = edges.determinant(), longest = edges.colwise().norm().maxCoeff();
    if (!(std::abs(determinant) > 1e-12 * longest * longest * longest))
      throw InputError(where, fmt::format("element {} (0-based) has no volume; remove it or mesh again", e));
    if (determinant > 0) continue;
    std::swap(mesh.elements(e, 0), mesh.elements(e, 1));
    if (mesh.order == 1) continue;
    std::swap(mesh.elements(e, 5), mesh.elements(e, 6));
    std::swap(mesh.elements(e, 7), mesh.elements(e, 8));
  }
}

/// A mid-edge node lies within a quarter of the edge's length of the edge's middle, whatever the file's node
/// order claims.
void check_mid_edge_nodes(const TetMesh& mesh, const std::string& where) {
  for (int e = 0; e < mesh.element_count(); ++e)
    for (int k = 0; k < 6; ++k) {
      const Eigen::RowVector3d a = mesh.nodes.row(mesh.elements(e, kTetEdges[k][0])),
                               b = mesh.nodes.row(mesh.elements(e, kTetEdges[k][1]));
      if ((mesh.nodes.row(mesh.elements(e, 4 + k)) - 0.5 * (a + b)).norm() > 0.25 * (b - a).norm())
        throw InputError(where, fmt::format("mid-edge node {} of element {} (0-based) is far from the middle "
                                            "of its edge; the file's node order is not "
                                            "this format's, or the element is broken",
                                            mesh.elements(e, 4 + k), e));
    }
}

void check_jacobians(const TetMesh& mesh, const std::string& where) {
  if (measure_quality(mesh).smallest_jacobian > 0) return;
  for (int e = 0; e < mesh.element_count(); ++e) {
    TetMesh one;
    one.nodes.resize(10, 3);
    one.elements.resize(1, 10);
    for (int k = 0; k < 10; ++k) {
      one.nodes.row(k) = mesh.nodes.row(mesh.elements(e, k));
      one.elements(0, k) = k;
    }
    if (!(measure_quality(one).smallest_jacobian > 0))
      throw InputError(
          where,
          fmt::format("quadratic element {} (0-based) is folded; straighten its edges or mesh again", e));
  }
}

void mark_unused(TetMesh& mesh) {
  std::vector<bool> used(mesh.node_count(), false);
  for (int i : mesh.elements.reshaped()) used[i] = true;
  if (std::find(used.begin(), used.end(), false) == used.end()) return;
  mesh.fixed.resize(mesh.node_count(), false);
  for (int i = 0; i < mesh.node_count(); ++i)
    if (!used[i]) mesh.fixed[i] = true;
}

std::string lower_extension(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension;
}

TetMesh read_tetgen_pair(const std::filesystem::path& file) {
  std::filesystem::path node = file, ele = file;
  node.replace_extension(".node");
  ele.replace_extension(".ele");
  return parse_tetgen(read_bytes(node), node.string(), read_bytes(ele), ele.string());
}

void check_arrays(const VtuArrays& arrays, const TetMesh& mesh) {
  for (const auto& [name, values] : arrays.point)
    require(values.rows() == mesh.node_count() && (values.cols() == 1 || values.cols() == 3),
            "a point array has one row a node, 1 or 3 columns");
  for (const auto& [name, values] : arrays.cell)
    require(values.rows() == mesh.element_count() && (values.cols() == 1 || values.cols() == 3),
            "a cell array has one row an element, 1 or 3 columns");
}

}  // namespace

void check_tet_mesh(TetMesh& mesh, const std::string& where) {
  if (mesh.element_count() == 0)
    throw InputError(where, "has no tetrahedra; write a volume mesh of 4- or 10-node tetrahedra");
  check_indices(mesh, where);
  refuse_copies(mesh, where);
  mend_orientation(mesh, where);
  if (mesh.order == 2) {
    check_mid_edge_nodes(mesh, where);
    check_jacobians(mesh, where);
  }
  mark_unused(mesh);
}

TetMesh read_tet_mesh(const std::filesystem::path& file, const std::string& unit) {
  const double scale = mm_per(unit, file.string());
  const std::string extension = lower_extension(file);
  TetMesh mesh;
  if (extension == ".vtu")
    mesh = parse_vtu(read_bytes(file), file.string());
  else if (extension == ".msh")
    mesh = parse_msh(read_bytes(file), file.string());
  else if (extension == ".node" || extension == ".ele")
    mesh = read_tetgen_pair(file);
  else
    throw InputError(file.string(),
                     "is not a kind of tetrahedral mesh that is read here; give .vtu, .msh (2.2 or 4.1 "
                     "ASCII) or .node with .ele");
  if (scale != 1) mesh.nodes *= scale;
  return mesh;
}

void write_tet_mesh(const std::filesystem::path& file, const TetMesh& mesh, const VtuArrays& arrays) {
  check_arrays(arrays, mesh);
  write_text_atomically(file, format_vtu(mesh, arrays));
}

}  // namespace furrow
