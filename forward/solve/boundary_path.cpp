#include "forward/solve/boundary_path.h"

#include <algorithm>
#include <array>
#include <optional>

#include "forward/base/error.h"
#include "forward/solve/path_table.h"

namespace furrow {

BoundaryMotion BoundaryMotion::read(const std::filesystem::path& file) {
  const PathTable table(file, {"time_s", "x_mm", "y_mm", "z_mm"});
  const std::array<std::optional<int>, 3> columns{table.column({"x_mm"}), table.column({"y_mm"}),
                                                  table.column({"z_mm"})};
  if (!columns[0] && !columns[1] && !columns[2])
    throw InputError(file.string(), "moves nothing; add a column x_mm, y_mm or z_mm");
  BoundaryMotion motion;
  motion.times_ = table.times();
  for (int row = 0; row < table.rows(); ++row) {
    Vec3 displacement = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      if (columns[k]) displacement[k] = table.required_value(row, *columns[k]);
    }
    motion.displacements_.push_back(displacement);
  }
  return motion;
}

Vec3 BoundaryMotion::at(double t) const {
  const Between place = locate(times_, t);
  return (1 - place.weight) * displacements_[place.first] + place.weight * displacements_[place.second];
}

bool BoundaryMotion::moves(int component) const {
  return std::any_of(displacements_.begin(), displacements_.end(),
                     [component](const Vec3& d) { return d[component] != 0; });
}

}  // namespace furrow
