#include <gtest/gtest.h>

#include <filesystem>

#include "forward/base/mesh_io.h"
#include "forward/field/layout.h"
#include "tests/base/expect_error.h"
#include "tests/forward/mesh_shapes.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;

TEST(Layout, LabelsBecomeClustersInAscendingOrder) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("layout.txt", "7\n-2\n3\n7\n");
  const Layout plain = read_layout(file, {}, 4);
  EXPECT_EQ(plain.labels, (std::vector<int>{-2, 3, 7}));
  EXPECT_EQ(plain.names, (std::vector<std::string>{"-2", "3", "7"}));
  EXPECT_EQ(plain.vertex_cluster, (std::vector<int>{2, 0, 1, 2}));
  const Layout named = read_layout(file, folder.write("names.json", R"({"7": "nose", "-2": "chin"})"), 4);
  EXPECT_EQ(named.names, (std::vector<std::string>{"chin", "3", "nose"}));
}

TEST(Layout, ColoursBecomeClustersInOrderOfAppearance) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write(
      "layout.ply",
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 1\n"
      "property list uchar int vertex_indices\nend_header\n"
      "0 0 0 255 0 10\n1 0 0 0 0 0\n0 1 0 255 0 10\n1 1 0 1 2 3\n3 0 1 2\n");
  const Layout layout = read_layout(file, {}, 4);
  EXPECT_EQ(layout.labels, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(layout.names, (std::vector<std::string>{"#ff000a", "#000000", "#010203"}));
  EXPECT_EQ(layout.vertex_cluster, (std::vector<int>{0, 1, 0, 2}));
  EXPECT_EQ(read_layout(file, folder.write("names.json", R"({"#ff000a": "nose"})"), 4).names[0], "nose");
}

TEST(Layout, RefusesBadLayouts) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("layout.txt", "1\n2\n2\n");
  auto refuse = [&](const std::string& names, std::initializer_list<const char*> parts) {
    const auto names_file = folder.write("names.json", names);
    expect_error([&] { read_layout(file, names_file, 3); }, parts);
  };
  expect_error([&] { read_layout(file, {}, 4); }, {"layout.txt", "3", "4"});
  expect_error([&] { read_layout(folder.write("empty.txt", "# nothing\n"), {}, 0); }, {"empty.txt"});
  expect_error([&] { read_layout(folder.write("words.txt", "1\nnose\n2\n"), {}, 3); }, {"words.txt", "2"});
  expect_error([&] { read_layout(folder.path() / "missing.txt", {}, 3); }, {"missing.txt"});
  refuse(R"({"5": "nose"})", {"names.json", "5", "does not occur", "1, 2"});
  refuse(R"({"1": "nose", "2": "nose"})", {"names.json", "both called \"nose\""});
  refuse(R"({"1": 4})", {"names.json", "1"});
  refuse(R"({"1": ""})", {"names.json", "1"});
  refuse(R"([1])", {"names.json", "object"});
  const auto grey = folder.write("grey.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  expect_error([&] { read_layout(grey, {}, 3); }, {"grey.obj", "no vertex colours"});
  expect_error([&] { read_layout(grey, {}, 4); }, {"grey.obj", "3 vertices", "4"});
}

/// A scan on the top of the box [0, 10] x [0, 4] x [0, 2] that is split at x = 5.
struct SplitBox {
  TetMesh mesh = testing::box_mesh({10, 4, 2}, 10);
  Positions scan;
  Layout layout;

  SplitBox() {
    const int nx = 50, ny = 20;
    scan.resize(nx * ny, 3);
    layout.labels = {1, 2};
    layout.names = {"1", "2"};
    for (int i = 0; i < nx; ++i)
      for (int j = 0; j < ny; ++j) {
        scan.row(i * ny + j) << (i + 0.5) * 10 / nx, (j + 0.5) * 4 / ny, 2;
        layout.vertex_cluster.push_back(i < nx / 2 ? 0 : 1);
      }
  }
  Vec3 centroid(int e) const {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 4; ++k) sum += mesh.nodes.row(mesh.elements(e, k)).transpose() / 4;
    return sum;
  }
};

TEST(Layout, SharpBordersTakeTheNearestVertex) {
  const SplitBox box;
  const SparseRows weights = propagate_layout(box.layout, box.scan, box.mesh, 0);
  EXPECT_EQ(weights.nonZeros(), box.mesh.element_count());
  for (int e = 0; e < box.mesh.element_count(); ++e)
    EXPECT_EQ(weights.coeff(e, box.centroid(e)[0] < 5 ? 0 : 1), 1);
}

TEST(Layout, BlendedBordersAreLinearInTheDistance) {
  const SplitBox box;
  const double width = 3;
  const SparseRows weights = propagate_layout(box.layout, box.scan, box.mesh, width);
  EXPECT_LT((weights * VectorXd::Ones(2) - VectorXd::Ones(box.mesh.element_count())).cwiseAbs().maxCoeff(),
            1e-12);
  for (int e = 0; e < box.mesh.element_count(); ++e) {
    const double expected = std::clamp(0.5 + (box.centroid(e)[0] - 5) / width, 0.0, 1.0);
    EXPECT_NEAR(weights.coeff(e, 1), expected, 0.02) << box.centroid(e).transpose();
  }
}

TEST(Layout, AMeshsOwnLabels) {
  TetMesh mesh = testing::box_mesh({1, 1, 1}, 1);
  mesh.label = {4, 4, 9, 2, 9, 9};
  const Layout layout = layout_of_mesh(mesh, {});
  EXPECT_EQ(layout.labels, (std::vector<int>{2, 4, 9}));
  const SparseRows weights = element_weights(layout);
  EXPECT_EQ(weights.rows(), 6);
  EXPECT_EQ(weights.nonZeros(), 6);
  EXPECT_EQ(weights.coeff(2, 2), 1);
  mesh.label.pop_back();
  EXPECT_THROW(layout_of_mesh(mesh, {}), std::logic_error);
}

TEST(Layout, RealLayoutsAsTextAndColours) {
  const auto folder = testing::shared_folder() / "data" / "ct-head" / "A";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no ../shared/data/ct-head beside the project";
  const int vertices = read_surface(folder / "skin.obj").vertex_count();
  const Layout text = read_layout(folder / "layout7.txt", folder / "layout7_names.json", vertices);
  const Layout colours = read_layout(folder / "layout7.ply", {}, vertices);
  EXPECT_EQ(text.cluster_count(), 7);
  EXPECT_EQ(text.names[1], "nose");
  ASSERT_EQ(colours.cluster_count(), 7);
  std::map<int, int> same;  // one colour a label
  for (int v = 0; v < vertices; ++v)
    EXPECT_EQ(same.try_emplace(text.vertex_cluster[v], colours.vertex_cluster[v]).first->second,
              colours.vertex_cluster[v]);
}

}  // namespace
}  // namespace furrow
