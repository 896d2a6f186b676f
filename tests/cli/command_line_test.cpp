// The program from outside: exit statuses, messages, and what is written.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "forward/base/mesh_io.h"
#include "tests/cli/block_scene.h"
#include "tests/cli/run_furrow.h"

namespace furrow {
namespace {

namespace fs = std::filesystem;
using testing::run_furrow;

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  const std::size_t start = text.rfind('\n', end);
  return text.substr(start + 1, end - start);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class CommandLine : public ::testing::Test {
 protected:
  std::string path(const char* name) const { return "\"" + (folder_.path() / name).string() + "\""; }
  testing::TemporaryFolder folder_;
};

TEST_F(CommandLine, UsageErrorsHaveStatusTwo) {
  EXPECT_EQ(run_furrow("").status, 2);
  EXPECT_EQ(run_furrow("simulat x").status, 2);
  EXPECT_EQ(run_furrow("check").status, 2);
  EXPECT_EQ(run_furrow("check --threads 0 x.obj").status, 2);
  EXPECT_EQ(run_furrow("simulate a.json b.json").status, 2);
  EXPECT_EQ(run_furrow("--help").status, 0);
  EXPECT_EQ(run_furrow("fit --help").status, 0);
  EXPECT_TRUE(holds(run_furrow("--version").output, "furrow "));
}

TEST_F(CommandLine, CheckReportsEveryFile) {
  testing::write_block_scene(folder_);
  folder_.write("mask.txt", "1\n0\n");
  folder_.write("poses.csv", "frame,gx,gy,gz\nleft,9.81,0,0\n");
  const auto good = run_furrow("check " + path("block.obj") + " " + path("scene.json") + " " +
                               path("mask.txt") + " " + path("poses.csv"));
  EXPECT_EQ(good.status, 0) << good.output;
  EXPECT_TRUE(holds(good.output, "groups: skin (32 triangles)")) << good.output;
  EXPECT_TRUE(holds(good.output, "closed, no self-intersections")) << good.output;
  EXPECT_TRUE(holds(good.output, "all 4 kPa")) << good.output;
  EXPECT_TRUE(holds(good.output, "reads as a mask")) << good.output;

  folder_.write("bad.json", R"({"furrow": 1, "model": "tet", "surfce": 1})");
  const auto bad =
      run_furrow("check " + path("gone.obj") + " " + path("bad.json") + " " + path("block.obj") + " --json");
  EXPECT_EQ(bad.status, 2);
  EXPECT_TRUE(holds(bad.output, "gone.obj")) << bad.output;
  EXPECT_TRUE(holds(bad.output, "surfce")) << bad.output;
  EXPECT_TRUE(holds(bad.output, "125 vertices") || holds(bad.output, "50 vertices")) << bad.output;
  const auto json = nlohmann::json::parse(last_line(bad.output));
  EXPECT_EQ(json["status"], 2);
  EXPECT_EQ(json["files"].size(), 3u);
}

TEST_F(CommandLine, CheckWarnsOfAWrongUnit) {
  folder_.write("block.obj", testing::block_obj(1));
  EXPECT_FALSE(holds(run_furrow("check " + path("block.obj")).output, "warning"));
  const auto metres = run_furrow("check --unit m " + path("block.obj"));
  EXPECT_EQ(metres.status, 0);
  EXPECT_TRUE(holds(metres.output, "warning")) << metres.output;
  EXPECT_TRUE(holds(metres.output, "look like mm")) << metres.output;
}

TEST_F(CommandLine, MeshWritesAVtu) {
  testing::write_block_scene(folder_);
  const auto ran = run_furrow("mesh " + path("scene.json") + " -o " + path("out") + " --json --quiet");
  ASSERT_EQ(ran.status, 0) << ran.output;
  const auto json = nlohmann::json::parse(ran.output);  // nothing else is printed
  EXPECT_EQ(json["order"], 2);
  EXPECT_NEAR(json["volume_mm3"], 120 * 20 * 120, 1e-6);
  const auto again = run_furrow("check " + path("out/mesh.vtu"));
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_TRUE(holds(again.output, "quadratic tetrahedra"));
}

TEST_F(CommandLine, SimulateFindsTheScanAgain) {
  for (const char* method : {"auto", "newton", "lbfgs"}) {
    testing::write_block_scene(folder_, std::string(R"({"method": ")") + method + "\"}");
    const auto ran =
        run_furrow("simulate " + path("scene.json") + " -o " + path("out") + " --log " + path("log.txt"));
    ASSERT_EQ(ran.status, 0) << ran.output;
    for (const char* file : {"summary.json", "animation.glb", "frames/side.vtu", "surface/side.obj"})
      EXPECT_TRUE(fs::exists(folder_.path() / "out" / file)) << file;
    // the rest shape is the one that gravity deforms into the scan
    const SurfaceMesh scan = read_surface(folder_.path() / "block.obj");
    const SurfaceMesh neutral = read_surface(folder_.path() / "out/surface/neutral.obj");
    EXPECT_LT((scan.vertices - neutral.vertices).cwiseAbs().maxCoeff(), 1e-6);
    const SurfaceMesh side = read_surface(folder_.path() / "out/surface/side.obj");
    EXPECT_GT((side.vertices - neutral.vertices).col(0).maxCoeff(), 0.1);
    EXPECT_TRUE(fs::file_size(folder_.path() / "log.txt") > 0);
  }
}

TEST_F(CommandLine, NoConvergenceHasStatusOneAndIsWritten) {
  testing::write_block_scene(folder_, R"({"max_iterations": 1, "method": "lbfgs"})");
  const auto ran = run_furrow("simulate " + path("scene.json") + " -o " + path("out"));
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(holds(ran.output, "did not converge")) << ran.output;
  EXPECT_TRUE(fs::exists(folder_.path() / "out/summary.json"));
}

TEST_F(CommandLine, BadInputHasStatusTwoAndLeavesNothing) {
  testing::write_block_scene(folder_, "{}", "4 mm");
  const auto ran = run_furrow("simulate " + path("scene.json") + " -o " + path("out") + " --json");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(holds(ran.output, "tissue.young")) << ran.output;
  EXPECT_EQ(nlohmann::json::parse(last_line(ran.output))["status"], 2);
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
  EXPECT_EQ(run_furrow("simulate " + path("scene.json") + " --log /nowhere/log.txt").status, 2);
  EXPECT_EQ(run_furrow("fit " + path("gone.json")).status, 2);
}

TEST_F(CommandLine, FilesOutsideNeedPermission) {
  testing::write_block_scene(folder_);
  fs::create_directories(folder_.path() / "deeper");
  fs::copy_file(folder_.path() / "scene.json", folder_.path() / "deeper/scene.json");
  EXPECT_EQ(run_furrow("check " + path("deeper/scene.json")).status, 2);
  EXPECT_EQ(run_furrow("check " + path("deeper/scene.json") + " --data " + path("")).status, 0);
  folder_.write("deeper/outside.json",
                R"({ "furrow": 1, "model": "tet", "surface": {"mesh": "../block.obj", "unit": "mm"},
    "volume": {"mesh": "../block.obj", "fixed": ["base"]}, "tissue": {"young": "4 kPa"} })");
  EXPECT_EQ(run_furrow("check " + path("deeper/outside.json")).status, 2);
  EXPECT_EQ(run_furrow("check " + path("deeper/outside.json") + " --allow-outside").status, 0);
}

}  // namespace
}  // namespace furrow
