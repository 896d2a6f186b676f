#include "forward/base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "tests/base/expect_error.h"

namespace furrow {
namespace {

using testing::expect_error;

TEST(Units, QuantitiesOfTheSceneFile) {
  EXPECT_EQ(parse_quantity("4 MPa", dimension::stress), 4);
  EXPECT_EQ(parse_quantity("20 kPa", dimension::stress), 0.02);
  EXPECT_EQ(parse_quantity("3 GPa", dimension::stress), 3000);
  EXPECT_EQ(parse_quantity("7 Pa", dimension::stress), 7e-6);
  EXPECT_EQ(parse_quantity("1/12 s", dimension::time), 1.0 / 12);
  EXPECT_EQ(parse_quantity("1/24s", dimension::time), 1.0 / 24);
  EXPECT_EQ(parse_quantity("250 ms", dimension::time), 0.25);
  EXPECT_EQ(parse_quantity("2 min", dimension::time), 120);
  EXPECT_EQ(parse_quantity("1000 kg/m^3", dimension::density), 1e-9);
  EXPECT_EQ(parse_quantity("1 g/cm^3", dimension::density), 1e-9);
  EXPECT_EQ(parse_quantity("-9.81 m/s^2", dimension::acceleration), -9810);
  EXPECT_EQ(parse_quantity("9810 mm/s^2", dimension::acceleration), 9810);
  EXPECT_EQ(parse_quantity("0.2 /mm", dimension::per_length), 0.2);
  EXPECT_EQ(parse_quantity("0.2/mm", dimension::per_length), 0.2);
  EXPECT_EQ(parse_quantity("0.2 1/mm", dimension::per_length), 0.2);
  EXPECT_EQ(parse_quantity("0.2 mm^-1", dimension::per_length), 0.2);
  EXPECT_EQ(parse_quantity("1/80 /mm", dimension::per_length), 1.0 / 80);
  EXPECT_EQ(parse_quantity("0.5 /mm^2", dimension::per_area), 0.5);
  EXPECT_EQ(parse_quantity("10 MPa/mm", dimension::stress_per_length), 10);
  EXPECT_EQ(parse_quantity("0.5 mm/s", dimension::speed), 0.5);
  EXPECT_EQ(parse_quantity("20 mN", dimension::force), 0.02);
  EXPECT_EQ(parse_quantity("0.3 px", dimension::pixel), 0.3);
  EXPECT_DOUBLE_EQ(parse_quantity("180 deg", dimension::angle), std::numbers::pi);
  EXPECT_EQ(parse_quantity("0.25", dimension::none), 0.25);
}

TEST(Units, LengthsInEveryUnit) {
  EXPECT_EQ(parse_quantity("1 m", dimension::length), 1000);
  EXPECT_EQ(parse_quantity("1 cm", dimension::length), 10);
  EXPECT_EQ(parse_quantity("1 um", dimension::length), 1e-3);
  EXPECT_EQ(parse_quantity("1 \u00b5m", dimension::length), 1e-3);
  EXPECT_EQ(parse_quantity("  +1.5e1   mm ", dimension::length), 15);
  EXPECT_EQ(parse_quantity(".5 mm", dimension::length), 0.5);
  EXPECT_EQ(parse_quantity("5. mm", dimension::length), 5);
  EXPECT_EQ(parse_quantity("-1/4 mm", dimension::length), -0.25);
}

TEST(Units, CompoundUnitsMeanTheirProduct) {
  EXPECT_EQ(parse_quantity("2 N/mm^2", dimension::stress), 2);
  EXPECT_EQ(parse_quantity("2 kg*m/s^2", dimension::force), 2);
  EXPECT_EQ(parse_quantity("2 N / m ^2", dimension::stress), 2e-6);
  EXPECT_EQ(parse_quantity("2 t * mm / s^2", dimension::force), 2);
}

TEST(Units, DecimalUnitsAreRoundedOnce) {
  std::mt19937 generator(1);
  for (int k = 0; k < 2000; ++k) {
    const int thousandths = std::uniform_int_distribution(1, 999999)(generator);
    const double expected = std::stod(std::to_string(thousandths) + "e-3");
    EXPECT_EQ(parse_quantity(std::to_string(thousandths) + " kPa", dimension::stress), expected);
    EXPECT_EQ(convert_to(expected, "kPa"), thousandths);
  }
}

TEST(Units, RefusalsSayWhatIsWrongAndGiveAnExample) {
  const auto refused = [](const char* text, const Dimension& expected,
                          std::initializer_list<const char*> parts) {
    expect_error<std::invalid_argument>([&] { parse_quantity(text, expected); }, parts);
  };
  refused("4", dimension::stress, {"\"4\"", "has no unit", "a stress such as \"4 MPa\""});
  refused("4 mm", dimension::stress, {"wrong dimension", "a length", "a stress"});
  refused("4 MPa", dimension::none, {"wrong dimension", "a plain number"});
  refused("4 mpa", dimension::stress, {"unknown unit \"mpa\"", "did you mean \"MPa\""});
  refused("4 furlong", dimension::length, {"unknown unit \"furlong\"", "\"2.5 mm\""});
  refused("MPa", dimension::stress, {"does not begin with a number"});
  refused("", dimension::time, {"does not begin with a number", "\"1/12 s\""});
  refused("nan mm", dimension::length, {"does not begin with a number"});
  refused("inf mm", dimension::length, {"does not begin with a number"});
  refused("1/0 s", dimension::time, {"divided by zero"});
  refused("1e999 s", dimension::time, {"out of range"});
  refused("1e308 m", dimension::length, {"out of range"});
  refused("1,5 mm", dimension::length, {"unknown unit"});
  refused("4 kg m", dimension::length, {"write \"*\" or \"/\""});
  refused("4 m//s", dimension::speed, {"missing"});
  refused("4 m/", dimension::speed, {"missing"});
  refused("4 m^", dimension::length, {"power"});
  refused("4 m^99", dimension::length, {"power"});
  refused("4 m^2.5", dimension::length, {"write \"*\" or \"/\""});
  refused("4 mm extra", dimension::length, {"before \"extra\""});
}

TEST(Units, FormattedQuantitiesReadBackToTheSameDouble) {
  const std::vector<std::pair<const char*, Dimension>> units{
      {"kPa", dimension::stress},         {"MPa", dimension::stress},
      {"Pa", dimension::stress},          {"kg/m^3", dimension::density},
      {"m/s^2", dimension::acceleration}, {"/mm", dimension::per_length},
      {"1/mm", dimension::per_length},    {"um", dimension::length},
      {"mN", dimension::force},           {"", dimension::none}};
  std::mt19937 generator(2);
  std::uniform_real_distribution<double> exponent(-12, 6), mantissa(-1, 1);
  for (int k = 0; k < 1000; ++k) {
    const double value = mantissa(generator) * std::pow(10, exponent(generator));
    for (const auto& [unit, dimension] : units) {
      EXPECT_EQ(parse_quantity(format_quantity(value, unit), dimension), value)
          << format_quantity(value, unit);
    }
    EXPECT_DOUBLE_EQ(parse_quantity(format_quantity(value, "deg"), dimension::angle), value);
  }
}

TEST(Units, FormattedQuantitiesAreShort) {
  EXPECT_EQ(format_quantity(0.004, "kPa"), "4 kPa");
  EXPECT_EQ(format_quantity(0.0213, "kPa"), "21.3 kPa");
  EXPECT_EQ(format_quantity(1e-9, "kg/m^3"), "1000 kg/m^3");
  EXPECT_EQ(format_quantity(0, "mm"), "0 mm");
  EXPECT_EQ(format_quantity(0.3, ""), "0.3");
}

TEST(Units, ConversionAndNames) {
  EXPECT_EQ(convert_to(0.004, "kPa"), 4);
  EXPECT_EQ(convert_to(1e-9, "kg/m^3"), 1000);
  EXPECT_DOUBLE_EQ(convert_to(std::numbers::pi, "deg"), 180);
  EXPECT_THROW(convert_to(1, "parsec"), std::invalid_argument);
  EXPECT_EQ(unit_of("4 MPa"), "MPa");
  EXPECT_EQ(unit_of("1/12 s"), "s");
  EXPECT_EQ(unit_of("0.2 /mm"), "/mm");
  EXPECT_EQ(unit_of("3"), "");
  EXPECT_EQ(describe({.mass = 1, .length = 3}), "a quantity such as \"1 t*mm^3\"");
}

}  // namespace
}  // namespace furrow
