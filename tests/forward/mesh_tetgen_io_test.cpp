#include <gtest/gtest.h>

#include "forward/mesh/tet_mesh_io.h"
#include "forward/mesh/tet_mesh_readers.h"
#include "tests/base/expect_error.h"
#include "tests/forward/mesh_shapes.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;

const std::string kNodes =
    "# made by hand\n5 3 1 1\n\n1 0 0 0  0.5 2\n2 1 0 0  0.5 -1\n3 0 1 0  0.5 2\n4 0 0 1  0.5 0 # inside\n5 "
    "1 1 1  0.5 0\n";
const std::string kElements = "2 4 1\n1 1 2 3 4 7\n2 2 3 5 4 8\n";

TEST(TetgenFile, ReadsLabelsAndMarkersFromEitherFile) {
  const testing::TemporaryFolder folder;
  const auto node = folder.write("head.1.node", kNodes), ele = folder.write("head.1.ele", kElements);
  for (const auto& file : {node, ele}) {
    const TetMesh mesh = read_tet_mesh(file, "cm");
    EXPECT_EQ(mesh.order, 1);
    EXPECT_EQ(mesh.nodes.row(4), Eigen::RowVector3d(10, 10, 10));
    EXPECT_EQ(mesh.elements.row(0), Eigen::RowVector4i(0, 1, 2, 3));
    EXPECT_GT(measure_quality(mesh).smallest_volume, 0);
    EXPECT_EQ(mesh.label, (std::vector<int>{7, 8}));
    EXPECT_EQ(mesh.region_names, (std::vector<std::string>{"marker -1", "marker 2"}));
    EXPECT_EQ(mesh.region, (std::vector<int>{1, 0, 1, -1, -1}));
    EXPECT_TRUE(mesh.fixed.empty());
  }
}

TEST(TetgenFile, NumbersFromZeroToo) {
  const TetMesh mesh =
      parse_tetgen("4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n", "t.node", "1 4 0\n0 0 1 2 3\n", "t.ele");
  EXPECT_EQ(mesh.elements.row(0), Eigen::RowVector4i(0, 1, 2, 3));
  EXPECT_TRUE(mesh.label.empty());
  EXPECT_TRUE(mesh.region.empty());
}

/// The last two lines are what TetGen 1.5's -o2 makes of the unit tetrahedron: mid-edge nodes of 23, 03, 01,
/// 12, 13, 02.
TEST(TetgenFile, QuadraticNodeOrderIsTetgens) {
  const std::string nodes =
      "10 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 .5 .5\n6 0 0 .5\n7 .5 0 0\n8 .5 .5 0\n9 .5 0 .5\n10 "
      "0 .5 0\n";
  const TetMesh mesh = parse_tetgen(nodes, "t.node", "1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n", "t.ele");
  EXPECT_EQ(mesh.order, 2);
  EXPECT_NEAR(measure_quality(mesh).smallest_jacobian, 1, 1e-12);
  expect_error([&] { parse_tetgen(nodes, "t.node", "1 10 0\n1 1 2 3 4 7 8 10 6 9 5\n", "t.ele"); },
               {"t.ele", "mid-edge node", "node order"});
}

TEST(TetgenFile, RefusesWithLineAndReason) {
  auto refuse = [](const std::string& nodes, const std::string& elements,
                   std::initializer_list<const char*> parts) {
    expect_error([&] { parse_tetgen(nodes, "t.node", elements, "t.ele"); }, parts);
  };
  refuse("5 2 0 0\n", kElements, {"t.node:1", "dimension"});
  refuse(kNodes.substr(0, kNodes.find("4 0 0 1")), kElements, {"t.node", "truncated"});
  refuse("1 3 0 0\n2 0 0 0\n", kElements, {"t.node:2", "start at 0 or 1"});
  refuse("2 3 0 0\n1 0 0 0\n3 0 0 0\n", kElements, {"t.node:3", "in order"});
  refuse("2 3 0 0\n1 0 0 inf\n2 0 0 0\n", kElements, {"t.node:2", "inf"});
  refuse("2 3 0 0\n1 0 0 0 4\n2 0 0 0\n", kElements, {"t.node:2", "one column too many"});
  refuse("999999999 3 0 0\n1 0 0 0\n", kElements, {"t.node:1", "truncated"});
  refuse(kNodes, "2 5 1\n", {"t.ele:1", "5 nodes"});
  refuse(kNodes, "2 4 1\n1 1 2 3 4 7\n", {"t.ele", "element 2 of 2", "truncated"});
  refuse(kNodes, "1 4 0\n1 0 2 3 4\n", {"t.ele:2", "node 0 does not exist", "from 1 to 5"});
  refuse(kNodes, "1 4 0\n1 1 2 3 6\n", {"t.ele:2", "node 6 does not exist"});
  refuse(kNodes, "1 4 1\n1 1 2 3 4 0.5\n", {"t.ele:2", "region attribute"});
  refuse(kNodes, "1 4 0\n1 1 2 3 3\n", {"t.ele", "twice"});
  refuse(kNodes, "0 4 0\n", {"t.ele", "no tetrahedra"});
  const testing::TemporaryFolder folder;
  const auto lonely = folder.write("head.node", kNodes);
  expect_error([&] { read_tet_mesh(lonely); }, {"head.ele"});
}

}  // namespace
}  // namespace furrow
