#include "inverse/parameter_map/coordinate.h"

#include <algorithm>
#include <cmath>

namespace furrow {

namespace {
double logistic(double t) {
  return 1 / (1 + std::exp(-t));
}
}  // namespace

double CoordinateMap::to_physical(double p) const {
  const auto [a, b] = range;
  switch (kind) {
    case MapKind::log:
      return std::exp(p);
    case MapKind::logit_of_log: {
      const double L = std::log(b / a);
      return a * std::exp(L * logistic(4 * p / L));
    }
    case MapKind::logit:
      return a + (b - a) * logistic(4 * p / (b - a));
  }
  return 0;
}

double CoordinateMap::derivative(double p) const {
  const auto [a, b] = range;
  switch (kind) {
    case MapKind::log:
      return std::exp(p);
    case MapKind::logit_of_log: {
      const double s = logistic(4 * p / std::log(b / a));
      return to_physical(p) * 4 * s * (1 - s);
    }
    case MapKind::logit: {
      const double s = logistic(4 * p / (b - a));
      return 4 * s * (1 - s);
    }
  }
  return 0;
}

double CoordinateMap::position(double theta) const {
  const auto [a, b] = range;
  if (kind == MapKind::log) return 0.5;
  return kind == MapKind::logit ? (theta - a) / (b - a) : std::log(theta / a) / std::log(b / a);
}

double CoordinateMap::to_coordinate(double theta) const {
  if (kind == MapKind::log) return std::log(theta);
  const auto [a, b] = range;
  const double width = kind == MapKind::logit ? b - a : std::log(b / a);
  const double s = std::clamp(position(theta), 1e-9, 1 - 1e-9);
  return width / 4 * std::log(s / (1 - s));
}

}  // namespace furrow
