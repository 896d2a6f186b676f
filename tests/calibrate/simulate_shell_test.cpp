// A stroke over a small patch, simulated and written: the files agree with each other, forces balance.
#include "calibrate/simulate_shell.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "forward/base/mesh_io.h"
#include "forward/mesh/prism_mesh_io.h"
#include "forward/scene_io.h"
#include "tests/support/shell_stroke.h"

namespace furrow {
namespace {

namespace fs = std::filesystem;
using testing::ShellStroke;
using testing::TemporaryFolder;

ShellModel stroke_model(const TemporaryFolder& folder, const ShellStroke& stroke = {}) {
  return build_shell_model(read_scene(testing::write_shell_stroke(folder, stroke), {}));
}

bool go_on(int, int, const StepReport&) {
  return true;
}

nlohmann::json read_json(const fs::path& file) {
  std::ifstream in(file);
  return nlohmann::json::parse(in);
}

int count_files(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(SimulateShell, FilesAgreeWithEachOther) {
  const TemporaryFolder folder;
  const ShellModel model = stroke_model(folder);
  const fs::path out = folder.path() / "out";
  const ShellSimulation simulation = simulate_shell(model, out, go_on);
  ASSERT_EQ(simulation.failure, "");
  ASSERT_EQ(simulation.frames.size(), 5u);
  for (const char* frame : {"0000", "0002", "0004"}) {
    const PrismMesh mesh = read_prism_mesh(out / "frames" / (std::string(frame) + ".vtu"), 1, model.layers);
    const SurfaceMesh surface = read_surface(out / "surface" / (std::string(frame) + ".obj"));
    EXPECT_EQ(mesh.elements, model.mesh().elements);
    EXPECT_EQ(surface.triangles, model.outer_triangles());
    EXPECT_EQ(surface.vertices, outer_positions(mesh, mesh.nodes)) << frame;
    EXPECT_EQ(std::count(mesh.fixed.begin(), mesh.fixed.end(), 1),
              static_cast<long>(model.mesh().rim.size()));
  }
  EXPECT_EQ(read_surface(out / "surface/0000.obj").vertices, outer_surface(model).vertices);
  const std::size_t vertices = model.mesh().outer_nodes().size();
  EXPECT_EQ(fs::file_size(out / "animation.pc2"), 32 + 5 * vertices * 12);
  EXPECT_GT(fs::file_size(out / "animation.glb"), 4 * vertices * 24);
  const CsvTable forces = read_csv(out / "forces.csv", false);
  EXPECT_EQ(forces.columns, (std::vector<std::string>{"time_s", "fx_N", "fy_N", "fz_N"}));
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(forces.values(k, 0), k / 24.0, 1e-12);
    for (int c = 0; c < 3; ++c) EXPECT_EQ(forces.values(k, c + 1), simulation.frames[k].forces[0][c]);
  }
}

TEST(SimulateShell, ForcesBalanceAndTheSummarySaysSo) {
  const TemporaryFolder folder;
  const ShellModel model = stroke_model(folder);
  const ShellSimulation simulation = simulate_shell(model, folder.path() / "out", go_on);
  ASSERT_EQ(simulation.failure, "");
  const auto summary = read_json(simulation.summary);
  EXPECT_EQ(summary["status"], "converged");
  ASSERT_EQ(summary["frames"].size(), 5u);
  EXPECT_EQ(summary["frames"][0]["force_on_collider_N"]["index"], (nlohmann::json{0, 0, 0}));
  for (int k = 1; k < 5; ++k) {
    const ShellFrameSummary& frame = simulation.frames[k];
    // what the finger takes, the border gives
    EXPECT_LT((frame.held - frame.forces[0]).norm(), 1e-7) << k;
    const auto& entry = summary["frames"][k];
    EXPECT_EQ(entry["force_on_collider_N"]["index"][2], frame.forces[0][2]);
    double energy = 0;
    for (const auto& [name, part] : entry["energies_mJ"].items()) energy += part.get<double>();
    EXPECT_NEAR(energy, entry["energy_mJ"].get<double>(), 1e-12);
    EXPECT_GT(entry["iterations"], 0);
  }
  const auto& pressed = summary["frames"][2];
  EXPECT_GT(pressed["force_on_collider_N"]["index"][2], 1e-3);  // the skin pushes back
  EXPECT_GT(pressed["deepest_penetration_mm"], 0);
  EXPECT_LT(pressed["deepest_penetration_mm"], 0.05);
  EXPECT_GT(pressed["largest_displacement_mm"], 0.2);
  EXPECT_LT(pressed["smallest_J"], 1);
  EXPECT_LT(summary["frames"][4]["force_on_collider_N"]["index"][0], -1e-4);  // against the drag
  EXPECT_GT(summary["frames"][4]["wrinkles"]["rms_mm"], 0);
}

TEST(SimulateShell, AStoppedRunIsWrittenAndOldFramesAreGone) {
  const TemporaryFolder folder;
  const ShellModel model = stroke_model(folder);
  const fs::path out = folder.path() / "out";
  simulate_shell(model, out, go_on);
  EXPECT_EQ(count_files(out / "frames"), 5);
  folder.write("out/frames/notes.txt", "mine");
  const ShellSimulation stopped =
      simulate_shell(model, out, [](int frame, int, const StepReport&) { return frame < 1; });
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(stopped.failure, "");
  EXPECT_EQ(stopped.frames.size(), 2u);
  EXPECT_EQ(count_files(out / "frames"), 3);  // two frames, and what is not ours
  EXPECT_EQ(count_files(out / "surface"), 2);
  EXPECT_EQ(read_json(out / "summary.json")["status"], "interrupted");
  EXPECT_TRUE(fs::exists(out / "animation.glb"));
}

TEST(SimulateShell, AFailedStepIsNamed) {
  const TemporaryFolder folder;
  ShellStroke stroke;
  stroke.more = R"("solver": {"max_iterations": 1},)";
  const ShellModel model = stroke_model(folder, stroke);
  const ShellSimulation simulation = simulate_shell(model, folder.path() / "out", go_on);
  EXPECT_NE(simulation.failure.find("frame 1"), std::string::npos) << simulation.failure;
  EXPECT_NE(simulation.failure.find("iterations"), std::string::npos) << simulation.failure;
  const auto summary = read_json(simulation.summary);
  EXPECT_EQ(summary["status"], "not_converged");
  EXPECT_EQ(summary["failure"], simulation.failure);
  EXPECT_EQ(summary["frames"].size(), 1u);
  EXPECT_TRUE(fs::exists(folder.path() / "out/frames/0000.vtu"));
}

TEST(SimulateShell, SeveralCollidersHaveTheirOwnColumns) {
  const TemporaryFolder folder;
  ShellModel model = stroke_model(folder);
  model.colliders = {"thumb", "index"};
  ShellFrameSummary frame;
  frame.time = 0.5;
  frame.forces = {{1, 2, 3}, {-1, 0, 0.25}};
  EXPECT_EQ(
      forces_csv(model, {frame}),
      "time_s,thumb.fx_N,thumb.fy_N,thumb.fz_N,index.fx_N,index.fy_N,index.fz_N\n0.5,1,2,3,-1,0,0.25\n");
}

}  // namespace
}  // namespace furrow
