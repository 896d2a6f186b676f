// Wrinkles of surfaces whose relief is a formula.
#include "forward/base/wrinkle_filters.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

namespace furrow {
namespace {

/// A patch of 40 x 30 mm on a grid of 0.5 mm, curved like a forehead.
SurfaceMesh patch(double curvature = 1.0 / 80) {
  constexpr int nx = 80, ny = 60;
  SurfaceMesh mesh;
  mesh.vertices.resize((nx + 1) * (ny + 1), 3);
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) {
      const double x = 0.5 * i - 20, y = 0.5 * j - 15;
      mesh.vertices.row(j * (nx + 1) + i) << x, y, -curvature * (x * x + y * y) / 2;
    }
  mesh.triangles.resize(2 * nx * ny, 3);
  int row = 0;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int a = j * (nx + 1) + i, c = a + nx + 2;
      mesh.triangles.row(row++) << a, a + 1, c;
      mesh.triangles.row(row++) << a, c, c - 1;
    }
  return mesh;
}

/// A wave of amplitude 0.2 mm along `angle` on top of `mesh`.
Positions with_wave(const SurfaceMesh& mesh, double wavelength, double angle) {
  Positions x = mesh.vertices;
  for (int i = 0; i < x.rows(); ++i) {
    const double s = std::cos(angle) * x(i, 0) + std::sin(angle) * x(i, 1);
    x(i, 2) += 0.2 * std::cos(2 * std::numbers::pi * s / wavelength);
  }
  return x;
}

TEST(Wrinkles, RigidMotionAndBulkDeformationHaveNoRelief) {
  const SurfaceMesh mesh = patch();
  const WrinkleFilter filter(mesh, 8);
  Positions moved = mesh.vertices.rowwise() + Eigen::RowVector3d(3, -2, 1);
  EXPECT_LT(filter.relief(moved).cwiseAbs().maxCoeff(), 1e-12);
  const Vec3 turn(1e-3, -2e-3, 3e-3);
  for (int i = 0; i < moved.rows(); ++i)
    moved.row(i) = mesh.vertices.row(i) + turn.cross(Vec3(mesh.vertices.row(i))).transpose();
  EXPECT_LT(filter.relief(moved).cwiseAbs().maxCoeff(), 1e-9);
  const WrinkleStatistics none = filter.statistics(moved);
  EXPECT_EQ(none.wavelength, 0);
  EXPECT_EQ(none.crests, 0);
  EXPECT_EQ(none.direction.norm(), 0);
  // a wave ten times longer than the cutoff keeps 1 - 2^(-1/100) of its height
  EXPECT_LT(filter.statistics(with_wave(mesh, 80, 0)).rms, 0.02 * 0.2);
}

TEST(Wrinkles, AWaveIsMeasured) {
  const SurfaceMesh mesh = patch(0);
  const WrinkleFilter filter(mesh, 8);
  for (const double angle : {0.0, 0.6, std::numbers::pi / 2}) {
    const WrinkleStatistics found = filter.statistics(with_wave(mesh, 4, angle));
    const double kept = 0.2 * (1 - std::pow(0.5, 4));  // half the cutoff: 1 - exp(-4 ln 2)
    // along the border, where the fit is one-sided, the wave is cut short: some per cent of so small a patch
    EXPECT_NEAR(found.rms, kept / std::sqrt(2.0), 0.1 * kept) << angle;
    EXPECT_NEAR(found.peak_to_valley, 2 * kept, 0.35 * kept) << angle;
    EXPECT_NEAR(found.wavelength, 4, 0.3) << angle;
    EXPECT_NEAR(std::abs(found.direction.dot(Vec3(std::cos(angle), std::sin(angle), 0))), 1, 1e-3) << angle;
  }
  // crests at multiples of 4 mm in (-20, 20) and (-15, 15)
  EXPECT_EQ(filter.statistics(with_wave(mesh, 4, 0)).crests, 9);
  EXPECT_EQ(filter.statistics(with_wave(mesh, 4, std::numbers::pi / 2)).crests, 7);
}

TEST(Wrinkles, CurvedSurfacesShowTheSameWave) {
  const SurfaceMesh mesh = patch();
  const WrinkleStatistics found = WrinkleFilter(mesh, 8).statistics(with_wave(mesh, 4, 0));
  EXPECT_NEAR(found.wavelength, 4, 0.2);
  EXPECT_EQ(found.crests, 9);
}

TEST(Wrinkles, IgnoredVerticesDoNotCount) {
  const SurfaceMesh mesh = patch();
  const WrinkleFilter filter(mesh, 8);
  Positions x = mesh.vertices;
  std::vector<char> ignored(x.rows(), 0);
  for (int i = 0; i < x.rows(); ++i)
    if (x.row(i).head<2>().norm() < 3) x(i, 2) -= 1, ignored[i] = 1;  // a dent
  EXPECT_GT(filter.statistics(x).rms, 0.05);
  EXPECT_EQ(filter.statistics(x, ignored).rms, 0);
  const std::vector<char> all(x.rows(), 1);
  EXPECT_EQ(filter.statistics(x, all).peak_to_valley, 0);
}

}  // namespace
}  // namespace furrow
