// golden/element_quartic.json: one curved, deformed quartic prism under everything that acts on skin.
#include <gtest/gtest.h>

#include "tests/support/shell_patch.h"

namespace furrow {
namespace {

using testing::matrix3_of;

struct QuarticElement {
  nlohmann::json json = testing::read_golden("element_quartic.json");
  PrismMesh mesh;
  std::unique_ptr<CompiledShell> shell;
  ShellTheta theta;
  ShellState from;
  Frame frame;
  Positions x;

  QuarticElement() {
    make_mesh();
    ShellPhysics physics;
    physics.elastic.rule = RuleKind::exact;
    physics.elastic.branches = 1;
    physics.surface_rule = triangle_rule(10);
    physics.ligaments = ShellPhysics::Ligaments{LigamentVariant::smoothed, json["eps_lig"]};
    physics.skull = ShellPhysics::Skull{ImlsKernel::wendland, json["imls"]["h"], 0, true};
    physics.colliders = {{0, json["eps_v"]}};
    shell = std::make_unique<CompiledShell>(mesh, physics, FixedFlags::Constant(45, 3, false));
    make_theta();
    x = matrix3_of(json["x"]);
    make_frame();
    make_state();
  }
  StepInput input() const { return {from, frame, theta}; }

 private:
  void make_mesh() {
    mesh.nodes = matrix3_of(json["X"]);
    mesh.elements = Eigen::Matrix<int, 1, 45>::LinSpaced(45, 0, 44);
    mesh.inner_faces = mesh.elements.leftCols(15);
    mesh.outer_faces = mesh.elements.rightCols(15);
    mesh.layers = {"epidermis", "soft"};
    const auto constant = [](double w) { return VectorXd::Constant(1, w); };
    const double cut = json["wcut"];
    mesh.sublayers = {{{constant(-1), constant(cut), 1}, {constant(cut), constant(1), 0}}};
  }
  void make_theta() {
    const auto& params = json["params"];
    theta = testing::golden_theta(params);
    theta.ligament_b.resize(15);
    for (int a = 0; a < 15; ++a) theta.ligament_b[a] = params["b"][a];
    theta.density = params["rho"];
  }
  void make_frame() {
    const auto vec = [](const nlohmann::json& v) { return Vec3(v[0], v[1], v[2]); };
    frame.dt = json["dt"];
    frame.viscous_exponent = 1;
    frame.gravity = vec(json["gravity"]);
    ColliderPose pose;
    pose.present = true;
    pose.radius = json["finger"]["R"];
    pose.centre = vec(json["finger"]["cprev"]);
    frame.before = {pose};
    pose.centre = vec(json["finger"]["c"]);
    frame.now = {pose};
  }
  /// F^v the same everywhere; friction's lag: the contact of the step before, at X under the finger's
  /// previous pose.
  void make_state() {
    from = shell->rest_state();
    const Positions fv = matrix3_of(json["Fv_all"]);
    VectorXd& branch = from.history.edit().branch[0];
    for (Eigen::Index k = 0; k < branch.size(); ++k) branch[k] = fv.data()[k / 4 % 9];
    Frame previous = frame;
    previous.now = frame.before;
    from.lag = shell->contact().lag(mesh.nodes, previous, theta);
  }
};

const QuarticElement& element() {
  static const QuarticElement e;
  return e;
}

TEST(ShellElementGolden, VolumesAndAreas) {
  const QuarticElement& e = element();
  EXPECT_NEAR(e.shell->elastic().nodal_volume().sum(),
              e.json["volume_epi"].get<double>() + e.json["volume_soft"].get<double>(), 1e-12);
  EXPECT_EQ(e.shell->elastic().point_count(), 170);
  EXPECT_NEAR(e.shell->inner().weight().sum(), e.json["area_bottom"].get<double>(), 1e-12);
  EXPECT_NEAR(e.shell->outer().weight().sum(), e.json["area_top"].get<double>(), 1e-12);
  const Positions normals = matrix3_of(e.json["skull_normals"]);
  EXPECT_LT((inner_normals(e.mesh) - normals).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(ShellElementGolden, EnergiesAndGradient) {
  const QuarticElement& e = element();
  const ShellValue value = e.shell->evaluate(e.x, e.input(), true);
  // the golden's weight is measured from the origin, ours from the rest position
  const double weight_at_rest =
      -(e.shell->elastic().nodal_volume().transpose() * e.mesh.nodes).dot(e.theta.density * e.frame.gravity);
  EXPECT_NEAR(value.energy + weight_at_rest, e.json["energy"].get<double>(), 1e-10 * value.energy);
  const auto& potentials = e.shell->potentials();
  ASSERT_EQ(potentials.size(), 6u);
  for (std::size_t p = 0; p < potentials.size(); ++p) {
    const std::string name = potentials[p]->name() == "contact" ? "finger" : potentials[p]->name();
    const double golden = e.json["parts"][name];
    EXPECT_NEAR(value.parts[p] + (name == "gravity" ? weight_at_rest : 0), golden, 1e-10 * std::abs(golden))
        << name;
  }
  double largest = 0;
  for (const auto& g : e.json["gradient"]) largest = std::max(largest, std::abs(g.get<double>()));
  for (int k = 0; k < 135; ++k)
    EXPECT_NEAR(value.gradient.data()[k], e.json["gradient"][k].get<double>(), 1e-10 * largest) << k;
}

TEST(ShellElementGolden, HessianTimesDirection) {
  const QuarticElement& e = element();
  Positions direction(45, 3);
  for (int k = 0; k < 135; ++k) direction.data()[k] = std::cos(k);
  const Positions product = e.shell->hessian_product(e.x, e.input(), direction);
  HessianSum sum = e.shell->empty_hessian();
  e.shell->hessian(e.x, e.input(), false, sum);
  const VectorXd assembled =
      multiply_symmetric(e.shell->pattern(), sum.values(), e.shell->dofs().gather(direction));
  const double dHd = e.json["dHd"];
  EXPECT_NEAR(product.cwiseProduct(direction).sum(), dHd, 1e-10 * dHd);
  double largest = 0;
  for (const auto& g : e.json["H_times_direction"]) largest = std::max(largest, std::abs(g.get<double>()));
  for (int k = 0; k < 135; ++k) {
    const double golden = e.json["H_times_direction"][k];
    EXPECT_NEAR(product.data()[k], golden, 1e-10 * largest) << k;
    EXPECT_NEAR(assembled[k], golden, 1e-10 * largest) << k;
  }
}

/// Sum over the points, whatever their order, and the first three points of one layer.
TEST(ShellElementGolden, ViscousUpdate) {
  const QuarticElement& e = element();
  const ViscousHistory next =
      e.shell->elastic().relax(e.x, *e.from.history, e.theta, e.frame.dt, e.frame.viscous_exponent);
  const auto at = [&](int point) {
    Mat3 m;
    for (int k = 0; k < 9; ++k) m(k / 3, k % 3) = next.branch[0][point / 4 * 36 + 4 * k + point % 4];
    return m;
  };
  Mat3 sum = Mat3::Zero();
  for (int point = 0; point < 170; ++point) sum += at(point);
  const Mat3 golden = matrix3_of(e.json["Fv_next_sum"]);
  EXPECT_LT((sum - golden).cwiseAbs().maxCoeff(), 1e-10 * golden.cwiseAbs().maxCoeff());
  for (int k = 0; k < 3; ++k) {
    const Mat3 first = matrix3_of(e.json["Fv_next_first_points"][k]);
    double nearest = 1;
    for (int point = 0; point < 170; ++point)
      nearest = std::min(nearest, (at(point) - first).cwiseAbs().maxCoeff());
    EXPECT_LT(nearest, 1e-12) << "point " << k;
  }
}

}  // namespace
}  // namespace furrow
