// A quantity that is accepted is finite, and its formatted text reads back to the same double.
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "forward/base/error.h"
#include "forward/base/units.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace furrow;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Dimension& expected : {dimension::none, dimension::length, dimension::stress, dimension::time,
                                    dimension::density, dimension::per_length, dimension::angle}) {
    double value = 0;
    try {
      value = parse_quantity(text, expected);
    } catch (const std::invalid_argument&) {
      continue;
    }
    require(std::isfinite(value), "accepted quantities are finite");
    if (expected != dimension::stress) continue;
    require(parse_quantity(format_quantity(value, "MPa"), expected) == value, "reads back in MPa");
    const bool normal = value == 0 || (std::abs(value) > 1e-290 && std::abs(value) < 1e290);
    if (normal)
      require(parse_quantity(format_quantity(value, "kPa"), expected) == value, "reads back in kPa");
  }
  return 0;
}
