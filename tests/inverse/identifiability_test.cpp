// What data determine, on Jacobians whose answer is known.
#include "inverse/identifiability.h"

#include <gtest/gtest.h>

namespace furrow {
namespace {

const MatrixXd kNoPrior;

TEST(IdentifiabilityTest, IndependentParameters) {
  const MatrixXd J = Eigen::Vector3d(100, 10, 4).asDiagonal();
  const Identifiability known = analyse_identifiability(J, kNoPrior, {"a", "b", "c"}, 1);
  EXPECT_LT((known.log_std - Eigen::Vector3d(0.01, 0.1, 0.25)).norm(), 1e-14);
  EXPECT_EQ(known.prior_share.norm(), 0);
  EXPECT_TRUE(known.weakest.empty());
  EXPECT_EQ(known.dead, (std::vector<bool>{false, false, false}));
  const Identifiability inflated = analyse_identifiability(J, kNoPrior, {"a", "b", "c"}, 3);
  EXPECT_LT((inflated.log_std - 3 * known.log_std).norm(), 1e-14);
  ASSERT_EQ(inflated.weakest.size(), 1u);  // c: 0.75
  EXPECT_EQ(inflated.weakest[0].parts[0].first, "c");
  EXPECT_NEAR(inflated.weakest[0].log_std, 0.75, 1e-14);
}

TEST(IdentifiabilityTest, TwoThatOnlyShowTogether) {
  MatrixXd J(2, 2);  // the sum is seen a hundred times better than the difference
  J << 100, 100, 1, -1;
  const Identifiability known = analyse_identifiability(J, kNoPrior, {"epidermis", "soft"}, 1);
  ASSERT_EQ(known.weakest.size(), 1u);
  EXPECT_NEAR(known.weakest[0].log_std, std::sqrt(0.5), 1e-10);
  EXPECT_NEAR(std::abs(known.weakest[0].parts[0].second), std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(known.weakest[0].parts[0].second, -known.weakest[0].parts[1].second, 1e-6);
  EXPECT_NEAR(known.log_std[0], 0.5, 1e-3);
  EXPECT_LT(known.covariance(0, 1), 0);
}

TEST(IdentifiabilityTest, DeadParametersAreNamed) {
  MatrixXd J = MatrixXd::Zero(3, 2);
  J.col(0) << 10, 20, 30;
  const Identifiability known = analyse_identifiability(J, kNoPrior, {"seen", "unseen"}, 1);
  EXPECT_EQ(known.dead, (std::vector<bool>{false, true}));
  EXPECT_TRUE(std::isinf(known.log_std[1]));
  EXPECT_NEAR(known.log_std[0], 1 / J.col(0).norm(), 1e-12);
  ASSERT_FALSE(known.weakest.empty());
  EXPECT_EQ(known.weakest[0].parts[0].first, "unseen");
}

TEST(IdentifiabilityTest, PriorsShare) {
  MatrixXd data = MatrixXd::Zero(2, 2), prior = MatrixXd::Zero(2, 2);
  data.diagonal() << 3, 0;
  prior.diagonal() << 1, 2;
  const Identifiability known = analyse_identifiability(data, prior, {"both", "prior"}, 1);
  EXPECT_NEAR(known.prior_share[0], 0.1, 1e-12);
  EXPECT_NEAR(known.prior_share[1], 1, 1e-12);
  EXPECT_NEAR(known.log_std[0], 1 / std::sqrt(10.0), 1e-12);
  EXPECT_NEAR(known.log_std[1], 0.5, 1e-12);
  EXPECT_EQ(known.dead, (std::vector<bool>{false, true}));
}

TEST(IdentifiabilityTest, NuisancesAreMarginalised) {
  MatrixXd J(3, 2), prior(1, 2);  // one parameter, one nuisance
  J << 10, 3, 4, 8, -2, 5;
  prior << 0, 1;
  const MatrixXd C = (J.transpose() * J + prior.transpose() * prior).inverse();
  const Identifiability known = analyse_identifiability(J, prior, {"a"}, 1);
  ASSERT_EQ(known.log_std.size(), 1);
  EXPECT_NEAR(known.log_std[0], std::sqrt(C(0, 0)), 1e-14);
}

}  // namespace
}  // namespace furrow
