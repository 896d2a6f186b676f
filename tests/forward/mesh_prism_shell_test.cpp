#include "forward/mesh/prism_shell.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "tests/base/expect_error.h"

namespace furrow {
namespace {

using testing::expect_error;

PatchOptions bent_patch() {
  PatchOptions options;
  options.height = [](double x, double y) { return -(x * x + y * y) / 160; };
  return options;
}

TEST(Patch, NumbersNodesLevelByLevel) {
  const PrismMesh mesh = make_patch({4, 2}, bent_patch(), {});
  ASSERT_EQ(mesh.nodes.rows(), 459);
  ASSERT_EQ(mesh.elements.rows(), 16);
  EXPECT_EQ(mesh.outer_faces.rows(), 16);
  EXPECT_EQ(mesh.inner_faces.rows(), 16);
  const std::vector<int> inner = mesh.inner_nodes(), outer = mesh.outer_nodes();
  ASSERT_EQ(inner.size(), 153u);
  ASSERT_EQ(outer.size(), 153u);
  for (int i = 0; i < 153; ++i) {
    EXPECT_EQ(inner[i], i);
    EXPECT_EQ(outer[i], 306 + i);
    const Eigen::RowVector3d top = mesh.nodes.row(outer[i]);
    EXPECT_NEAR(top[2], -(top[0] * top[0] + top[1] * top[1]) / 160, 1e-15);
    EXPECT_LT((top - mesh.nodes.row(inner[i]) - Eigen::RowVector3d(0, 0, 2)).norm(), 1e-14);
  }
  EXPECT_EQ(mesh.nodes.row(0).head(2), Eigen::RowVector2d(-14, -9));
  EXPECT_EQ(mesh.nodes.row(152).head(2), Eigen::RowVector2d(14, 9));
  EXPECT_EQ(mesh.rim.size(), 3u * (2 * 16 + 2 * 8));
  for (const int node : mesh.rim)
    EXPECT_TRUE(std::abs(mesh.nodes(node, 0)) == 14 || std::abs(mesh.nodes(node, 1)) == 9);
}

TEST(Patch, CutsItsCellsFromLowerLeftToUpperRight) {
  const PrismMesh mesh = make_patch({2, 1}, bent_patch(), {});
  const auto corner = [&](int e, int n) -> Eigen::RowVector2d {
    return mesh.nodes.row(mesh.elements(e, n)).head(2);
  };
  EXPECT_EQ(corner(0, 0), Eigen::RowVector2d(-14, -9));
  EXPECT_EQ(corner(0, 1), Eigen::RowVector2d(-7, -9));
  EXPECT_EQ(corner(0, 2), Eigen::RowVector2d(-7, 0));
  EXPECT_EQ(corner(1, 0), Eigen::RowVector2d(-14, -9));
  EXPECT_EQ(corner(1, 1), Eigen::RowVector2d(-7, 0));
  EXPECT_EQ(corner(1, 2), Eigen::RowVector2d(-14, 0));
}

/// All columns are shifted along z, so that the volume is that of the flat patch, whatever the height.
TEST(Patch, HasTheVolumeOfItsClosedForm) {
  for (int p = 1; p <= 4; ++p)
    for (int q = 1; q <= 2; ++q)
      for (const StackKind kind : {StackKind::stack, StackKind::seed}) {
        const PrismMesh mesh = make_patch({p, q}, bent_patch(), skin_plan(2, 0.1, kind));
        EXPECT_NEAR(volume(mesh), 28.0 * 18 * 2, 1e-10);
        const int stack = kind == StackKind::stack ? 3 : 1;
        EXPECT_EQ(mesh.nodes.rows(), (4 * p + 1) * (2 * p + 1) * (stack * q + 1));
        EXPECT_EQ(mesh.elements.rows(), 16 * stack);
        EXPECT_EQ(static_cast<int>(mesh.rim.size()), (stack * q + 1) * 12 * p);
      }
}

TEST(Patch, NormalsPointFromInnerToOuter) {
  const PrismMesh mesh = make_patch({3, 2}, bent_patch(), skin_plan(2, 0.1, StackKind::stack));
  for (const Elements* faces : {&mesh.inner_faces, &mesh.outer_faces})
    for (int f = 0; f < faces->rows(); ++f) {
      const auto x = [&](int n) -> Eigen::RowVector3d { return mesh.nodes.row((*faces)(f, n)); };
      EXPECT_GT((x(1) - x(0)).cross(x(2) - x(0))[2], 0);
    }
}

TEST(SkinPlan, StacksOrCutsTheElement) {
  const PrismMesh stack = make_patch({1, 2}, bent_patch(), skin_plan(2, 0.1, StackKind::stack));
  EXPECT_EQ(stack.layers, (std::vector<std::string>{"epidermis", "soft"}));
  ASSERT_EQ(stack.sublayers.size(), 48u);
  for (int e = 0; e < 48; ++e) {
    ASSERT_EQ(stack.sublayers[e].size(), 1u);
    EXPECT_EQ(stack.sublayers[e][0].layer, e % 3 == 2 ? 0 : 1);
    EXPECT_EQ(stack.sublayers[e][0].low[0], -1);
    EXPECT_EQ(stack.sublayers[e][0].high[0], 1);
  }
  std::set<double> heights;
  for (int i = 0; i < stack.nodes.rows(); ++i)
    if (stack.nodes(i, 0) == 0 && stack.nodes(i, 1) == 0) heights.insert(stack.nodes(i, 2));
  const std::vector<double> found(heights.begin(), heights.end());
  const std::vector<double> expected{-2, -1.2875, -0.575, -0.3375, -0.1, -0.05, 0};
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-14);

