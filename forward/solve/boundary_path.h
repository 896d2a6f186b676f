// The prescribed motion of a boundary set, read from moves.csv: time_s and any of x_mm, y_mm, z_mm,
// displacements from rest [mm].
#pragma once

#include <filesystem>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

class BoundaryMotion {
 public:
  /// Throws InputError (file and line): a number that is none or not finite, an empty cell, times that do not
  /// ascend, an unknown column, no displacement at all, no rows.
  static BoundaryMotion read(const std::filesystem::path& file);

  /// Displacement [mm] at t [s]: linear between rows, held before the first and after the last; components
  /// that the table does not have are 0.
  Vec3 at(double t) const;

  bool moves(int component) const;  ///< whether any row's displacement has this component

  double first_time() const { return times_.front(); }  ///< [s]
  double last_time() const { return times_.back(); }    ///< [s]

 private:
  BoundaryMotion() = default;

  std::vector<double> times_;
  std::vector<Vec3> displacements_;
};

}  // namespace furrow
