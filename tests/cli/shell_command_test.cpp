// Shell scenes through the program: what is written, and scenes that are wrong or hard. Every run has a time
// limit, so that a hang is a failure.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "forward/base/text_file.h"
#include "forward/mesh/prism_mesh_io.h"
#include "forward/mesh/prism_shell.h"
#include "tests/cli/run_furrow.h"
#include "tests/support/shell_stroke.h"

namespace furrow {
namespace {

namespace fs = std::filesystem;
using testing::Ran;
using testing::run_program;
using testing::ShellStroke;

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class ShellCommand : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return "\"" + (folder_.path() / name).string() + "\""; }
  /// The program under a limit of two minutes; status 124 where it took longer.
  Ran run(const std::string& arguments) const {
    return run_program("timeout 120 \"" FURROW_EXECUTABLE "\" " + arguments);
  }
  Ran simulate(const ShellStroke& stroke, const std::string& options = "") const {
    testing::write_shell_stroke(folder_, stroke);
    return run("simulate " + path("scene.json") + " -o " + path("out") + " " + options);
  }
  nlohmann::json summary() const {
    std::ifstream in(folder_.path() / "out/summary.json");
    return nlohmann::json::parse(in);
  }
  testing::TemporaryFolder folder_;
};

TEST_F(ShellCommand, SimulateWritesAndSays) {
  const Ran ran = simulate({}, "--json --threads 1");
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(holds(ran.output, "frame 4 of 4") || holds(ran.output, "5 frames")) << ran.output;
  EXPECT_TRUE(holds(ran.output, "collider index: up to")) << ran.output;
  for (const char* file : {"summary.json", "forces.csv", "animation.glb", "animation.pc2", "frames.pvd",
                           "frames/0000.vtu", "frames/0004.vtu", "surface/0004.obj"})
    EXPECT_TRUE(fs::exists(folder_.path() / "out" / file)) << file;
  EXPECT_EQ(summary()["frames"].size(), 5u);
  const std::string one = read_bytes(folder_.path() / "out/surface/0004.obj");
  ASSERT_EQ(run("simulate " + path("scene.json") + " -o " + path("again") + " --threads 2 --quiet").output,
            "");
  EXPECT_EQ(read_bytes(folder_.path() / "again/surface/0004.obj"), one);  // the same digits
}

TEST_F(ShellCommand, MeshAndCheck) {
  testing::write_shell_stroke(folder_);
  const Ran mesh = run("mesh " + path("scene.json") + " -o " + path("mesh") + " --json");
  ASSERT_EQ(mesh.status, 0) << mesh.output;
  EXPECT_TRUE(holds(mesh.output, "4 prisms of order 2 x 2, 1 through the thickness")) << mesh.output;
  EXPECT_TRUE(holds(mesh.output, "quadrature points")) << mesh.output;
  EXPECT_TRUE(holds(mesh.output, "\"volume_mm3\":64")) << mesh.output;
  const Ran check = run("check " + path("scene.json") + " " + path("mesh/mesh.vtu"));
  EXPECT_EQ(check.status, 0) << check.output;
  EXPECT_TRUE(holds(check.output, "mesh.vtu: prisms")) << check.output;
  EXPECT_TRUE(holds(check.output, "epidermis (in 4 prisms), soft (in 4 prisms)")) << check.output;
}

TEST_F(ShellCommand, AMeshFileGivesTheSameFrames) {
  ASSERT_EQ(simulate({}).status, 0);
  ASSERT_EQ(run("mesh " + path("scene.json") + " -o " + path("mesh.vtu")).status, 0);
  const std::string of_patch = read_bytes(folder_.path() / "out/surface/0003.obj");
  ShellStroke stroke;
  stroke.mesh = R"({"file": "mesh.vtu", "unit": "mm"})";
  stroke.epidermis = "";
  const Ran ran = simulate(stroke);
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_EQ(read_bytes(folder_.path() / "out/surface/0003.obj"), of_patch);
}

TEST_F(ShellCommand, TheAnimationPassesKhronosValidator) {
  const char* given = std::getenv("FURROW_GLTF_VALIDATOR");
  const std::string package = given ? given : "gltf-validator";
  if (run_program("node -e \"require('" + package + "')\"").status != 0)
    GTEST_SKIP() << "node or its package gltf-validator is absent (npm install gltf-validator, then set "
                    "FURROW_GLTF_VALIDATOR)";
  ASSERT_EQ(simulate({}).status, 0);
  const auto script = folder_.write(
      "validate.js", "require('" + package +
                         "').validateBytes(new Uint8Array(require('fs').readFileSync(process.argv[2])))"
                         ".then(r => console.log(JSON.stringify(r.issues)))");
  const Ran found = run_program("node " + script.string() + " " + path("out/animation.glb"));
  ASSERT_EQ(found.status, 0) << found.output;
  const auto issues = nlohmann::json::parse(found.output);
  EXPECT_EQ(issues["numErrors"], 0) << found.output;
  EXPECT_EQ(issues["numWarnings"], 0) << found.output;
}

