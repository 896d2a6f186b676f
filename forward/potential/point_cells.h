// Points sorted into a grid of cubes, x fastest, so that those within `reach` of a place lie in at most nine
// contiguous runs: neighbours for sums over packs, which would rather take a few points too many (they weigh
// nothing) than ask for each.
#pragma once

#include <array>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

class PointCells {
 public:
  /// Cubes of width `reach` [mm] > 0, or wider where there would be more than about eight a point.
  PointCells(const Positions& points, double reach);

  const std::vector<int>& order() const { return order_; }  ///< the point at each sorted place

  /// Sorted places [first, last).
  struct Run {
    int first, last;
  };
  struct Runs {
    std::array<Run, 9> run;
    int count = 0;
    const Run* begin() const { return run.data(); }
    const Run* end() const { return run.data() + count; }
  };
  /// Runs that hold every point within `reach` of x; none far from all points.
  Runs near(const Vec3& x) const;

 private:
  std::size_t cell_of(const Vec3& x) const;

  Vec3 origin_;
  double width_;
  std::array<int, 3> size_;
  std::vector<int> starts_;  ///< first sorted place of each cell, and one past the last
  std::vector<int> order_;
};

}  // namespace furrow
