// The shell beside two other codes: CalculiX's quadratic wedges and GetFEM's prisms of the same order.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "calibrate/simulate_shell.h"
#include "forward/mesh/prism_mesh_io.h"
#include "forward/scene_io.h"
#include "tests/support/calculix_strip.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(FURROW_SOURCE_DIR) / "data/cases";

/// Quarter ring about the y axis, 0 <= y <= 4 mm (half of the strip's width), 22 mm <= radius <= 26 mm:
/// `cells` along the arc, across, and through the thickness. Its ends lie in x = 0 and in z = 0.
PrismMesh quarter_ring(PrismOrder order, std::array<int, 3> cells) {
  ThicknessPlan plan;
  plan.layers = {"strip"};
  plan.element_cuts.clear();
  for (int k = 0; k <= cells[2]; ++k) plan.element_cuts.push_back(k / static_cast<double>(cells[2]));
  PrismMesh mesh = make_patch(order, {cells[0], cells[1], 2, 4, 4, {}}, plan);
  for (Eigen::Index n = 0; n < mesh.nodes.rows(); ++n) {
    const Vec3 X = mesh.nodes.row(n).transpose();
    const double angle = std::acos(-1.0) / 4 * (1 + X[0]), radius = 26 + X[2];
    mesh.nodes.row(n) << radius * std::sin(angle), X[1] + 2, radius * std::cos(angle);
  }
  return mesh;
}

/// Load [N] of the end that is pushed, and how far it slides along z [mm].
struct EndOfStrip {
  double load = 0, slide = 0;
};

/// The scene of data/cases/strip-calculix through its files, but for mesh, Poisson's ratio and push [mm].
class Strip {
 public:
  Strip(PrismOrder order, std::array<int, 3> cells, double poisson, double push) {
    write_prism_mesh(folder_.path() / "strip.vtu", quarter_ring(order, cells));
    fs::copy(kCases / "strip-calculix/scene.json", folder_.path() / "scene.json");
    folder_.write("end.csv", fmt::format("time_s,x_mm\n0,0\n1,{}\n", push));
    Scene scene = read_scene(folder_.path() / "scene.json");
    scene.shell->layers[0].poisson = poisson;
    model_ = build_shell_model(scene);
  }

  EndOfStrip of_furrow() const {
    const Trajectory t = simulate(*model_.compiled, model_.theta, model_.schedule);
    if (t.failure != StepFailure::none) throw std::runtime_error(describe(t.failure));
    const TapeEntry& last = t.tape[t.frames.back().last_step];
    const ShellValue value =
        model_.compiled->evaluate(last.to->x, {*last.from, last.step->frame(), model_.theta}, true);
    double load = 0;
    for (const int n : end()) load += value.gradient(n, 0);
    return {load, slide(last.to->x - model_.mesh().nodes)};
  }

  EndOfStrip of_calculix() const {
    const LayerTheta& layer = model_.theta.layers[0];
    const Positions boundary = model_.schedule.boundary(model_.schedule.dt);
    const testing::CalculixAnswer answer = testing::run_calculix(
        {model_.mesh(), layer.young, layer.poisson, model_.compiled->dofs(), boundary, end()},
        folder_.path());
    return {answer.reaction[0], slide(answer.displacements)};
  }

 private:
  const std::vector<int>& end() const { return model_.boundary_nodes[1]; }
  /// Mean along z of the two corners in the mirror plane, which every mesh has.
  double slide(const Positions& displacements) const {
    double sum = 0;
    int count = 0;
    for (const int n : end()) {
      const Vec3 X = model_.mesh().nodes.row(n).transpose();
      if (X[1] > 1e-9 || std::abs(X[0] - 24) < 1.999) continue;
      sum += displacements(n, 2);
      ++count;
    }
    return sum / count;
  }

  testing::TemporaryFolder folder_;
  ShellModel model_;
};

EndOfStrip print(const std::string& title, const EndOfStrip& end) {
  fmt::print("  {:<50} load {:.5g} mN   slide {:.5g} mm\n", title, 1000 * end.load, end.slide);
  return end;
}

class CalculixStripTest : public ::testing::TestWithParam<double> {
 protected:
  void SetUp() override {
    if (!testing::have_calculix()) GTEST_SKIP() << "ccx is absent (Debian package calculix-ccx)";
  }
  static void expect_near(const EndOfStrip& a, const EndOfStrip& b, double relative) {
    EXPECT_NEAR(a.load / b.load, 1, relative);
    EXPECT_NEAR(a.slide / b.slide, 1, relative);
  }
};

