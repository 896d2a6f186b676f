// The example scenes of a shell in data/demo, as a newcomer runs them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "forward/base/text_file.h"
#include "tests/cli/run_furrow.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

namespace fs = std::filesystem;
using testing::run_furrow;

const fs::path kDemo = fs::path(FURROW_SOURCE_DIR) / "data/demo";

std::string quoted(const fs::path& path) {
  return "\"" + path.string() + "\"";
}

TEST(ShellDemo, ThePatchIsAScene) {
  const auto ran = run_furrow("check " + quoted(kDemo / "patch.scene.json"));
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_EQ(ran.output.find("warning"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("collider index: sphere, radius 6 mm"), std::string::npos) << ran.output;
}

// The same scene on a coarse mesh: pressed down, dragged along +x, lifted off.
TEST(ShellDemo, ThePatchIsPressedDraggedAndLeft) {
  const testing::TemporaryFolder folder;
  auto scene = nlohmann::json::parse(std::ifstream(kDemo / "patch.scene.json"), nullptr, true, true);
  scene["mesh"]["patch"]["cells"] = {4, 3};
  scene["mesh"]["order"] = {2, 2};
  scene["mesh"]["stack"] = "seed";
  const fs::path file = folder.write("scene.json", scene.dump());
  const fs::path out = folder.path() / "out";
  const auto ran =
      run_furrow("simulate " + quoted(file) + " --data " + quoted(kDemo) + " -o " + quoted(out) + " --quiet");
  ASSERT_EQ(ran.status, 0) << ran.output;
  const auto summary = nlohmann::json::parse(std::ifstream(out / "summary.json"));
  ASSERT_EQ(summary["frames"].size(), 17u);
  const auto force = [&](int frame, int axis) {
    return summary["frames"][frame]["force_on_collider_N"]["index"][axis].get<double>();
  };
  EXPECT_EQ(force(0, 2), 0);
  EXPECT_GT(force(4, 2), 0.1);                   // pressed: the skin pushes back up
  EXPECT_LT(force(10, 0), -0.2 * force(10, 2));  // dragged along +x: friction pulls back
  EXPECT_EQ(force(16, 2), 0);                    // lifted off
  const double dragged = summary["frames"][10]["largest_displacement_mm"];
  const double left = summary["frames"][16]["largest_displacement_mm"];
  EXPECT_GT(dragged, 0.5);
  EXPECT_LT(left, 0.5 * dragged);  // the skin has crept back most of the way
}

// Its mesh is written beside it and read again, and is not written over.
TEST(ShellDemo, AMeshIsNotWrittenOverItself) {
  const testing::TemporaryFolder folder;
  const fs::path mesh = folder.path() / "mesh.vtu";
  ASSERT_EQ(run_furrow("mesh " + quoted(kDemo / "patch.scene.json") + " -o " + quoted(mesh)).status, 0);
  const std::string before = read_bytes(mesh);
  auto scene = nlohmann::json::parse(std::ifstream(kDemo / "patch.scene.json"), nullptr, true, true);
  scene["mesh"] = {{"file", "mesh.vtu"}, {"unit", "mm"}};
  scene["layers"][0].erase("thickness");
  scene.erase("colliders");
  scene.erase("time");
  const fs::path file = folder.write("scene.json", scene.dump());
  const auto ran = run_furrow("mesh " + quoted(file) + " -o " + quoted(folder.path()));
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_NE(ran.output.find("-o"), std::string::npos) << ran.output;
  EXPECT_EQ(read_bytes(mesh), before);
  EXPECT_EQ(run_furrow("mesh " + quoted(file) + " -o " + quoted(folder.path() / "again.vtu")).status, 0);
}

}  // namespace
}  // namespace furrow
