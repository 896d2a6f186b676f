// Paths of colliders and of moving boundaries: what is between two rows, and what a bad table is told.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <string>

#include "forward/base/error.h"
#include "forward/base/rigid_motion.h"
#include "forward/solve/boundary_path.h"
#include "forward/solve/collider_path.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::TemporaryFolder;

class Paths : public ::testing::Test {
 protected:
  ColliderPath collider(const std::string& text) {
    return ColliderPath::read(folder_.write("finger.csv", text), 8);
  }
  BoundaryMotion boundary(const std::string& text) {
    return BoundaryMotion::read(folder_.write("moves.csv", text));
  }

  /// The message of what reading throws, without the folder.
  template <class Read>
  std::string message(Read read) {
    try {
      read();
    } catch (const InputError& error) {
      std::string text = error.what();
      const std::string folder = folder_.path().string() + "/";
      return text.rfind(folder, 0) == 0 ? text.substr(folder.size()) : text;
    }
    return "nothing was refused";
  }
  std::string collider_error(const std::string& text) {
    return message([&] { collider(text); });
  }
  std::string boundary_error(const std::string& text) {
    return message([&] { boundary(text); });
  }

  TemporaryFolder folder_;
};

void expect_starts_with(const std::string& text, const std::string& start) {
  EXPECT_EQ(text.substr(0, start.size()), start) << text;
}

const std::string stroke =
    "time_s,x,y,z,radius,present\n"
    "0,,,,6,0\n"
    "0.5,1,2,3,6,1\n"
    "1,3,2,1,7,1\n"
    "2,,,,,0\n";

TEST_F(Paths, ColliderIsInterpolatedWhereBothRowsHaveIt) {
  const ColliderPath path = collider(stroke);
  EXPECT_FALSE(path.at(0).present);
  EXPECT_FALSE(path.at(0.25).present);
  EXPECT_FALSE(path.at(0.5 - 1e-8).present);
  for (const double t : {0.5, 0.5 - 5e-10, 0.5 + 5e-10}) {  // on a row within 1e-9 s: that row alone
    EXPECT_TRUE(path.at(t).present);
    EXPECT_EQ(path.at(t).centre, Vec3(1, 2, 3));
  }
  const ColliderPose half = path.at(0.75);
  EXPECT_TRUE(half.present);
  EXPECT_LT((half.centre - Vec3(2, 2, 2)).norm(), 1e-14);
  EXPECT_DOUBLE_EQ(half.radius, 6.5);
  EXPECT_EQ(half.rotation, Mat3(Mat3::Identity()));
  EXPECT_TRUE(path.at(1).present);
  EXPECT_FALSE(path.at(1.5).present);
  EXPECT_EQ(path.first_time(), 0);
  EXPECT_EQ(path.last_time(), 2);
}

TEST_F(Paths, ColliderStandsStillOutsideItsTimes) {
  const ColliderPath path = collider("time_s,x_mm,y_mm,z_mm,present\n1,1,2,3,1\n2,2,2,3,1\n");
  EXPECT_EQ(path.at(-10).centre, Vec3(1, 2, 3));
  EXPECT_EQ(path.at(10).centre, Vec3(2, 2, 3));
  EXPECT_EQ(path.at(1.5).radius, 8);  // no column: the scene's
}

TEST_F(Paths, ColliderTurnsAlongTheShortestArc) {
  const ColliderPath path = collider(
      "time_s,x_mm,y_mm,z_mm,rx_rad,ry_rad,rz_rad,present\n"
      "0,0,0,0,0,0,3,1\n"
      "1,0,0,0,0,0,-3,1\n"
      "2,0,0,0,0.4,-0.2,0.1,1\n");
  const Vec3 last(0.4, -0.2, 0.1);
  const double pi = 3.14159265358979323846;
  EXPECT_LT((path.at(0.5).rotation - rotation_from_vector(Vec3(0, 0, pi))).norm(), 1e-14);
  EXPECT_LT((path.at(2).rotation - rotation_from_vector(last)).norm(), 1e-14);
  // at a constant rate about one axis
  const Mat3 a = path.at(1).rotation, step = a.transpose() * path.at(1.25).rotation;
  EXPECT_LT((a * step * step * step * step - path.at(2).rotation).norm(), 1e-13);
}

TEST_F(Paths, CommentsAndBlankLinesCount) {
  const std::string error =
      collider_error("# by hand\n\ntime_s,x,y,z,present\n\n0,1,1,1,1\n# again\n1,1,,1,1\n");
  expect_starts_with(error, "finger.csv:7: column \"y\" is empty");
}

