// Units. Inside furrow everything is mm, N, MPa, s, tonne (and rad, px); files carry units as strings ("4
// MPa", "1/12 s").
#pragma once

#include <string>
#include <string_view>

namespace furrow {

/// Exponents of tonne, mm, s, px and rad. Stress is {1, -1, -2}.
struct Dimension {
  int mass = 0, length = 0, time = 0, pixel = 0, angle = 0;
  bool operator==(const Dimension&) const = default;
};

namespace dimension {
inline constexpr Dimension none{};
inline constexpr Dimension length{.length = 1};
inline constexpr Dimension per_length{.length = -1};
inline constexpr Dimension per_area{.length = -2};
inline constexpr Dimension time{.time = 1};
inline constexpr Dimension speed{.length = 1, .time = -1};
inline constexpr Dimension acceleration{.length = 1, .time = -2};
inline constexpr Dimension force{.mass = 1, .length = 1, .time = -2};
inline constexpr Dimension stress{.mass = 1, .length = -1, .time = -2};
inline constexpr Dimension stress_per_length{.mass = 1, .length = -2, .time = -2};
inline constexpr Dimension density{.mass = 1, .length = -3};
inline constexpr Dimension pixel{.pixel = 1};
inline constexpr Dimension angle{.angle = 1};
}  // namespace dimension

/// "4 MPa", "20 kPa", "1/12 s", "1000 kg/m^3", "-9.81 m/s^2", "0.2 /mm", "10 MPa/mm", "0.1 deg", "0.3 px" in
/// internal units. Throws std::invalid_argument whose message names the text, what is wrong with it and an
/// example of the dimension expected.
double parse_quantity(std::string_view text, const Dimension& expected);

/// A number of internal units to `unit` of the same kind: convert_to(0.004, "kPa") is 4.
/// Throws std::invalid_argument for an unknown unit.
double convert_to(double value, std::string_view unit);

/// "4 kPa" of an internal value, shortest text that reads back to the same double.
std::string format_quantity(double value, std::string_view unit);

/// The unit in a quantity's text: "MPa" of "4 MPa"; empty when there is none. Does not check it.
std::string unit_of(std::string_view text);

/// "a stress such as \"4 MPa\"": the dimension in words with an example, for messages.
std::string describe(const Dimension&);

}  // namespace furrow