/// Bending strains of 0.4 %, loads 5 % above the linear ones. The laws are not quite one here: ccx's is St.
/// Venant-Kirchhoff.
TEST_P(CalculixStripTest, EndLoadAgrees) {
  const double nu = GetParam(), push = 1;
  fmt::print("Poisson's ratio {}, end pushed by {} mm\n", nu, push);
  const std::array<int, 3> same{16, 2, 2};
  const EndOfStrip on_same =
      print("CalculiX C3D15, 16 x 2 x 2 cells", Strip({2, 2}, same, nu, push).of_calculix());
  const EndOfStrip finer =
      print("CalculiX C3D15, 24 x 3 x 3", Strip({2, 2}, {24, 3, 3}, nu, push).of_calculix());
  const EndOfStrip peer =
      print("CalculiX C3D15, 32 x 4 x 4", Strip({2, 2}, {32, 4, 4}, nu, push).of_calculix());
  const EndOfStrip quadratic = print("furrow [2, 2], 16 x 2 x 2", Strip({2, 2}, same, nu, push).of_furrow());
  const EndOfStrip quartic =
      print("furrow [4, 2], 8 x 1 x 1", Strip({4, 2}, {8, 1, 1}, nu, push).of_furrow());
  const EndOfStrip fine = print("furrow [4, 2], 8 x 2 x 4", Strip({4, 2}, {8, 2, 4}, nu, push).of_furrow());
  expect_near(finer, peer, 0.002);  // has converged
  expect_near(quadratic, on_same, 0.01);
  expect_near(quadratic, peer, 0.01);
  expect_near(quartic, peer, 0.01);
  expect_near(fine, peer, 0.002);
}

/// Strains so small that the laws are one.
TEST_P(CalculixStripTest, SmallEndLoadAgreesToFourDigits) {
  const double nu = GetParam(), push = 0.01;
  fmt::print("Poisson's ratio {}, end pushed by {} mm\n", nu, push);
  const EndOfStrip peer =
      print("CalculiX C3D15, 32 x 4 x 4", Strip({2, 2}, {32, 4, 4}, nu, push).of_calculix());
  const EndOfStrip fine = print("furrow [4, 2], 8 x 2 x 4", Strip({4, 2}, {8, 2, 4}, nu, push).of_furrow());
  expect_near(fine, peer, 1e-4);
}
INSTANTIATE_TEST_SUITE_P(PoissonsRatios, CalculixStripTest, ::testing::Values(0.3, 0.45));

/// The scene as `furrow simulate` runs it; GetFEM computes its own numbers and compares both with those of
/// the specification.
class GetfemBlock : public ::testing::Test {
 protected:
  /// Lateral stretches along y and z and P11 [MPa] of the last frame, from the files that were written.
  Vec3 simulated(Volumetric volumetric) {
    Scene scene = read_scene(kCase / "scene.json");
    scene.shell->volumetric = volumetric;
    const ShellModel model = build_shell_model(scene);
    const fs::path out = folder_.path() / "out";
    const ShellSimulation run = simulate_shell(model, out, [](int, int, const StepReport&) { return true; });
    EXPECT_EQ(run.failure, "");
    const PrismMesh last = read_prism_mesh(out / "frames/0004.vtu", 1, model.layers);
    const Vec3 size = (last.nodes.colwise().maxCoeff() - last.nodes.colwise().minCoeff()).transpose();
    std::ifstream in(run.summary);
    const auto force = nlohmann::json::parse(in)["frames"][4]["forces_by_boundary_N"][3][0].get<double>();
    return {size[1] / 2, size[2], force / 2};
  }
  static inline const fs::path kCase = kCases / "getfem-uniaxial";
  testing::TemporaryFolder folder_;
};

TEST_F(GetfemBlock, SceneGivesItsNumbers) {
  const Vec3 quadratic = simulated(Volumetric::quadratic), logarithmic = simulated(Volumetric::logarithmic);
  EXPECT_LT((quadratic - Vec3(0.897506973093, 0.897506973093, 0.569997928699)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((logarithmic - Vec3(0.898898204865, 0.898898204865, 0.567614995242)).cwiseAbs().maxCoeff(),
            1e-12);
}

TEST_F(GetfemBlock, GetfemGivesThemToo) {
  std::string python;
  for (const char* candidate : {"python3", "/usr/bin/python3"})
    if (std::system((std::string(candidate) + " -c 'import getfem' >/dev/null 2>&1").c_str()) == 0)
      python = candidate;
  if (python.empty()) GTEST_SKIP() << "GetFEM is absent (Debian package python3-getfem)";
  simulated(Volumetric::quadratic);
  const std::string command = python + " \"" + (kCase / "getfem_uniaxial.py").string() + "\" \"" +
                              (folder_.path() / "out/summary.json").string() + "\"";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace
}  // namespace furrow
