// Maps between a physical parameter and the coordinate p that an optimiser moves. Pure mathematics.
//
//   log    theta = exp(p)
//   logit  log theta = log a + L s(4 p / L), L = log(b / a), s the logistic function: stays inside (a, b),
//   and dlog theta/dp = 1 in the
//          middle of the range. For a parameter without logarithm (Poisson's ratio): theta = a + (b - a) s(4
//          p / (b - a)).
// Identity: to_coordinate(to_physical(p)) = p.
#pragma once

#include <array>

namespace furrow {

enum class MapKind { log, logit_of_log, logit };

struct CoordinateMap {
  MapKind kind = MapKind::log;
  std::array<double, 2> range{0, 0};  ///< physical; not used by log

  double to_physical(double p) const;
  double derivative(double p) const;         ///< d theta / dp
  double to_coordinate(double theta) const;  ///< a theta at or beyond the range is moved just inside
  /// Position inside the range: 0 at the lower bound, 1 at the upper (0.5 for log).
  double position(double theta) const;
};

}  // namespace furrow
