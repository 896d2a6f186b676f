// The heat map of ligament sources: the table of golden/ligament_heatmap.json, and what must hold on any
// mesh: rows sum to 1, values stay between the sources', far from all of them the nearest one counts.
#include "forward/field/heat_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "forward/field/nearest_source.h"
#include "tests/forward/point_law_checks.h"

namespace furrow {
namespace {

struct Sheet {
  Positions vertices;
  Triangles triangles;
};

/// An n x n grid of cells, stretched `aspect` to 1 and sheared, so that its triangles are obtuse.
Sheet grid(int n, double aspect = 1, double shear = 0) {
  Sheet sheet{Positions((n + 1) * (n + 1), 3), Triangles(2 * n * n, 3)};
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) sheet.vertices.row(i * (n + 1) + j) << aspect * j + shear * i, i, 0;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + 1, c = a + n + 1, d = c + 1;
      sheet.triangles.row(2 * (i * n + j)) << a, b, d;
      sheet.triangles.row(2 * (i * n + j) + 1) << a, d, c;
    }
  }
  return sheet;
}

VectorXd field(const Sheet& sheet, const std::vector<int>& sources, const VectorXd& b,
               const HeatMapOptions& options) {
  return heat_map_weights(sheet.vertices, sheet.triangles, sources, options) * b;
}

TEST(HeatMap, EqualsTheGoldenTable) {
  const auto g = testing::golden("ligament_heatmap.json")["heatmap_tiny"];
  Sheet sheet{Positions::Zero(9, 3), Triangles(8, 3)};
  for (int i = 0; i < 9; ++i) {
    for (int k = 0; k < 2; ++k)
      sheet.vertices(i, k) = g["P"][static_cast<std::size_t>(i)][static_cast<std::size_t>(k)].get<double>();
  }
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 3; ++k)
      sheet.triangles(i, k) = g["T"][static_cast<std::size_t>(i)][static_cast<std::size_t>(k)].get<int>();
  }
  const std::vector<int> sources{0, 8};
  const Eigen::Vector2d b(g["sources"]["0"].get<double>(), g["sources"]["8"].get<double>());
  HeatMapOptions options{
      .length = std::sqrt(g["t"].get<double>()), .background = 0, .clamp_cotangents = false};
  for (const bool clamp :
       {false, true}) {  // its right angles have no negative cotangent: clamping changes nothing
    options.clamp_cotangents = clamp;
    const MatrixXd heat = source_heat(sheet.vertices, sheet.triangles, sources, options);
    const VectorXd phi = heat.rowwise().sum(), bhat = heat * b, values = field(sheet, sources, b, options);
    for (int i = 0; i < 9; ++i) {
      const auto row = static_cast<std::size_t>(i);
      EXPECT_NEAR(phi[i], g["phi"][row].get<double>(), 1e-12);
      EXPECT_NEAR(bhat[i], g["bhat"][row].get<double>(), 1e-12);
      EXPECT_NEAR(values[i], g["b"][row].get<double>(), 1e-12);
    }
  }
}

