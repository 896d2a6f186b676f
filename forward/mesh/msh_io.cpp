// Gmsh's MSH files, versions 2.2 and 4.1, ASCII. Sections that are not needed are skipped.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "forward/mesh/row_scanner.h"
#include "forward/mesh/tet_mesh_readers.h"

namespace furrow {
namespace {

enum ElementType { kTriangle = 2, kTetrahedron = 4, kTriangle6 = 9, kTetrahedron10 = 11 };

/// Nodes of Gmsh's element types of dimension 0 to 2 that may stand beside tetrahedra, and of tetrahedra; 0
/// for all others.
int nodes_of_type(int type) {
  switch (type) {
    case 15:
      return 1;  // point
    case 1:
      return 2;  // line
    case 8:
      return 3;  // quadratic line
    case kTriangle:
      return 3;
    case kTriangle6:
      return 6;
    case kTetrahedron:
      return 4;
    case kTetrahedron10:
      return 10;
    default:
      return 0;
  }
}

/// Gmsh's mid-edge nodes lie on 01, 12, 02, 03, 23, 13: the last two change places.
constexpr std::array<int, 10> kFromGmsh{0, 1, 2, 3, 4, 5, 6, 7, 9, 8};

struct Item {
  std::array<int, 10> nodes;
  int size, physical, elementary;
};

struct Contents {
  std::unordered_map<long long, int> node_index;  ///< by Gmsh's tag
  std::vector<Vec3> nodes;
  std::vector<Item> tetrahedra, triangles;
  int tetrahedron_type = 0;
  std::map<std::array<int, 2>, std::string> names;  ///< by dimension and physical tag
  std::map<std::array<int, 2>, int> physical;       ///< first physical tag by dimension and entity (4.1)
};

void end_section(RowScanner& rows, const std::string& name) {
  rows.need_row("$End" + name);
  if (rows.rest() != "$End" + name)
    rows.fail(fmt::format("{} stands where $End{} is due; the counts and the rows do not agree",
                          in_quotes(rows.rest()), name));
}

void skip_section(RowScanner& rows, const std::string& name) {
  do rows.need_row("$End" + name);
  while (rows.rest() != "$End" + name);
}

void read_names(RowScanner& rows, Contents& contents) {
  rows.need_row("the number of physical names");
  const int count = rows.count("the number of physical names");
  rows.end_row();
  for (int i = 0; i < count; ++i) {
    rows.need_row("a physical name");
    const int dimension = rows.small_integer("the dimension"), tag = rows.small_integer("the physical tag");
    const std::string_view quoted = trimmed(rows.rest());
    if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"')
      rows.fail("a physical name stands in double quotes");
    contents.names[{dimension, tag}] = quoted.substr(1, quoted.size() - 2);
  }
}

void add_node(RowScanner& rows, Contents& contents, long long tag, const Vec3& x) {
  if (!contents.node_index.try_emplace(tag, static_cast<int>(contents.nodes.size())).second)
    rows.fail(fmt::format("node {} is given twice; write the mesh again", tag));
  contents.nodes.push_back(x);
}

Vec3 read_point(RowScanner& rows) {
  Vec3 x;
  for (int k = 0; k < 3; ++k) x[k] = rows.number("a coordinate");
  return x;
}

void read_nodes_2(RowScanner& rows, Contents& contents) {
  rows.need_row("the number of nodes");
  const int count = rows.count("the number of nodes");
  rows.end_row();
  for (int i = 0; i < count; ++i) {
    rows.need_row(fmt::format("node {} of {}", i + 1, count));
    const long long tag = rows.integer("the node's number");
    add_node(rows, contents, tag, read_point(rows));
    rows.end_row();
  }
}

void read_nodes_4(RowScanner& rows, Contents& contents) {
  rows.need_row("the numbers of node blocks and nodes");
  const int blocks = rows.count("the number of node blocks"), count = rows.count("the number of nodes");
  for (int b = 0; b < blocks; ++b) {
    rows.need_row("a node block");
    const int dimension = rows.small_integer("the dimension");
    rows.small_integer("the entity");
    const bool parametric = rows.small_integer("the parametric flag") != 0;
    const int size = rows.count("the number of nodes in the block");
    rows.end_row();
    std::vector<long long> tags;
    for (int i = 0; i < size; ++i) {
      rows.need_row("a node's number");
      tags.push_back(rows.integer("the node's number"));
      rows.end_row();
    }
    for (long long tag : tags) {
      rows.need_row("a node's coordinates");
      add_node(rows, contents, tag, read_point(rows));
      for (int k = 0; parametric && k < dimension; ++k) rows.number("a parameter");
      rows.end_row();
    }
  }
  if (static_cast<int>(contents.nodes.size()) != count)
    rows.fail(fmt::format("{} nodes stand where {} are announced; write the mesh again",
                          contents.nodes.size(), count));
}

void read_element(RowScanner& rows, Contents& contents, int type, int physical, int elementary) {
  Item item{{}, nodes_of_type(type), physical, elementary};
  for (int k = 0; k < nodes_of_type(type); ++k) {
    const long long tag = rows.integer("a node's number");
    const auto found = contents.node_index.find(tag);
    if (found == contents.node_index.end())
      rows.fail(fmt::format("node {} does not exist; write the mesh again", tag));
    item.nodes[k] = found->second;
  }
  rows.end_row();
  if (type == kTriangle || type == kTriangle6) contents.triangles.push_back(item);
  if (type != kTetrahedron && type != kTetrahedron10) return;
  if (contents.tetrahedron_type != 0 && contents.tetrahedron_type != type)
    rows.fail("linear and quadratic tetrahedra are mixed; write one order only");
  contents.tetrahedron_type = type;
  contents.tetrahedra.push_back(item);
}

void check_type(RowScanner& rows, int type) {
  if (nodes_of_type(type) == 0)
    rows.fail(
        fmt::format("element type {} is not read; write 4- or 10-node tetrahedra (types 4 and 11) with "
                    "triangles, lines and points only",
                    type));
}

void read_elements_2(RowScanner& rows, Contents& contents) {
  rows.need_row("the number of elements");
  const int count = rows.count("the number of elements");
  rows.end_row();
  for (int i = 0; i < count; ++i) {
    rows.need_row(fmt::format("element {} of {}", i + 1, count));
    rows.integer("the element's number");
    const int type = rows.small_integer("the element's type");
    check_type(rows, type);
    const int tags = rows.count("the number of tags");
    int physical = 0, elementary = 0;
    for (int k = 0; k < tags; ++k) {
      const int tag = rows.small_integer("a tag");
      if (k == 0) physical = tag;
      if (k == 1) elementary = tag;
    }
    read_element(rows, contents, type, physical, elementary);
  }
}

void read_elements_4(RowScanner& rows, Contents& contents) {
  rows.need_row("the numbers of element blocks and elements");
  const int blocks = rows.count("the number of element blocks"), count = rows.count("the number of elements");
  int read = 0;
  for (int b = 0; b < blocks; ++b) {
    rows.need_row("an element block");
    const int dimension = rows.small_integer("the dimension"), entity = rows.small_integer("the entity");
    const int type = rows.small_integer("the element type");
    check_type(rows, type);
    const int size = rows.count("the number of elements in the block");
    rows.end_row();
    const auto physical = contents.physical.find({dimension, entity});
    for (int i = 0; i < size; ++i, ++read) {
      rows.need_row("an element");
      rows.integer("the element's number");
      read_element(rows, contents, type, physical == contents.physical.end() ? 0 : physical->second, entity);
    }
  }
  if (read != count)
    rows.fail(fmt::format("{} elements stand where {} are announced; write the mesh again", read, count));
}

/// Points: tag, 3 coordinates, physical tags. Others: tag, 6 box numbers, physical tags, bounding entities.
void read_entities(RowScanner& rows, Contents& contents) {
  rows.need_row("the numbers of entities");
  std::array<int, 4> counts;
  for (int& count : counts) count = rows.count("the number of entities");
  rows.end_row();
  for (int dimension = 0; dimension < 4; ++dimension)
    for (int i = 0; i < counts[dimension]; ++i) {
      rows.need_row("an entity");
      const int entity = rows.small_integer("the entity's tag");
      for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k) rows.number("a bound");
      const int physical = rows.count("the number of physical tags");
      for (int k = 0; k < physical; ++k) {
        const int tag = rows.small_integer("a physical tag");
        if (k == 0) contents.physical[{dimension, entity}] = tag;
      }
      const int bounding = dimension == 0 ? 0 : rows.count("the number of bounding entities");
      for (int k = 0; k < bounding; ++k) rows.small_integer("a bounding entity");
      rows.end_row();
    }
}

/// Major version: 2 (2.2) or 4 (4.1).
int read_format(RowScanner& rows) {
  rows.need_row("$MeshFormat");
  if (rows.rest() != "$MeshFormat") rows.fail("does not start with $MeshFormat; it is no Gmsh mesh");
  rows.need_row("the format version");
  const std::string version(rows.word("the version"));
  if (rows.small_integer("the file type") != 0)
    rows.fail("is a binary MSH file; save it as ASCII (Mesh.Binary = 0)");
  if (version != "2.2" && version != "4.1")
    rows.fail("MSH version " + in_quotes(version) + " is not read; save it as 2.2 or 4.1");
  end_section(rows, "MeshFormat");
  return version == "2.2" ? 2 : 4;
}

Contents read_contents(RowScanner& rows) {
  Contents contents;
  const int version = read_format(rows);
  bool nodes = false, elements = false;
  while (rows.next_row()) {
    const std::string header(rows.rest());
    if (header.size() < 2 || header[0] != '$')
      rows.fail(in_quotes(header) + " stands where a section is due");
    const std::string name = header.substr(1);
    if ((name == "Nodes" && nodes) || (name == "Elements" && elements))
      rows.fail("section $" + name + " is given twice");
    if (name == "Elements" && !nodes) rows.fail("$Elements come before $Nodes; write the mesh again");
    if (name == "PhysicalNames") {
      read_names(rows, contents);
    } else if (name == "Entities" && version == 4) {
      read_entities(rows, contents);
    } else if (name == "Nodes") {
      version == 2 ? read_nodes_2(rows, contents) : read_nodes_4(rows, contents);
      nodes = true;
    } else if (name == "Elements") {
      version == 2 ? read_elements_2(rows, contents) : read_elements_4(rows, contents);
      elements = true;
    } else {
      skip_section(rows, name);
      continue;
    }
    end_section(rows, name);
  }
  if (!nodes || !elements)
    rows.fail("the file ends without $Nodes and $Elements; it is truncated, write it again");
  return contents;
}

/// Regions are the physical groups of triangles, by ascending tag; at a node of several the lowest wins.
void take_regions(const Contents& contents, TetMesh& mesh) {
  std::map<int, int> region_of_tag;
  for (const Item& triangle : contents.triangles)
    if (triangle.physical != 0) region_of_tag.emplace(std::abs(triangle.physical), 0);
  if (region_of_tag.empty()) return;
  for (auto& [tag, region] : region_of_tag) {
    region = static_cast<int>(mesh.region_names.size());
    const auto name = contents.names.find({2, tag});
    mesh.region_names.push_back(name == contents.names.end() ? fmt::format("surface {}", tag) : name->second);
  }
  mesh.region.assign(mesh.node_count(), -1);
  for (const Item& triangle : contents.triangles) {
    if (triangle.physical == 0) continue;
    const int region = region_of_tag.at(std::abs(triangle.physical));
    for (int k = 0; k < triangle.size; ++k) {
      int& known = mesh.region[triangle.nodes[k]];
      if (known < 0 || region < known) known = region;
    }
  }
}

}  // namespace

