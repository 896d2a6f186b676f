#include "forward/potential/point_cells.h"

#include <algorithm>
#include <cmath>

#include "forward/base/error.h"

namespace furrow {
namespace {

/// Cells along each axis; as doubles, because a tiny width would overflow integers.
Vec3 counts(const Vec3& extent, double width) {
  return (extent / width).array().floor() + 1;
}

}  // namespace

PointCells::PointCells(const Positions& points, double reach) : width_(reach) {
  require(points.rows() > 0 && reach > 0, "point cells need points and a positive reach");
  origin_ = points.colwise().minCoeff();
  const Vec3 extent = points.colwise().maxCoeff().transpose() - origin_;
  const double most = 8.0 * static_cast<double>(points.rows()) + 1000;
  while (counts(extent, width_).prod() > most) width_ *= 1.25;
  const Vec3 size = counts(extent, width_);
  for (int k = 0; k < 3; ++k) size_[k] = static_cast<int>(size[k]);

  // counting sort: keeps the given order within a cell
  const auto n = static_cast<std::size_t>(points.rows());
  starts_.assign(static_cast<std::size_t>(size.prod()) + 1, 0);
  std::vector<std::size_t> cell(n);
  for (std::size_t i = 0; i < n; ++i) {
    cell[i] = cell_of(points.row(static_cast<Eigen::Index>(i)));
    ++starts_[cell[i] + 1];
  }
  for (std::size_t c = 1; c < starts_.size(); ++c) starts_[c] += starts_[c - 1];
  std::vector<int> next(starts_.begin(), starts_.end() - 1);
  order_.resize(n);
  for (std::size_t i = 0; i < n; ++i) order_[static_cast<std::size_t>(next[cell[i]]++)] = static_cast<int>(i);
}

PointCells::Runs PointCells::near(const Vec3& x) const {
  Runs runs;
  std::array<int, 3> low, high;  // cells, both counted
  for (int k = 0; k < 3; ++k) {
    const double cell = (x[k] - origin_[k]) / width_;
    if (!(cell >= -1 && cell < size_[k] + 1)) return runs;
    const int at = static_cast<int>(cell + 1) - 1;  // rounds down, not towards 0
    low[k] = std::max(at - 1, 0);
    high[k] = std::min(at + 1, size_[k] - 1);
  }
  for (int z = low[2]; z <= high[2]; ++z) {
    for (int y = low[1]; y <= high[1]; ++y) {
      const std::size_t row = (static_cast<std::size_t>(z) * size_[1] + y) * size_[0];
      const Run run{starts_[row + low[0]], starts_[row + high[0] + 1]};
      if (run.first < run.last) runs.run[static_cast<std::size_t>(runs.count++)] = run;
    }
  }
  return runs;
}

std::size_t PointCells::cell_of(const Vec3& x) const {
  std::array<std::size_t, 3> at;
  for (int k = 0; k < 3; ++k)
    at[k] =
        static_cast<std::size_t>(std::clamp(static_cast<int>((x[k] - origin_[k]) / width_), 0, size_[k] - 1));
  return (at[2] * size_[1] + at[1]) * size_[0] + at[0];
}

}  // namespace furrow
