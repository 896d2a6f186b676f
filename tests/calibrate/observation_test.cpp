#include "calibrate/observation.h"

#include "forward/base/mesh_io.h"
#include "tests/calibrate/small_project.h"

namespace furrow {
namespace {

using testing::expect_refused;

class Observations : public testing::SmallProject {
 protected:
  Observations() : scan_(read_surface(folder_.path() / "skin.obj")) {
    source_.where = "project.json: observations[0]";
    source_.mesh.file = folder_.path() / "left.obj";
  }
  SurfaceMesh scan_;
  ObservationSource source_;
};

TEST_F(Observations, ReadsPointsAndMasks) {
  EXPECT_EQ(load_observation(source_, scan_).count(), 4);
  source_.mask = source_.stable = folder_.path() / "mask.txt";
  const MeshObservation observation = load_observation(source_, scan_);
  EXPECT_EQ(observation.count(), 3);
  EXPECT_FALSE(observation.stable[3]);
  EXPECT_DOUBLE_EQ(observation.points(0, 1), 1);
}

TEST_F(Observations, Refuses) {
  folder_.write("left.obj", "v 0 1 0\nv 150 0 0\nv 0 150 0\n");
  expect_refused([&] { load_observation(source_, scan_); }, {"observations[0].mesh", "3 vertices", "4"});
  folder_.write("left.obj", "v 0 nan 0\nv 150 0 0\nv 0 150 0\nv 0 0 150\n");
  expect_refused([&] { load_observation(source_, scan_); }, {"left.obj"});
  folder_.write("left.obj", "v 0 0 0\nv .150 0 0\nv 0 .150 0\nv 0 0 .150\n");
  expect_refused([&] { load_observation(source_, scan_); }, {"observations[0].mesh", "unit"});
  source_.mesh.file = folder_.path() / "skin.obj";
  source_.mask = folder_.write("short.txt", "1\n1\n");
  expect_refused([&] { load_observation(source_, scan_); }, {"short.txt", "2"});
  source_.mask = folder_.write("empty_mask.txt", "1\n0\n0\n0\n");
  expect_refused([&] { load_observation(source_, scan_); }, {"observations[0].mask", "fewer than three"});
}

}  // namespace
}  // namespace furrow
