// Colours of error maps: perceptually ordered, so that a larger value always looks lighter, also in grey and
// to colour-blind eyes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "forward/base/types.h"

namespace furrow {

/// sRGB colour in [0, 1] of t in [0, 1] (clamped; grey for NaN): violet, blue, green, yellow.
/// A path in OKLCh (B. Ottosson 2020) whose lightness rises linearly, with hue and chroma
///   L = 0.28 + 0.64 t,   C = 0.095 + 0.16 (t - 1/2)^2 + 0.05 t^4,   h = 310 deg - 205 deg t.
/// It stays inside the sRGB gamut.
inline Vec3 colour_of_fraction(double t) {
  if (std::isnan(t)) return {0.5, 0.5, 0.5};
  t = std::clamp(t, 0.0, 1.0);
  const double L = 0.28 + 0.64 * t;
  const double C = 0.095 + 0.16 * (t - 0.5) * (t - 0.5) + 0.05 * t * t * t * t;
  const double h = (310 - 205 * t) * std::numbers::pi / 180;
  const double a = C * std::cos(h), b = C * std::sin(h);
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(L + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(L - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(L - 0.0894841775 * a - 1.2914855480 * b);
  const Vec3 linear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
  return linear.unaryExpr([](double v) {
    v = std::clamp(v, 0.0, 1.0);
    return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
  });
}

using VertexColours = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// 8-bit sRGB colours of values, `low` violet and `high` yellow (all violet when high <= low); n x 3.
inline VertexColours colours_of_values(const VectorXd& values, double low, double high) {
  VertexColours colours(values.size(), 3);
  for (int i = 0; i < values.size(); ++i) {
    const double fraction = high > low ? (values[i] - low) / (high - low) : 0.0;
    const Vec3 colour = colour_of_fraction(std::isnan(values[i]) ? values[i] : fraction);
    for (int k = 0; k < 3; ++k) colours(i, k) = static_cast<std::uint8_t>(std::lround(255 * colour[k]));
  }
  return colours;
}

}  // namespace furrow
