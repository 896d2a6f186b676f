// Derivatives of every class of parameter against central differences.
#include <gtest/gtest.h>

#include <set>

#include "calibrate/gradient_check.h"
#include "tests/calibrate/block_project.h"

namespace furrow {
namespace {

TEST(Gradient, EveryParameterHoldsAgainstCentralDifferences) {
  const testing::TemporaryFolder folder;
  const GradientCheck check = check_gradient(read_project(testing::write_block_project(folder)), 1,
                                             [](double, const std::string&) { return true; });
  EXPECT_TRUE(check.failure.empty()) << check.failure;
  std::set<std::string> names;
  for (const GradientRow& row : check.rows) {
    names.insert(row.name);
    EXPECT_LE(row.relative_error, 1e-6) << row.name;
    if (row.slope_known) {
      EXPECT_NEAR(row.slope, 2, 0.05) << row.name;
    }
    if (row.has_tangent) {
      EXPECT_LE(row.tangent_difference, 1e-9) << row.name;
    }
  }
  for (const char* name :
       {"tissue.young.left", "tissue.young.right", "tissue.young", "tissue.poisson", "density",
        "left rotation x (with gravity)", "front translation z", "rest shape, direction 1"})
    EXPECT_TRUE(names.count(name)) << name;
  EXPECT_TRUE(check.passes());
}

TEST(Gradient, AWrongDerivativeFails) {
  GradientRow row;
  row.relative_error = 2e-6;
  EXPECT_FALSE(row.passes());
  row = {};
  row.slope = 1.9;
  EXPECT_FALSE(row.passes());
  row = {};
  row.tangent_difference = 1e-8;
  EXPECT_FALSE(row.passes());
}

TEST(Gradient, StopsWhenAsked) {
  const testing::TemporaryFolder folder;
  const GradientCheck check =
      check_gradient(read_project(testing::write_block_project(folder)), 1,
                     [](double fraction, const std::string&) { return fraction < 0.1; });
  EXPECT_FALSE(check.passes());
  EXPECT_NE(check.failure.find("stopped"), std::string::npos);
}

}  // namespace
}  // namespace furrow