TEST(HeatMap, RowsSumToOneAndNothingIsNegative) {
  const std::vector<int> sources{0, 77, 220, 440};
  for (const double aspect : {1.0, 4.0, 10.0}) {
    for (const double length : {0.5, 1.0, 3.0, 8.0}) {
      const Sheet sheet = grid(20, aspect, 0.7 * aspect);
      const MatrixXd W = heat_map_weights(sheet.vertices, sheet.triangles, sources, {.length = length});
      EXPECT_LT((W.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-14);
      EXPECT_GE(W.minCoeff(), 0) << aspect << " " << length;
    }
  }
}

TEST(HeatMap, StretchedMeshStaysBetweenTheSources) {
  const Sheet sheet = grid(30, 4, 2.8);
  const std::vector<int> sources{33, 480, 900};
  const Eigen::Vector3d b(0.2, 3, 1);
  HeatMapOptions options{.length = 1};
  const VectorXd clamped = field(sheet, sources, b, options);
  EXPECT_GE(clamped.minCoeff(), 0.2 * (1 - 1e-14));
  EXPECT_LE(clamped.maxCoeff(), 3 * (1 + 1e-14));
  options.clamp_cotangents = false;  // the published Laplacian leaves the range here
  const VectorXd plain = field(sheet, sources, b, options);
  EXPECT_TRUE(plain.minCoeff() < 0.1 || plain.maxCoeff() > 3.1)
      << plain.minCoeff() << " " << plain.maxCoeff();
}

TEST(HeatMap, LinearInTheSourcesAndConstantForOne) {
  const Sheet sheet = grid(10);
  const std::vector<int> sources{5, 60, 110};
  const Eigen::Vector3d a(0.2, 3, 1), b(1, -2, 5);
  const HeatMapOptions options{.length = 2};
  EXPECT_LT((field(sheet, sources, 2 * a + b, options) - 2 * field(sheet, sources, a, options) -
             field(sheet, sources, b, options))
                .norm(),
            1e-13);
  const VectorXd one = field(sheet, {60}, VectorXd::Constant(1, 0.7), options);
  EXPECT_LT((one.array() - 0.7).abs().maxCoeff(), 1e-15);
}

TEST(HeatMap, ValueNearASourceIsItsOwn) {
  const Sheet sheet = grid(40);
  const std::vector<int> sources{41 * 20 + 5, 41 * 20 + 35};  // 30 mm apart
  const VectorXd b = field(sheet, sources, Eigen::Vector2d(0.2, 3), {.length = 2});
  EXPECT_NEAR(b[sources[0]], 0.2, 1e-4);
  EXPECT_NEAR(b[sources[1]], 3, 1e-4);
  EXPECT_NEAR(b[41 * 20 + 20], 1.6, 0.01);  // half way
}

TEST(HeatMap, BackgroundFillsWhereNoHeatComes) {
  const Sheet sheet = grid(40);
  const HeatMapOptions options{.length = 1, .background = 1e-4};
  const MatrixXd W = heat_map_weights(sheet.vertices, sheet.triangles, {0}, options);
  ASSERT_EQ(W.cols(), 2);
  EXPECT_LT((W.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-14);
  EXPECT_LT(W(0, 1), 1e-3);                 // at the source its own value
  EXPECT_GT(W(W.rows() - 1, 1), 1 - 1e-6);  // far away the background's
  const MatrixXd heat = source_heat(sheet.vertices, sheet.triangles, {0}, options);
  EXPECT_EQ(heat(17, 1), 1e-4);
}

TEST(HeatMap, FarFromAllSourcesTheNearestCounts) {
  const Sheet sheet = grid(60);
  const std::vector<int> sources{0, 60};
  HeatMapOptions options{.length = 0.1};  // heat dies within a few vertices
  const MatrixXd heat = source_heat(sheet.vertices, sheet.triangles, sources, options);
  EXPECT_LT(heat.minCoeff(), 1e-30);
  EXPECT_GE(heat.minCoeff(), 0);
  const MatrixXd W = heat_map_weights(sheet.vertices, sheet.triangles, sources, options);
  EXPECT_TRUE(W.allFinite());
  EXPECT_LT((W.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-14);
  EXPECT_EQ(W(61 * 60 + 2, 0), 1);   // far away, on the side of the first source
  EXPECT_EQ(W(61 * 60 + 58, 1), 1);  // and of the second
}

TEST(HeatMap, PartsWithoutASourceTakeTheNearestInAStraightLine) {
  Sheet sheet = grid(4);
  const auto n = sheet.vertices.rows();
  Positions vertices(2 * n + 1, 3);
  vertices << sheet.vertices, sheet.vertices.rowwise() + Eigen::RowVector3d(20, 0, 0), 100, 0,
      0;  // the last: loose
  Triangles triangles(2 * sheet.triangles.rows(), 3);
  triangles << sheet.triangles, sheet.triangles.array() + static_cast<int>(n);
  const MatrixXd W = heat_map_weights(vertices, triangles, {0, 4}, {.length = 3});
  EXPECT_LT((W.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-14);
  EXPECT_EQ(W(n, 1), 1);
  EXPECT_EQ(W(2 * n, 1), 1);
}

TEST(HeatMap, NearestGoesAlongTheSurface) {
  // A strip folded back onto itself: vertices 0..5 below, 6..11 above them at 0.1 mm, joined at the far end.
  Positions vertices(12, 3);
  for (int i = 0; i < 6; ++i) vertices.row(i) << i, i % 2, 0, vertices.row(11 - i) << i, i % 2, 0.1;
  Triangles triangles(10, 3);
  for (int i = 0; i < 10; ++i) triangles.row(i) << i, i + 1, i + 2;
  const std::vector<int> nearest = nearest_sources(vertices, triangles, {0, 6});
  EXPECT_EQ(nearest[11], 1);  // 0.1 mm above source 0, but on the other layer
  EXPECT_EQ(nearest[1], 0);
}

TEST(HeatMap, SliversAndRotationsDoNotMatter) {
  Sheet sheet = grid(6, 1.3, 0.4);
  const std::vector<int> sources{3, 40};
  const MatrixXd W = heat_map_weights(sheet.vertices, sheet.triangles, sources, {.length = 2});
  Sheet turned = sheet;
  turned.vertices =
      (sheet.vertices * testing::some_rotation().transpose()).rowwise() + Eigen::RowVector3d(5, 6, 7);
  EXPECT_LT((heat_map_weights(turned.vertices, turned.triangles, sources, {.length = 2}) - W).norm(), 1e-12);
  Sheet sliver = sheet;
  sliver.triangles.conservativeResize(sheet.triangles.rows() + 2, 3);
  sliver.triangles.bottomRows(2) << 0, 1, 2, 4, 4, 5;  // on one line; a corner twice
  EXPECT_EQ(heat_map_weights(sliver.vertices, sliver.triangles, sources, {.length = 2}), W);
}

TEST(HeatMap, RefusesBadSources) {
  const Sheet sheet = grid(3);
  const auto make = [&](const std::vector<int>& sources, const HeatMapOptions& options) {
    return heat_map_weights(sheet.vertices, sheet.triangles, sources, options);
  };
  EXPECT_THROW(make({}, {}), std::invalid_argument);
  EXPECT_THROW(make({16}, {}), std::invalid_argument);
  EXPECT_THROW(make({-1}, {}), std::invalid_argument);
  EXPECT_THROW(make({3, 5, 3}, {}), std::invalid_argument);
  EXPECT_THROW(make({3}, {.length = 0}), std::invalid_argument);
  EXPECT_THROW(make({3}, {.length = std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
  EXPECT_THROW(make({3}, {.background = -1}), std::invalid_argument);
  Triangles triangles = sheet.triangles;
  triangles(0, 0) = 99;
  EXPECT_THROW(heat_map_weights(sheet.vertices, triangles, {3}, {}), std::invalid_argument);
  Positions vertices = sheet.vertices;
  vertices(2, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(heat_map_weights(vertices, sheet.triangles, {3}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace furrow
