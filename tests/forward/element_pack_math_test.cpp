// The packed elementary functions against the standard library's, in units of the last place.
#include "forward/element/pack_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace furrow {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Largest error over samples drawn by `sample` [units in the last place of long double references].
double worst_ulps(const std::function<Pack(Pack)>& packed,
                  const std::function<long double(long double)>& reference,
                  const std::function<double(double)>& sample) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform;
  double worst = 0;
  for (int k = 0; k < 50000; ++k) {
    Pack x;
    for (int l = 0; l < kLanes; ++l) x[l] = sample(uniform(generator));
    const Pack y = packed(x);
    for (int l = 0; l < kLanes; ++l) {
      const long double exact = reference(x[l]);
      const double size = std::abs(static_cast<double>(exact));
      const double ulp = std::nextafter(size, kInfinity) - size;
      worst = std::max(worst, static_cast<double>(std::abs(y[l] - exact) / ulp));
    }
  }
  return worst;
}

Pack all(double a) {
  return Pack{} + a;
}
double in_range(double t, double low, double high) {
  return low + t * (high - low);
}
/// Both signs, sizes from 1e-20 to `largest`, evenly in the logarithm.
double of_any_size(double t, double largest) {
  const double sign = t < 0.5 ? -1 : 1, position = t < 0.5 ? 2 * t : 2 * t - 1;
  return sign * largest * std::pow(10.0, -20 * position);
}

TEST(PackMath, ExpWithinTwoUnits) {
  const auto exact = [](long double x) { return std::exp(x); };
  EXPECT_LT(
      worst_ulps([](Pack x) { return pack_exp(x); }, exact, [](double t) { return in_range(t, -700, 700); }),
      2);
  EXPECT_LT(
      worst_ulps([](Pack x) { return pack_exp(x); }, exact, [](double t) { return in_range(t, -2, 2); }),
      1.2);
}

TEST(PackMath, ExpAtTheEndsOfItsRange) {
  EXPECT_EQ(pack_exp(all(800))[0], kInfinity);
  EXPECT_EQ(pack_exp(all(kInfinity))[1], kInfinity);
  EXPECT_EQ(pack_exp(all(-kInfinity))[2], 0.0);
  EXPECT_EQ(pack_exp(all(0))[3], 1.0);
  EXPECT_NEAR(pack_exp(all(-745))[0], 4.9406564584124654e-324, 0);
  EXPECT_TRUE(std::isnan(pack_exp(all(std::nan("")))[0]));
}

TEST(PackMath, Expm1WithinTwoUnits) {
  const auto exact = [](long double x) { return std::expm1(x); };
  const auto packed = [](Pack x) { return pack_expm1(x); };
  EXPECT_LT(worst_ulps(packed, exact, [](double t) { return of_any_size(t, 1.0); }), 2);
  EXPECT_LT(worst_ulps(packed, exact, [](double t) { return in_range(t, -60, 700); }), 2);
  EXPECT_LT(worst_ulps(packed, exact, [](double t) { return in_range(t, -2, 2); }), 2);
  EXPECT_EQ(pack_expm1(all(-kInfinity))[0], -1.0);
  EXPECT_EQ(pack_expm1(all(kInfinity))[0], kInfinity);
  EXPECT_EQ(pack_expm1(all(0))[0], 0.0);
}

TEST(PackMath, LogWithinTwoUnits) {
  const auto exact = [](long double x) { return std::log(x); };
  const auto packed = [](Pack x) { return pack_log(x); };
  EXPECT_LT(worst_ulps(packed, exact, [](double t) { return std::pow(10.0, in_range(t, -300, 300)); }), 1.2);
  EXPECT_LT(worst_ulps(packed, exact, [](double t) { return in_range(t, 0.1, 10); }), 2);
  EXPECT_LT(worst_ulps(packed, exact, [](double t) { return 1 + 1e-3 * (t - 0.5); }), 1.2);
  EXPECT_EQ(pack_log(all(1))[0], 0.0);
}

TEST(PackMath, LogOutsideItsRange) {
  const Pack y = pack_log(Pack{0.0, -1.0, kInfinity, 4.9406564584124654e-324});
  EXPECT_EQ(y[0], -kInfinity);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], kInfinity);
  EXPECT_NEAR(y[3], -744.44007192138122, 1e-12);
  EXPECT_TRUE(std::isnan(pack_log(all(std::nan("")))[0]));
}

TEST(PackMath, Log1pWithinTwoUnits) {
  const auto exact = [](long double x) { return std::log1p(x); };
  const auto packed = [](Pack x) { return pack_log1p(x); };
  EXPECT_LT(worst_ulps(packed, exact, [](double t) { return of_any_size(t, 0.9); }), 2);
  EXPECT_LT(worst_ulps(packed, exact, [](double t) { return in_range(t, -0.999, 5); }), 2);
  EXPECT_LT(worst_ulps(packed, exact, [](double t) { return std::pow(10.0, in_range(t, 0, 300)); }), 2);
  const Pack y = pack_log1p(Pack{-1.0, -2.0, kInfinity, 0.0});
  EXPECT_EQ(y[0], -kInfinity);
  EXPECT_TRUE(std::isnan(y[1]));
  EXPECT_EQ(y[2], kInfinity);
  EXPECT_EQ(y[3], 0.0);
}

TEST(PackMath, MasksSelectLaneByLane) {
  const Pack a{1, -2, 3, -4};
  const Pack chosen = pack_select(a > 0.0, a, all(9));
  EXPECT_EQ(chosen[0], 1);
  EXPECT_EQ(chosen[1], 9);
  EXPECT_TRUE(pack_any(a > 2.0));
  EXPECT_FALSE(pack_any(a > 4.0));
  EXPECT_EQ(pack_abs(a)[3], 4);
  EXPECT_EQ(pack_copysign(all(5), a)[1], -5);
  EXPECT_EQ(pack_copysign(all(5), a)[2], 5);
  EXPECT_EQ(pack_sqrt(a * a)[3], 4);
}

}  // namespace
}  // namespace furrow