  const PrismMesh seed = make_patch({1, 2}, bent_patch(), skin_plan(2, 0.1, StackKind::seed));
  ASSERT_EQ(seed.sublayers[0].size(), 2u);
  EXPECT_EQ(seed.sublayers[0][0].layer, 1);
  EXPECT_EQ(seed.sublayers[0][1].layer, 0);
  EXPECT_NEAR(seed.sublayers[0][0].high[0], 0.9, 1e-15);
  EXPECT_EQ(seed.sublayers[0][0].high[0], seed.sublayers[0][1].low[0]);
}

TEST(Patch, RefusesNumbersThatMakeNone) {
  const auto refuse = [](PatchOptions options, ThicknessPlan plan, const char* part) {
    expect_error<std::invalid_argument>([&] { make_patch({2, 2}, options, plan); }, {part});
  };
  refuse({.nx = 0}, {}, "cell");
  refuse({.thickness = 0}, {}, "positive");
  refuse({.size_x = std::nan("")}, {}, "positive");
  refuse({}, {{0, 0.5, 0.5, 1}, {0, 1}, {"skin"}}, "ascend");
  refuse({}, {{0, 1}, {0, 1.2}, {"skin"}}, "ascend");
  refuse({}, {{0, 1}, {0, 0.5, 1}, {"skin"}}, "name");
  expect_error<std::invalid_argument>([] { make_patch({5, 2}, {}, {}); }, {"order"});
  expect_error<std::invalid_argument>([] { skin_plan(0.1, 0.2, StackKind::stack); },
                                      {"thinner than the skin"});
  expect_error<std::invalid_argument>([] { skin_plan(2, 0, StackKind::stack); }, {"epidermis"});
  PatchOptions broken;
  broken.height = [](double x, double) { return x > 0 ? std::nan("") : 0; };
  expect_error([&] { make_patch({2, 2}, broken, {}); }, {"node", "finite"});
}

TEST(PrismMesh, RefusesBrokenElements) {
  const PrismMesh good = make_patch({2, 2}, bent_patch(), skin_plan(2, 0.1, StackKind::stack));
  const auto refuse = [&](auto change, std::initializer_list<const char*> parts) {
    PrismMesh mesh = good;
    change(mesh);
    expect_error([&] { check_prism_mesh(mesh, "m.vtu"); }, parts);
  };
  refuse([](PrismMesh& m) { m.elements(4, 3) = 100000; }, {"m.vtu", "element 4", "100000"});
  refuse([](PrismMesh& m) { m.elements(4, 3) = m.elements(4, 2); }, {"element 4", "twice"});
  refuse([](PrismMesh& m) { m.nodes(7, 1) = INFINITY; }, {"node 7", "finite"});
  refuse([](PrismMesh& m) { m.nodes(m.elements(5, 1), 2) += 9; }, {"element", "folded"});
  refuse([](PrismMesh& m) { m.nodes.col(2) *= -1; }, {"element 0", "inside out"});
  refuse([](PrismMesh& m) { m.nodes.col(2).setZero(); }, {"element 0", "flat"});
  refuse([](PrismMesh& m) { m.sublayers[3][0].high[0] = 0.9; }, {"element 3", "fill"});
  refuse([](PrismMesh& m) { m.sublayers[3][0].high[0] = 1.1; }, {"element 3", "fill"});
  refuse([](PrismMesh& m) { m.sublayers[3][0].low[0] = 1.1; }, {"element 3", "follow"});
  refuse([](PrismMesh& m) { m.sublayers[3].clear(); }, {"element 3", "fill"});
  refuse([](PrismMesh& m) { m.sublayers[3][0].layer = 2; }, {"element 3", "layer 2", "0..1"});
  refuse([](PrismMesh& m) { m.sublayers[3][0].low = VectorXd::Constant(4, -1); }, {"element 3", "4 bounds"});
  refuse([](PrismMesh& m) { m.ligament_b = VectorXd::Constant(m.nodes.rows(), -1); }, {"\"b\"", "node 0"});
  refuse([](PrismMesh& m) { m.nodes.conservativeResizeLike(Positions::Zero(m.nodes.rows() + 1, 3)); },
         {"belongs to no element"});
  refuse([](PrismMesh& m) { m.elements.resize(0, 18); }, {"no prisms"});
}

TEST(PrismMesh, FindsElementsThatDoNotMeet) {
  const PrismMesh good = make_patch({2, 1}, {}, {{0, 0.5, 1}, {0, 1}, {"skin"}});
  const auto refuse = [&](auto change, std::initializer_list<const char*> parts) {
    Elements elements = good.elements;
    change(elements);
    expect_error([&] { prism_surfaces({2, 1}, elements, "m.vtu"); }, parts);
  };
  refuse([](Elements& t) { t.row(2) = t.row(0); }, {"m.vtu", "elements 0 and 2", "same side"});
  refuse([](Elements& t) { t(0, 9) = 9999; },
         {"elements 0 and 1", "stacked", "merge"});  // mid-edge node of the face between
  refuse([](Elements& t) { t(0, 5) = 9999; },
         {"elements 0 and 2", "side wall", "merge"});  // mid-edge node of the diagonal
  refuse([](Elements& t) { t.row(1) = t(1, Eigen::seqN(11, 12, Eigen::fix<-1>)).eval(); },
         {"elements 0 and 1", "corner"});
  refuse([](Elements& t) { t.row(1).head(6).swap(t.row(1).tail(6)); }, {"elements 0 and 1", "same side"});
  refuse([](Elements& t) { t(0, 0) = -1; }, {"element 0", "negative"});
  const PrismSurfaces surfaces = prism_surfaces({2, 1}, good.elements, "m.vtu");
  EXPECT_EQ(surfaces.outer_faces, good.outer_faces);
  EXPECT_EQ(surfaces.rim, good.rim);
}

TEST(PrismMesh, VolumeRatioAtTheNodes) {
  const PrismMesh mesh = make_patch({4, 2}, {2, 1, 8, 4, 2, {}}, skin_plan(2, 0.1, StackKind::stack));
  EXPECT_NEAR(smallest_j_at_nodes(mesh, mesh.nodes), 1, 1e-12);
  Positions x = mesh.nodes;
  x.col(0) *= 1.5;
  x.col(2) *= 0.4;
  EXPECT_NEAR(smallest_j_at_nodes(mesh, x), 0.6, 1e-12);
  x.row(mesh.elements(0, 20)) += Eigen::RowVector3d(0, 0, -5);  // one node pushed through the skin
  EXPECT_LT(smallest_j_at_nodes(mesh, x), 0);
}

}  // namespace
}  // namespace furrow
