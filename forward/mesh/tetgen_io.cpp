// TetGen's .node and .ele files: a header row, then one row an item that starts with its number, 0 or 1 at
// first.
//   .node   points dimension(3) attributes marker(0|1)      number x y z [attributes] [marker]
//   .ele    elements nodes(4|10) attributes                 number nodes... [attributes, the first is the
//   region]
#include <algorithm>
#include <cmath>

#include "forward/mesh/row_scanner.h"
#include "forward/mesh/tet_mesh_readers.h"

namespace furrow {
namespace {

/// TetGen's mid-edge nodes lie on 23, 03, 01, 12, 13, 02 (seen in the output of its -o2): our node k is
/// TetGen's node kFromTetgen[k].
constexpr std::array<int, 10> kFromTetgen{0, 1, 2, 3, 6, 7, 9, 5, 8, 4};

struct Nodes {
  Positions positions;
  std::vector<int> marker;  ///< empty when there are none
  int first = 0;            ///< number of the first node
};

Nodes read_nodes(RowScanner& rows) {
  rows.need_row("its header (points, dimension, attributes, marker)");
  const int count = rows.count("the number of points"), dimension = rows.small_integer("the dimension");
  if (dimension != 3) rows.fail(fmt::format("the dimension is {}; only 3 is read", dimension));
  const int attributes = rows.row_is_empty() ? 0 : rows.count("the number of attributes");
  const int markers = rows.row_is_empty() ? 0 : rows.count("the marker flag");
  if (markers > 1) rows.fail(fmt::format("the marker flag is {}; it must be 0 or 1", markers));
  rows.end_row();
  Nodes nodes;
  nodes.positions.resize(count, 3);
  for (int i = 0; i < count; ++i) {
    rows.need_row(fmt::format("point {} of {}", i + 1, count));
    const int number = rows.small_integer("the point's number");
    if (i == 0) nodes.first = number;
    if (i == 0 && number != 0 && number != 1)
      rows.fail(fmt::format("points are numbered from {}; they must start at 0 or 1", number));
    if (number != nodes.first + i)
      rows.fail(
          fmt::format("point {} stands where {} is due; points must be in order", number, nodes.first + i));
    for (int k = 0; k < 3; ++k) nodes.positions(i, k) = rows.number("a coordinate");
    for (int k = 0; k < attributes; ++k) rows.number("an attribute");
    if (markers == 1) nodes.marker.push_back(rows.small_integer("the boundary marker"));
    rows.end_row();
  }
  return nodes;
}

int whole(RowScanner& rows) {
  const double value = rows.number("the region attribute");
  if (value != std::floor(value) || std::abs(value) > 2e9)
    rows.fail(fmt::format("the region attribute {} is no whole number; labels are whole numbers", value));
  return static_cast<int>(value);
}

void read_elements(RowScanner& rows, const Nodes& nodes, TetMesh& mesh) {
  rows.need_row("its header (elements, nodes, attributes)");
  const int count = rows.count("the number of elements"), size = rows.count("the number of nodes an element");
  if (size != 4 && size != 10) rows.fail(fmt::format("elements have {} nodes; only 4 and 10 are read", size));
  const int attributes = rows.row_is_empty() ? 0 : rows.count("the number of attributes");
  rows.end_row();
  mesh.order = size == 4 ? 1 : 2;
  mesh.elements.resize(count, size);
  for (int e = 0; e < count; ++e) {
    rows.need_row(fmt::format("element {} of {}", e + 1, count));
    rows.small_integer("the element's number");
    std::array<int, 10> element;
    for (int k = 0; k < size; ++k) {
      element[k] = rows.small_integer("a node's number");
      if (element[k] < nodes.first || element[k] - nodes.first >= nodes.positions.rows())
        rows.fail(fmt::format("node {} does not exist; they run from {} to {}", element[k], nodes.first,
                              nodes.first + nodes.positions.rows() - 1));
    }
    for (int k = 0; k < size; ++k) mesh.elements(e, k) = element[kFromTetgen[k]] - nodes.first;
    for (int k = 0; k < attributes; ++k)
      if (k == 0)
        mesh.label.push_back(whole(rows));
      else
        rows.number("an attribute");
    rows.end_row();
  }
}

/// Regions are the markers other than 0, ascending.
void take_markers(const std::vector<int>& marker, TetMesh& mesh) {
  std::vector<int> distinct;
  for (int m : marker)
    if (m != 0) distinct.push_back(m);
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.empty()) return;
  for (int m : distinct) mesh.region_names.push_back(fmt::format("marker {}", m));
  for (int m : marker)
    mesh.region.push_back(
        m == 0 ? -1
               : static_cast<int>(std::lower_bound(distinct.begin(), distinct.end(), m) - distinct.begin()));
}

}  // namespace

TetMesh parse_tetgen(const std::string& node_text, const std::string& node_where, const std::string& ele_text,
                     const std::string& ele_where) {
  RowScanner node_rows(node_text, node_where, '#'), ele_rows(ele_text, ele_where, '#');
  const Nodes nodes = read_nodes(node_rows);
  TetMesh mesh;
  mesh.nodes = nodes.positions;
  read_elements(ele_rows, nodes, mesh);
  take_markers(nodes.marker, mesh);
  check_tet_mesh(mesh, ele_where);
  return mesh;
}

}  // namespace furrow
