#include <gtest/gtest.h>

#include <fmt/format.h>

#include "forward/mesh/tet_mesh_io.h"
#include "forward/mesh/tet_mesh_readers.h"
#include "tests/base/expect_error.h"
#include "tests/forward/mesh_shapes.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;

/// Two tetrahedra, the second inverted, a named and an unnamed physical surface, a node that only a point
/// element uses.
const std::string kVersion2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 5 "the skull"
3 9 "flesh"
$EndPhysicalNames
$Nodes
6
10 0 0 0
20 1 0 0
30 0 1 0
40 0 0 1
50 1 1 1
60 7 7 7
$EndNodes
$Elements
5
1 15 2 0 1 60
2 2 2 5 1 10 20 30
3 2 2 3 2 20 30 50
4 4 2 9 1 10 20 30 40
5 4 2 8 1 20 30 50 40
$EndElements
)";

const std::string kVersion4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
1
2 5 "the skull"
$EndPhysicalNames
$Entities
1 0 2 2
1 0 0 0 0
1 0 0 0 1 1 0 1 5 0
2 0 0 0 1 1 1 1 3 0
1 0 0 0 1 1 1 1 9 2 1 2
2 0 0 0 1 1 1 1 8 0
$EndEntities
$Nodes
2 6 10 60
3 1 0 5
10
20
30
40
50
0 0 0
1 0 0
0 1 0
0 0 1
1 1 1
0 1 1 1
60
7 7 7
$EndNodes
$Elements
5 5 1 5
0 1 15 1
1 60
2 1 2 1
2 10 20 30
2 2 2 1
3 20 30 50
3 1 4 1
4 10 20 30 40
3 2 4 1
5 20 30 50 40
$EndElements
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(MshFile, BothVersionsGiveTheSameMesh) {
  for (const std::string& text :
       {kVersion2, replaced(kVersion4, "0 1 1 1\n60\n7 7 7\n", "0 1 0 1\n60\n7 7 7\n")}) {
    const TetMesh mesh = parse_msh(text, "t.msh");
    EXPECT_EQ(mesh.order, 1);
    EXPECT_EQ(mesh.node_count(), 6);
    EXPECT_EQ(mesh.nodes.row(5), Eigen::RowVector3d(7, 7, 7));
    EXPECT_EQ(mesh.label, (std::vector<int>{9, 8}));
    EXPECT_EQ(mesh.elements.row(0), (Eigen::RowVector4i(0, 1, 2, 3)));
    EXPECT_GT(measure_quality(mesh).smallest_volume, 0);
    EXPECT_EQ(mesh.region_names, (std::vector<std::string>{"surface 3", "the skull"}));
    EXPECT_EQ(mesh.region, (std::vector<int>{1, 0, 0, -1, 0, -1}));  // the lowest wins
    EXPECT_EQ(mesh.fixed, (std::vector<bool>{false, false, false, false, false, true}));
  }
}

TEST(MshFile, ElementaryTagsWhereThereAreNoPhysicalOnes) {
  std::string text = replaced(kVersion2, "4 4 2 9 1 ", "4 4 2 0 1 ");
  text = replaced(text, "5 4 2 8 1 ", "5 4 2 0 2 ");
  EXPECT_EQ(parse_msh(text, "t.msh").label, (std::vector<int>{1, 2}));
}

/// A mesh of order 2 in Gmsh's node order, the mid-edge nodes of 23 and 13 last.
std::string quadratic_msh(const TetMesh& mesh, std::array<int, 10> order) {
  std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(mesh.node_count()) + "\n";
  for (int i = 0; i < mesh.node_count(); ++i)
    text += fmt::format("{} {} {} {}\n", i + 1, mesh.nodes(i, 0), mesh.nodes(i, 1), mesh.nodes(i, 2));
  text += "$EndNodes\n$Elements\n" + std::to_string(mesh.element_count()) + "\n";
  for (int e = 0; e < mesh.element_count(); ++e) {
    text += fmt::format("{} 11 2 1 1", e + 1);
    for (int k : order) text += fmt::format(" {}", mesh.elements(e, k) + 1);
    text += "\n";
  }
  return text + "$EndElements\n";
}

