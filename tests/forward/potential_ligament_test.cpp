// Ligaments against golden/ligament_heatmap.json, their derivatives by error order, and their limits: the
// kink, b = 0, an exponent that overflows.
#include "forward/potential/ligament.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/forward/point_law_checks.h"

namespace furrow {
namespace {

using testing::check_by_scalar;
using testing::check_components;
using testing::check_point_law;
using testing::golden;
using testing::smallest_eigenvalue;
using testing::some_rotation;

const std::vector<Ligament> variants{{LigamentVariant::smoothed, 0.002, 1.5, 0.05},
                                     {LigamentVariant::seed, 0.002, 1.5, 0.05},
                                     {LigamentVariant::quadratic, 0.003, 0.7, 0.05},
                                     {LigamentVariant::smoothed, 0.002, 0.0, 0.05},
                                     {LigamentVariant::quadratic, 0.003, 0.0, 0.05}};

PointValue at(const Ligament& law, double d) {
  return law.value(d * Vec3(0.6, 0, 0.8));
}

/// Energy and force over the golden distances, relative 1e-12; `first`: where to start. The reference takes D
/// - eps by subtraction, which costs its energy k x 1e-17 mm at the smallest distances.
void expect_table(const Ligament& law, const nlohmann::json& psi, const nlohmann::json& force,
                  std::size_t first) {
  const auto distances = golden("ligament_heatmap.json")["ligament"]["delta"].get<std::vector<double>>();
  for (std::size_t k = first; k < distances.size(); ++k) {
    const PointValue value = at(law, distances[k]);
    EXPECT_NEAR(value.energy, psi[k].get<double>(), 1e-12 * psi[k].get<double>() + law.stiffness * 1e-17)
        << distances[k];
    EXPECT_NEAR(value.gradient.norm(), force[k].get<double>(), 1e-12 * force[k].get<double>())
        << distances[k];
  }
}

TEST(Ligament, EqualsTheGoldenTables) {
  const auto g = golden("ligament_heatmap.json")["ligament"];
  const double k = g["k"], b = g["b"];
  for (const auto& smoothed : g["smoothed"]) {
    const double eps = smoothed["eps"];
    expect_table({LigamentVariant::smoothed, k, b, eps}, smoothed["psi"], smoothed["force"], 0);
    const PointValue rest = at({LigamentVariant::smoothed, k, b, eps}, 0);
    EXPECT_NEAR(rest.hessian(0, 0), smoothed["k0"].get<double>(), 1e-15);
  }
  expect_table({LigamentVariant::seed, k, b, 0.05}, g["seed_psi"], g["seed_force"], 1);
  expect_table({LigamentVariant::quadratic, k, b, 0.05}, g["quadratic_exponent"]["psi"],
               g["quadratic_exponent"]["force"], 0);
}

TEST(Ligament, DerivativesHaveTheRightOrder) {
  for (const Ligament& law : variants) {
    SCOPED_TRACE("variant " + std::to_string(static_cast<int>(law.variant)) + ", b " + std::to_string(law.b));
    for (const Vec3& r : {Vec3(0.3, -0.2, 0.5), Vec3(1.3, 0.9, -0.4), Vec3(0.02, 0.03, 0.01)}) {
      check_point_law([&](const Vec3& y) { return law.value(y); }, r, 0.05 * r.norm());
      check_components([&](const Vec3& y) { return law.value(y).gradient; }, law.value(r).hessian, r,
                       1e-5 * r.norm(), 1e-8 * law.value(r).hessian.norm());
      check_by_scalar(
          [&](double k) {
            return Ligament{law.variant, k, law.b, law.smoothing}.value(r).gradient;
          },
          [&](double k) {
            return Ligament{law.variant, k, law.b, law.smoothing}.gradient_by_stiffness(r);
          },
          law.stiffness, 1e-4);
      check_by_scalar(
          [&](double b) {
            return Ligament{law.variant, law.stiffness, b, law.smoothing}.value(r).gradient;
          },
          [&](double b) {
            return Ligament{law.variant, law.stiffness, b, law.smoothing}.gradient_by_b(r);
          },
          law.b, 1e-2 / r.squaredNorm());
    }
  }
}

TEST(Ligament, RestIsSmoothButForTheSeedsKink) {
  const Vec3 zero = Vec3::Zero();
  const Ligament smoothed = variants[0], seed = variants[1], quadratic = variants[2];
  check_components([&](const Vec3& y) { return smoothed.value(y).gradient; }, smoothed.value(zero).hessian,
                   zero, 1e-5, 1e-8);
  check_components([&](const Vec3& y) { return quadratic.value(y).gradient; }, quadratic.value(zero).hessian,
                   zero, 1e-5, 1e-11);
  EXPECT_LT((smoothed.value(zero).hessian - 0.002 / 0.05 * Mat3::Identity()).norm(), 1e-16);
  EXPECT_EQ(seed.value(zero).energy, 0);
  EXPECT_EQ(seed.value(zero).gradient, zero);
  EXPECT_EQ(seed.value(zero).hessian, Mat3(0.002 / 1e-6 * Mat3::Identity()));
  EXPECT_NEAR(at(seed, 1e-9).gradient.norm(), 0.002, 1e-9);  // a threshold traction k, however small d is
  EXPECT_TRUE(at(seed, 1e-11).hessian.allFinite());
  for (const Ligament& law : variants) {
    EXPECT_EQ(law.gradient_by_b(zero), zero);
    EXPECT_EQ(law.gradient_by_stiffness(zero), zero);
    EXPECT_EQ(law.projected_hessian(zero), law.value(zero).hessian);
  }
}

TEST(Ligament, SmallDistancesLoseNoDigits) {
  const Ligament law = variants[0];  // psi = k d^2/(2 eps) to first order: D - eps must not cancel
  for (const double d : {1e-5, 1e-7, 1e-9}) {
    EXPECT_NEAR(at(law, d).energy / (0.002 * d * d / 0.1), 1, 2e-8) << d;
    EXPECT_NEAR(at(law, d).gradient.norm() / (0.002 * d / 0.05), 1, 2e-8) << d;
  }
}

TEST(Ligament, VanishingGrowthIsTheLimit) {
  const Vec3 r(0.3, -0.2, 0.5);
  for (const auto variant : {LigamentVariant::smoothed, LigamentVariant::seed, LigamentVariant::quadratic}) {
    const PointValue limit = Ligament{variant, 0.002, 0, 0.05}.value(r);
    for (const double b : {1e-14, 1e-9, 1e-310}) {
      const PointValue value = Ligament{variant, 0.002, b, 0.05}.value(r);
      EXPECT_NEAR(value.energy, limit.energy, 2e-9 * limit.energy) << b;
      EXPECT_LT((value.gradient - limit.gradient).norm(), 2e-9 * limit.gradient.norm()) << b;
    }
  }
}

TEST(Ligament, ConvexForEveryGrowth) {
  for (const Ligament& law : variants) {
    for (unsigned seed = 0; seed < 50; ++seed) {
      const Vec3 r = testing::random_vector(3, seed, std::pow(10.0, seed % 6 - 4.0));
      const Mat3 hessian = law.value(r).hessian;
      EXPECT_GE(smallest_eigenvalue(hessian), -1e-14 * hessian.norm());
      EXPECT_EQ(law.projected_hessian(r), hessian);
    }
  }
  const Ligament negative{LigamentVariant::quadratic, 0.002, -1.5,
                          0.05};  // refused in scenes, projected here
  const Vec3 r(0.3, -0.2, 1.5);
  EXPECT_LT(smallest_eigenvalue(negative.value(r).hessian), 0);
  EXPECT_LT((negative.projected_hessian(r) - testing::clamped(negative.value(r).hessian)).norm(), 1e-16);
}

TEST(Ligament, OverflowIsAnInfiniteEnergy) {
  for (const auto variant : {LigamentVariant::smoothed, LigamentVariant::seed, LigamentVariant::quadratic}) {
    const PointValue value = Ligament{variant, 0.002, 2000, 0.05}.value(Vec3(1, 2, 3));
    EXPECT_EQ(value.energy, std::numeric_limits<double>::infinity());
    EXPECT_EQ(value.gradient, Vec3(Vec3::Zero()));
    const PointValue large = Ligament{variant, 0.002, 600, 0.05}.value(Vec3(1, 0, 0));  // e^600 still counts
    EXPECT_TRUE(std::isfinite(large.energy) && large.gradient.allFinite() && large.hessian.allFinite());
  }
}

TEST(Ligament, TurnsWithTheBody) {
  const Mat3 Q = some_rotation();
  for (const Ligament& law : variants) {
    const Vec3 r(0.3, -0.2, 0.5);
    const PointValue value = law.value(r), turned = law.value(Q * r);
    EXPECT_NEAR(turned.energy, value.energy, 1e-15);
    EXPECT_LT((turned.gradient - Q * value.gradient).norm(), 1e-15);
    EXPECT_LT((turned.hessian - Q * value.hessian * Q.transpose()).norm(), 1e-14);
  }
}

}  // namespace
}  // namespace furrow
