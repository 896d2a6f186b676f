// Dimensions in words, for messages.
#include <array>

#include "forward/base/units.h"

namespace furrow {

namespace {

struct Description {
  Dimension dimension;
  const char* words;
};

constexpr std::array<Description, 17> descriptions{{
    {dimension::none, "a plain number without a unit such as 0.3"},
    {dimension::length, "a length such as \"2.5 mm\""},
    {dimension::per_length, "an inverse length such as \"0.2 /mm\""},
    {dimension::per_area, "an inverse area such as \"0.5 /mm^2\""},
    {dimension::time, "a time such as \"1/12 s\""},
    {{.time = -1}, "a rate such as \"24 /s\""},
    {dimension::speed, "a speed such as \"0.5 mm/s\""},
    {dimension::acceleration, "an acceleration such as \"-9.81 m/s^2\""},
    {dimension::force, "a force such as \"20 mN\""},
    {dimension::stress, "a stress such as \"4 MPa\""},
    {dimension::stress_per_length, "a stress per length such as \"10 MPa/mm\""},
    {dimension::density, "a density such as \"1000 kg/m^3\""},
    {dimension::pixel, "an image distance such as \"0.3 px\""},
    {dimension::angle, "an angle such as \"0.1 deg\""},
    {{.mass = 1}, "a mass such as \"5 kg\""},
    {{.length = 2}, "an area such as \"100 mm^2\""},
    {{.mass = 1, .length = 2, .time = -2}, "an energy such as \"2 mJ\""},
}};

}  // namespace

std::string describe(const Dimension& d) {
  for (const Description& known : descriptions) {
    if (known.dimension == d) return known.words;
  }
  std::string unit;
  const auto add = [&unit](const char* name, int power) {
    if (power == 0) return;
    if (!unit.empty()) unit += '*';
    unit += name;
    if (power != 1) unit.append("^").append(std::to_string(power));
  };
  add("t", d.mass), add("mm", d.length), add("s", d.time), add("px", d.pixel), add("rad", d.angle);
  return "a quantity such as \"1 " + unit + "\"";
}

}  // namespace furrow
