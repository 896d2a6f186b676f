// Every derivative of every potential of a shell, by error order and entry by entry.
#include <gtest/gtest.h>

#include "tests/support/shell_checks.h"

namespace furrow {
namespace {

using testing::CheckedPotential;
using testing::PotentialCheck;
using testing::ShellBody;
using testing::ShellBodyOptions;

class ElasticOfOrder : public ::testing::TestWithParam<std::tuple<int, int, RuleKind>> {};

/// Orders and rules; volumetric law, prestretch, stacks and numbers of branches take turns.
TEST_P(ElasticOfOrder, Derivatives) {
  const auto [p, q, rule] = GetParam();
  const int turn = p + 2 * q + (rule == RuleKind::exact ? 1 : 0);
  ShellBodyOptions o;
  o.order = {p, q};
  o.physics.elastic.rule = rule;
  o.physics.elastic.volumetric = turn % 2 == 0 ? Volumetric::quadratic : Volumetric::logarithmic;
  o.prestretch = turn % 3 != 0;
  o.two_elements = turn % 4 == 1 && p < 4;
  o.branches = std::vector<std::vector<int>>{{2, 1}, {0, 0}, {1, 2}, {1, 1}, {0, 2}}[turn % 5];
  const ShellBody body(o);
  CheckedPotential(body, "skin").all();
}
INSTANTIATE_TEST_SUITE_P(Orders, ElasticOfOrder,
                         ::testing::Combine(::testing::Range(1, 5), ::testing::Values(1, 2),
                                            ::testing::Values(RuleKind::tensor, RuleKind::exact)));

/// Every number of the history, with different numbers of branches in the two layers.
TEST(ShellPotential, ElasticByEveryNumberOfTheHistory) {
  ShellBodyOptions o;
  o.order = {1, 1};
  o.branches = {2, 1};
  o.prestretch = true;
  const ShellBody body(o);
  PotentialCheck check;
  check.every_state_entry = true;
  CheckedPotential(body, "skin", check).by_state();
}

TEST(ShellPotential, TheTwoWaysToAssembleAgree) {
  for (int p = 1; p <= 4; ++p) {
    ShellBodyOptions o;
    o.order = {p, 2};
    o.branches = {1, 2};
    const ShellBody factorised(o);
    o.physics.elastic.sum_factorisation = false;
    const ShellBody plain(o);
    const MatrixXd A = dense_hessian(factorised, factorised.potential("skin"), factorised.x, false),
                   B = dense_hessian(plain, plain.potential("skin"), plain.x, false);
    EXPECT_LT((A - B).norm(), 1e-13 * B.norm()) << "order " << p;
  }
}

TEST(ShellPotential, Ligaments) {
  for (const LigamentVariant variant :
       {LigamentVariant::smoothed, LigamentVariant::seed, LigamentVariant::quadratic}) {
    ShellBodyOptions o;
    o.branches = {0, 0};
    o.physics.surface_rule = triangle_rule(4);
    o.physics.ligaments = ShellPhysics::Ligaments{variant, 0.05};
    PotentialCheck check;
    check.order_step = 2e-3;
    CheckedPotential(ShellBody(o), "ligament", check).all();
  }
}

TEST(ShellPotential, Skull) {
  for (const ImlsKernel kernel : {ImlsKernel::wendland, ImlsKernel::seed, ImlsKernel::r2_quartic})
    for (const double ramp : {0.0, 0.02})
      for (const bool rest_gap : {true, false}) {
        ShellBodyOptions o;
        o.branches = {0, 0};
        o.physics.surface_rule = triangle_rule(4);
        o.physics.skull = ShellPhysics::Skull{kernel, 2.5, ramp, rest_gap};
        PotentialCheck check;
        check.order_step = 1e-3;
        CheckedPotential(ShellBody(o), "skull", check).all();
      }
}

TEST(ShellPotential, ContactOfTwoFingers) {
  for (const double ramp : {0.0, 0.02}) {
    ShellBodyOptions o;
    o.branches = {0, 0};
    o.physics.surface_rule = triangle_rule(4);
    o.physics.colliders = {{ramp, 2}, {2 * ramp, 3}};
    PotentialCheck check;
    check.order_step = 1e-3;
    CheckedPotential(ShellBody(o), "contact", check).all();
  }
}

TEST(ShellPotential, FrictionOfTwoFingersOneTurning) {
  ShellBodyOptions o;
  o.branches = {0, 0};
  o.physics.surface_rule = triangle_rule(4);
  o.physics.colliders = {{0, 2}, {0.02, 3}};
  PotentialCheck check;
  check.order_step = 1e-3;
  check.every_state_entry = true;
  CheckedPotential(ShellBody(o), "friction", check).all();
}

TEST(ShellPotential, Gravity) {
  ShellBodyOptions o;
  o.branches = {0, 0};
  CheckedPotential(ShellBody(o), "gravity").all();
}

}  // namespace
}  // namespace furrow
