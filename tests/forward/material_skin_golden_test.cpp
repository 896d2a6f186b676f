// golden/material.json: ten states with stress, tangent and history, relaxation at constant stretch, and
// ramps under both viscous schemes.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/forward/material_skin_points.h"

namespace furrow {
namespace {

using namespace testing;
using nlohmann::json;

const json& golden() {
  static const json document = json::parse(
      std::ifstream(std::string(FURROW_SOURCE_DIR) + "/tests/golden/material.json"), nullptr, true);
  return document;
}

MatrixXd matrix_of(const json& rows) {
  MatrixXd m(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) m(i, j) = rows[i][j].get<double>();
  return m;
}

SkinCase case_of(const json& state) {
  const json& p = state["params"];
  SkinCase c;
  c.F = matrix_of(state["F"]);
  c.fv = {Mat3(matrix_of(state["Fv"]))};
  c.mu_inf = p["mu_inf"].get<double>();
  c.stiffening = p["C"].get<double>();
  c.bulk = p["K"].get<double>();
  c.branch = {p["alpha"].get<double>() * p["mu_m"].get<double>()};
  return c;
}

constexpr double kRelative = 1e-11;

template <class A, class B>
void expect_close(const A& ours, const B& golden_value, const std::string& what) {
  EXPECT_LE((ours - golden_value).norm(), kRelative * golden_value.norm() + 1e-15) << what;
}

void expect_state(const std::string& name, const json& state, const SkinTangent& t, const Mat3& fv_next,
                  const Mat9& fv_by_F, int l) {
  EXPECT_NEAR(t.energy[l], state["psi"].get<double>(), kRelative * state["psi"].get<double>() + 1e-17)
      << name;
  expect_close(lane(t.P, l), matrix_of(state["P"]), name + ": P");
  expect_close(lane(t.A, l), matrix_of(state["A_row_major_9x9"]), name + ": A");
  expect_close(fv_next, matrix_of(state["Fv_next"]), name + ": Fv_next");
  expect_close(fv_by_F, matrix_of(state["dFvnext_dF_9x9"]), name + ": dFvnext_dF");
}

TEST(SkinGolden, TenStates) {
  int states = 0;
  for (const auto& [name, state] : golden().items()) {
    if (!state.contains("psi")) continue;
    ++states;
    const int l = states % kLanes;  // the other lanes hold some other state
    std::vector<SkinCase> lanes(kLanes, some_case(1, false, Volumetric::quadratic, 40 + states));
    lanes[l] = case_of(state);
    const SkinPack pack(lanes);
    const Pack alpha = Pack{} + state["params"]["alpha"].get<double>();
    Mat9 by_F;
    for (int c = 0; c < 9; ++c) {
      const PackMat3 dF = in_all_lanes(from_row_major(VectorXd::Unit(9, c)));
      by_F.col(c) = row_major(
          lane(viscous_update_increment(pack.point.F, pack.point.fv[0], alpha, dF, PackMat3{}, Pack{}), l));
    }
    expect_state(name, state, skin_tangent(pack.point, pack.moduli, false),
                 lane(viscous_update(pack.point.F, pack.point.fv[0], alpha), l), by_F, l);
  }
  EXPECT_EQ(states, 10);
}

/// F = diag(l, l^-1/2, l^-1/2).
Mat3 uniaxial(double stretch) {
  return Vec3(stretch, 1 / std::sqrt(stretch), 1 / std::sqrt(stretch)).asDiagonal();
}

TEST(SkinGolden, RelaxationAtConstantStretch) {
  const json& table = golden()["relaxation_uniaxial"];
  const double stretch = table["lam"].get<double>(), C = table["C"].get<double>();
  const double mu = table["E"].get<double>() / (2 * (1 + table["nu"].get<double>()));
  const double alpha = std::exp(-table["dt"].get<double>() / table["tau"].get<double>());
  SkinCase c;
  c.F = uniaxial(stretch);
  c.fv = {Mat3::Identity()};
  c.mu_inf = 0.2 * mu;
  c.stiffening = C;
  c.bulk = 50 / 3.0;
  c.branch = {alpha * 0.8 * mu};
  for (const json& row : table["rows"]) {
    const int n = row[0].get<int>();
    const SkinPack pack({c});
    const Mat3 P = lane(skin_stress(pack.point, pack.moduli).P, 2);
    // nominal stress with free sides: P11 - P22 F22/F11
    const double nominal = P(0, 0) - P(1, 1) * c.F(1, 1) / c.F(0, 0);
    const double l = std::log(stretch);
    const double exact =
        3 * l / stretch * (0.2 * mu * std::exp(1.5 * C * l * l) + 0.8 * mu * std::pow(alpha, n));
    EXPECT_NEAR(nominal, exact, 1e-12 * exact) << n;
    EXPECT_NEAR(nominal, row[2].get<double>(), kRelative * exact) << n;
    c.fv[0] = lane(viscous_update(pack.point.F, pack.point.fv[0], Pack{} + alpha), 2);
  }
}

/// Elastic log strain at the end of a ramp to `strain` in `steps` steps.
double ramp(double strain, int steps, double alpha, bool strang) {
  PackMat3 fv = pack_identity();
  for (int n = 1; n <= steps; ++n) {
    const PackMat3 before = in_all_lanes(uniaxial(std::exp(strain * (n - 1) / steps)));
    const PackMat3 F = in_all_lanes(uniaxial(std::exp(strain * n / steps)));
    if (strang) fv = viscous_update(before, fv, Pack{} + std::sqrt(alpha));
    fv = viscous_update(F, fv, Pack{} + (strang ? std::sqrt(alpha) : alpha));
  }
  return strain - std::log(lane(fv, 1)(0, 0));
}

TEST(SkinGolden, RampsOfBothSchemes) {
  const json& table = golden()["ramp_dt_dependence"];
  const double tau = table["tau"].get<double>(), time = table["ramp_time"].get<double>();
  const double strain = table["eps"].get<double>();
  // golden/extras.json, viscous_scheme_ramp: dt, seed_rel_err, strang_rel_err
  const double errors[4][2] = {{-0.4180232931306733, -0.04048262433252803},
                               {-0.2292529587316008, -0.010341209174499766},
                               {-0.11979708395305022, -0.0025994272964889875},
                               {-0.061198255624770104, -0.0006507450901462875}};
  int at = 0;
  for (const json& row : table["rows"]) {
    const double dt = row[0].get<double>(), exact = row[3].get<double>();
    const int steps = static_cast<int>(std::lround(time / dt));
    const double seed = ramp(strain, steps, std::exp(-dt / tau), false);
    const double strang = ramp(strain, steps, std::exp(-dt / tau), true);
    EXPECT_NEAR(seed, row[1].get<double>(), kRelative * seed) << dt;
    EXPECT_NEAR(exact, strain * tau / time * (1 - std::exp(-time / tau)), 1e-15);
    if (at < 4) {
      EXPECT_NEAR(seed / exact - 1, errors[at][0], 1e-11) << dt;
      EXPECT_NEAR(strang / exact - 1, errors[at][1], 1e-11) << dt;
    }
    ++at;
  }
}

}  // namespace
}  // namespace furrow