TetMesh parse_msh(const std::string& text, const std::string& where) {
  RowScanner rows(text, where);
  const Contents contents = read_contents(rows);
  if (contents.tetrahedra.empty())
    throw InputError(where, "has no tetrahedra; save the volume elements too (Mesh.SaveAll = 1)");
  TetMesh mesh;
  mesh.order = contents.tetrahedron_type == kTetrahedron ? 1 : 2;
  mesh.nodes.resize(static_cast<int>(contents.nodes.size()), 3);
  for (std::size_t i = 0; i < contents.nodes.size(); ++i)
    mesh.nodes.row(static_cast<int>(i)) = contents.nodes[i].transpose();
  mesh.elements.resize(static_cast<int>(contents.tetrahedra.size()), mesh.order == 1 ? 4 : 10);
  const bool physical = std::any_of(contents.tetrahedra.begin(), contents.tetrahedra.end(),
                                    [](const Item& t) { return t.physical != 0; });
  for (int e = 0; e < mesh.element_count(); ++e) {
    const Item& item = contents.tetrahedra[e];
    for (int k = 0; k < mesh.elements.cols(); ++k) mesh.elements(e, k) = item.nodes[kFromGmsh[k]];
    mesh.label.push_back(physical ? item.physical : item.elementary);
  }
  take_regions(contents, mesh);
  check_tet_mesh(mesh, where);
  return mesh;
}

}  // namespace furrow