TEST(MshFile, QuadraticNodeOrderIsGmshs) {
  const TetMesh mesh = elevate_order(testing::box_mesh({3, 2, 1}, 2));
  const TetMesh read = parse_msh(quadratic_msh(mesh, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}), "t.msh");
  EXPECT_EQ(read.order, 2);
  EXPECT_EQ(read.nodes, mesh.nodes);
  EXPECT_EQ(read.elements, mesh.elements);
  expect_error(
      [&] {
        parse_msh(quadratic_msh(mesh, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), "t.msh");
      },
      {"t.msh", "mid-edge node", "node order"});
}

TEST(MshFile, RefusesWithLineAndReason) {
  auto refuse = [](const std::string& text, std::initializer_list<const char*> parts) {
    expect_error([&] { parse_msh(text, "t.msh"); }, parts);
  };
  refuse("solid cube\n", {"t.msh:1", "$MeshFormat"});
  refuse(replaced(kVersion2, "2.2 0 8", "2.2 1 8"), {"t.msh:2", "binary", "ASCII"});
  refuse(replaced(kVersion2, "2.2 0 8", "4.0 0 8"), {"t.msh:2", "4.0", "4.1"});
  refuse(replaced(kVersion2, "20 1 0 0", "20 1 0 nan"), {"t.msh:12", "nan", "coordinate"});
  refuse(replaced(kVersion2, "20 1 0 0", "20 1 0"), {"t.msh:12", "coordinate is missing"});
  refuse(replaced(kVersion2, "20 1 0 0", "20 1 0 0 0"), {"t.msh:12", "one column too many"});
  refuse(replaced(kVersion2, "20 1 0 0", "10 1 0 0"), {"t.msh:12", "node 10", "twice"});
  refuse(replaced(kVersion2, "10 20 30 40", "10 20 30 41"), {"t.msh:23", "node 41 does not exist"});
  refuse(replaced(kVersion2, "4 4 2 9 1 10 20 30 40", "4 5 2 9 1 10 20 30 40 50 60 10 20"),
         {"t.msh:23", "element type 5"});
  refuse(replaced(kVersion2, "$Nodes\n6", "$Nodes\n5"), {"t.msh:16", "$EndNodes"});
  refuse(replaced(kVersion2, "$Nodes\n6", "$Nodes\n600000000"), {"t.msh:10", "truncated"});
  refuse(replaced(kVersion2, "$Nodes\n6", "$Nodes\n-6"), {"t.msh:10"});
  refuse(replaced(kVersion2, "50 1 1 1", "50 1 1 -1"), {"t.msh", "element 1", "no volume"});
  refuse(replaced(kVersion4, "0 1 1 1\n60", "0 1 0 1\n"), {"t.msh"});
  refuse(replaced(kVersion4, "2 6 10 60", "2 7 10 60"), {"t.msh"});
  refuse(kVersion2.substr(0, kVersion2.find("$Elements")), {"t.msh", "without", "$Elements"});
  refuse(replaced(replaced(kVersion2, "4 4 2 9 1 10 20 30 40\n5 4 2 8 1 20 30 50 40\n", ""), "$Elements\n5",
                  "$Elements\n3"),
         {"t.msh", "no tetrahedra"});
}

TEST(MshFile, TruncatedFilesAreRefused) {
  const std::string valid4 = replaced(kVersion4, "0 1 1 1\n60\n", "0 1 0 1\n60\n");
  EXPECT_NO_THROW(parse_msh(valid4, "t.msh"));
  for (const std::string& text : {kVersion2, valid4})
    for (std::size_t size = 0; size + 2 < text.size(); ++size)
      EXPECT_THROW(parse_msh(text.substr(0, size), "t.msh"), InputError) << text.substr(0, size);
}

}  // namespace
}  // namespace furrow