TEST_F(Paths, BadColliderTablesAreRefused) {
  const std::string head = "time_s,x_mm,y_mm,z_mm,radius_mm,present\n";
  expect_starts_with(collider_error(""), "finger.csv: is empty");
  expect_starts_with(collider_error(head), "finger.csv: has no rows");
  expect_starts_with(collider_error(head + "0,1,nan,1,6,1\n"), "finger.csv:2: column \"y_mm\": \"nan\"");
  expect_starts_with(collider_error(head + "0,1,inf,1,6,1\n"), "finger.csv:2: column \"y_mm\": \"inf\"");
  expect_starts_with(collider_error(head + "0,1,two,1,6,1\n"), "finger.csv:2: column \"y_mm\": \"two\"");
  expect_starts_with(collider_error(head + "0,1,1,1,6,1\n0,1,1,1,6,1\n"),
                     "finger.csv:3: the time is not above");
  expect_starts_with(collider_error(head + "1,1,1,1,6,1\n0.5,1,1,1,6,1\n"),
                     "finger.csv:3: the time is not above");
  expect_starts_with(collider_error(head + ",1,1,1,6,1\n"), "finger.csv:2: column \"time_s\" is empty");
  expect_starts_with(collider_error(head + "0,,1,1,6,1\n"), "finger.csv:2: column \"x_mm\" is empty");
  expect_starts_with(collider_error(head + "0,1,1,1,,1\n"), "finger.csv:2: column \"radius_mm\" is empty");
  expect_starts_with(collider_error(head + "0,1,1,1,0,1\n"), "finger.csv:2: the radius must be positive");
  expect_starts_with(collider_error(head + "0,1,1,1,-6,1\n"), "finger.csv:2: the radius must be positive");
  expect_starts_with(collider_error(head + "0,1,1,1,6,2\n"), "finger.csv:2: present must be 0 or 1");
  expect_starts_with(collider_error(head + "0,1,1,1,6,\n"), "finger.csv:2: column \"present\" is empty");
  expect_starts_with(collider_error(head + "0,1,1,1,6\n"), "finger.csv:2: has 5 cells");
  expect_starts_with(collider_error("time_s,x_mm,y_mm,present\n0,1,1,1\n"),
                     "finger.csv: has no column \"z_mm\"");
  expect_starts_with(collider_error("x,y,z,present\n0,1,1,1\n"), "finger.csv: has no column \"time_s\"");
  expect_starts_with(collider_error("time_s,x,y,z\n0,1,1,1\n"), "finger.csv: has no column \"present\"");
  expect_starts_with(collider_error("time_s,x,x_mm,y,z,present\n0,1,1,1,1,1\n"),
                     "finger.csv: has both columns");
  expect_starts_with(collider_error("time_s,x,y,z,rx_rad,present\n0,1,1,1,1,1\n"),
                     "finger.csv: has no column \"ry_rad\"");
  expect_starts_with(collider_error("time_s,x_cm,y,z,present\n0,1,1,1,1\n"),
                     "finger.csv: the column \"x_cm\" is not known; did you mean \"x_mm\"?");
  EXPECT_THROW(ColliderPath::read(folder_.path() / "none.csv", 8), InputError);
}

TEST_F(Paths, BoundaryMovesLinearlyAndHolds) {
  const BoundaryMotion motion = boundary("time_s,z_mm,x_mm\n0,0,0\n1,2,-1\n3,2,1\n");
  EXPECT_EQ(motion.at(-1), Vec3(0, 0, 0));
  EXPECT_LT((motion.at(0.25) - Vec3(-0.25, 0, 0.5)).norm(), 1e-15);
  EXPECT_EQ(motion.at(1), Vec3(-1, 0, 2));
  EXPECT_LT((motion.at(2) - Vec3(0, 0, 2)).norm(), 1e-15);
  EXPECT_EQ(motion.at(9), Vec3(1, 0, 2));
  EXPECT_EQ(boundary("time_s,y_mm\n5,4\n").at(0), Vec3(0, 4, 0));  // one row: a constant offset
}

TEST_F(Paths, BadBoundaryTablesAreRefused) {
  expect_starts_with(boundary_error("time_s\n0\n"), "moves.csv: moves nothing");
  expect_starts_with(boundary_error("time_s,x_mm\n"), "moves.csv: has no rows");
  expect_starts_with(boundary_error("x_mm\n0\n"), "moves.csv: has no column \"time_s\"");
  expect_starts_with(boundary_error("time_s,x_mm\n0,\n"), "moves.csv:2: column \"x_mm\" is empty");
  expect_starts_with(boundary_error("time_s,x_mm\n0,nan\n"), "moves.csv:2: column \"x_mm\": \"nan\"");
  expect_starts_with(boundary_error("time_s,x_mm\n1,0\n0,1\n"), "moves.csv:3: the time is not above");
  expect_starts_with(boundary_error("time_s,x\n0,0\n"), "moves.csv: the column \"x\" is not known");
}

TEST_F(Paths, SharedFingerStrokes) {
  const auto file = testing::shared_folder() / "data/finger/A/stroke1/finger.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not here";
  const ColliderPath path = ColliderPath::read(file, 8);
  EXPECT_FALSE(path.at(0).present);
  EXPECT_EQ(path.at(3.0 / 24).radius, 6);
  EXPECT_TRUE(path.at(3.0 / 24).present);
  EXPECT_NEAR(path.at(3.0 / 24).centre.x(), -4.257178727, 1e-6);
  EXPECT_FALSE(path.at(path.last_time()).present);
}

}  // namespace
}  // namespace furrow
