// Where a fit writes: relative folders, inputs that must survive, and nothing left behind by bad input.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/calibrate/block_project.h"
#include "tests/cli/run_furrow.h"

namespace furrow {
namespace {

namespace fs = std::filesystem;

class FitFolder : public ::testing::Test {
 protected:
  FitFolder() : back_(fs::current_path()) {
    testing::write_block_project(folder_);
    fs::current_path(folder_.path());
  }
  ~FitFolder() override { fs::current_path(back_); }

  testing::TemporaryFolder folder_;
  fs::path back_;
};

TEST_F(FitFolder, ARelativeFolderHoldsASceneThatRuns) {
  const testing::Ran fit = testing::run_furrow("fit project.json -o sub/out");
  ASSERT_EQ(fit.status, 0) << fit.output;
  const testing::Ran simulate = testing::run_furrow("simulate sub/out/scene.json -o again");
  EXPECT_EQ(simulate.status, 0) << simulate.output;
  const testing::Ran exported = testing::run_furrow("export sub/out --to scene,obj -o exported");
  EXPECT_EQ(exported.status, 0) << exported.output;
}

TEST_F(FitFolder, InputsAreNeverOverwritten) {
  const auto before = fs::file_size("scene.json");
  const testing::Ran fit = testing::run_furrow("fit project.json -o .");
  EXPECT_EQ(fit.status, 2);
  EXPECT_NE(fit.output.find("name another folder"), std::string::npos) << fit.output;
  EXPECT_EQ(fs::file_size("scene.json"), before);
}

TEST_F(FitFolder, BadInputLeavesNothingAndKeepsAnEarlierCheckpoint) {
  const std::string scan = [] {
    std::ifstream in("left.obj");
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  folder_.write("left.obj", "");
  const testing::Ran bad = testing::run_furrow("fit project.json -o out");
  EXPECT_EQ(bad.status, 2) << bad.output;
  EXPECT_FALSE(fs::exists("out"));
  folder_.write("left.obj", scan);
  ASSERT_EQ(testing::run_furrow("fit project.json -o out").status, 0);
  folder_.write("left.obj", "");
  EXPECT_EQ(testing::run_furrow("fit project.json -o out").status, 2);
  folder_.write("left.obj", scan);
  const testing::Ran resumed = testing::run_furrow("fit project.json -o out --resume");
  EXPECT_EQ(resumed.status, 0) << resumed.output;
}

}  // namespace
}  // namespace furrow