TEST_F(ShellCommand, CtrlCStopsAndKeepsWhatIsDone) {
  ShellStroke stroke;
  stroke.time = R"("step": "1/2400 s", "frames": 100000)";
  testing::write_shell_stroke(folder_, stroke);
  const fs::path out = folder_.path() / "out";
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(FURROW_EXECUTABLE, FURROW_EXECUTABLE, "simulate", (folder_.path() / "scene.json").c_str(), "-o",
            out.c_str(), "--quiet", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(120);
  while (!fs::exists(out / "frames/0002.vtu") && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ::kill(child, SIGINT);
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0 && Clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (Clock::now() >= end) ::kill(child, SIGKILL), ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(summary()["status"], "interrupted");
  EXPECT_GE(summary()["frames"].size(), 3u);
  EXPECT_TRUE(fs::exists(out / "animation.glb"));
}

// Scenes that people get wrong.

TEST_F(ShellCommand, AFingerInsideTheSkinIsRefused) {
  ShellStroke stroke;
  stroke.path = "time_s,x_mm,y_mm,z_mm,present\n0,0,0,2,1\n1,0,0,2,1\n";
  const Ran ran = simulate(stroke);
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_TRUE(holds(ran.output, "inside the skin") && holds(ran.output, "finger.csv")) << ran.output;
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
}

TEST_F(ShellCommand, LayersThickerThanTheSkinAreRefused) {
  ShellStroke stroke;
  stroke.epidermis = R"("thickness": "2.5 mm", )";
  const Ran ran = simulate(stroke);
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_TRUE(holds(ran.output, "layers") && holds(ran.output, "2.5 mm")) << ran.output;
}

TEST_F(ShellCommand, ZeroFrictionSlides) {
  ShellStroke stroke;
  ASSERT_EQ(simulate(stroke).status, 0);
  const double held_back = summary()["frames"][4]["force_on_collider_N"]["index"][0];
  stroke.friction = "0";
  const Ran ran = simulate(stroke);
  ASSERT_EQ(ran.status, 0) << ran.output;
  const auto frame = summary()["frames"][4];
  EXPECT_EQ(frame["energies_mJ"]["friction"], 0);
  EXPECT_LT(std::abs(frame["force_on_collider_N"]["index"][0].get<double>()), 0.5 * std::abs(held_back));
}

TEST_F(ShellCommand, AHugeStepConvergesOrSaysWhyNot) {
  ShellStroke stroke;
  stroke.time = R"("step": "10 s", "frames": 1, "step_limit": "20 s")";
  stroke.path = "time_s,x_mm,y_mm,z_mm,present\n0,0,0,3.01,1\n10,1.5,0,2.4,1\n";
  const Ran ran = simulate(stroke);
  ASSERT_TRUE(ran.status == 0 || ran.status == 1) << ran.output;
  if (ran.status == 0) {
    EXPECT_GT(summary()["frames"][1]["smallest_J"], 0);
    EXPECT_LT(summary()["frames"][1]["deepest_penetration_mm"], 0.1);
  } else {
    EXPECT_TRUE(holds(ran.output, "did not converge: frame 1")) << ran.output;
    EXPECT_EQ(summary()["status"], "not_converged");
  }
}

TEST_F(ShellCommand, NaNInAPathIsRefused) {
  ShellStroke stroke;
  stroke.path = "time_s,x_mm,y_mm,z_mm,present\n0,0,0,3.01,1\n1,nan,0,2.7,1\n";
  const Ran ran = simulate(stroke);
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_TRUE(holds(ran.output, "finger.csv:3")) << ran.output;
}

TEST_F(ShellCommand, NothingThatHoldsTheSkinIsRefused) {
  ShellStroke stroke;
  stroke.boundary = "";
  const Ran ran = simulate(stroke);
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_TRUE(holds(ran.output, "nothing holds the skin") && holds(ran.output, "boundary")) << ran.output;
}

TEST_F(ShellCommand, FoldedElementsAreRefused) {
  PrismMesh mesh = make_patch({2, 2}, {2, 1, 8, 4, 2, {}}, skin_plan(2, 0.1, StackKind::seed));
  mesh.layers = {"epidermis", "soft"};
  mesh.nodes(mesh.elements(1, 0), 0) += 30;
  write_prism_mesh(folder_.path() / "mesh.vtu", mesh);
  ShellStroke stroke;
  stroke.mesh = R"({"file": "mesh.vtu", "unit": "mm"})";
  stroke.epidermis = "";
  for (const char* command : {"simulate", "mesh"}) {
    testing::write_shell_stroke(folder_, stroke);
    const Ran ran = run(command + (" " + path("scene.json")) + " -o " + path("out"));
    EXPECT_EQ(ran.status, 2) << ran.output;
    EXPECT_TRUE(holds(ran.output, "folded") && holds(ran.output, "mesh.vtu")) << ran.output;
  }
}

/// Scenes that read well and cannot be computed: status 2 and a message that says where.
TEST_F(ShellCommand, WhatCannotBeComputedIsRefusedBeforeTimeStarts) {
  folder_.write("none.txt", "\n");
  folder_.write("up.csv", "time_s,z_mm\n0,0\n1,1\n");
  folder_.write("down.csv", "time_s,z_mm\n0,0\n1,-1\n");
  const std::string patch = R"({"patch": {"cells": [2, 1], "size": ["8 mm", "4 mm"])";
  struct Bad {
    ShellStroke stroke;
    std::string says;
  };
  std::vector<Bad> bad(8);
  bad[0] = {{.boundary = R"("boundary": [{"file": "none.txt", "fix": "xyz"}],)"}, "selects no node"};
  bad[1] = {{.boundary = R"("boundary": [{"nodes": "rim", "fix": "xy", "path": "up.csv"}],)"},
            "boundary[0].path"};
  bad[2] = {{.boundary = R"("boundary": [{"nodes": "rim", "fix": "xyz", "path": "up.csv"},
                            {"nodes": "rim", "fix": "z", "path": "down.csv"}],)"},
            "boundary[1].path"};
  bad[3] = {{.boundary = R"("boundary": [{"nodes": "inner", "fix": "z"}],)"},
            "3 of the skin's 6 rigid motions"};
  bad[4] = {{.mesh = patch + R"(}, "order": [2, 1], "thickness": "2 mm", "stack": [1e-12]})"}, "mesh.stack"};
  bad[5] = {{.mesh = R"({"patch": {"cells": [1000, 1000], "size": ["8 mm", "4 mm"]}, "thickness": "2 mm"})"},
            "fewer cells"};
  bad[6] = {{.mesh = patch + R"(, "curvature": ["10 /mm", "10 /mm"]}, "order": [2, 2], "thickness": "2 mm"})",
             .more = R"("skull": {},)",
             .path = "time_s,x_mm,y_mm,z_mm,present\n0,0,0,60,1\n"},
            "skull: the inner surface"};
  bad[7] = {{.path = "time_s,x_mm,y_mm,z_mm,present\n0,0,0,-7,1\n"}, "inside the skin"};  // beneath it
  for (const Bad& b : bad) {
    const Ran ran = simulate(b.stroke);
    EXPECT_EQ(ran.status, 2) << ran.output;
    EXPECT_TRUE(holds(ran.output, b.says)) << ran.output;
    EXPECT_FALSE(fs::exists(folder_.path() / "out"));
  }
}

TEST_F(ShellCommand, AFingerThatJumpsThroughTheSkinIsWarnedOf) {
  const Ran through = simulate({.time = R"("step": "1/24 s", "frames": 2)",
                                .path = "time_s,x_mm,y_mm,z_mm,present\n0,0,0,20,1\n0.04,0,0,-50,1\n"});
  EXPECT_TRUE(holds(through.output, "moves 70 mm in frame 1")) << through.output;
  const Ran late = simulate({.path = "time_s,x_mm,y_mm,z_mm,present\n9,0,0,20,1\n10,0,0,20,1\n"});
  EXPECT_EQ(late.status, 0) << late.output;
  EXPECT_TRUE(holds(late.output, "only the first row counts")) << late.output;
}

TEST_F(ShellCommand, AFileSizeLimitIsAFailedWrite) {
  testing::write_shell_stroke(folder_);
  const Ran ran = run_program("ulimit -f 1; timeout 120 \"" FURROW_EXECUTABLE "\" simulate " +
                              path("scene.json") + " -o " + path("out"));
  EXPECT_EQ(ran.status, 2) << ran.output;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "out"))
    EXPECT_TRUE(entry.is_directory()) << entry.path() << " stayed behind";
}

}  // namespace
}  // namespace furrow
