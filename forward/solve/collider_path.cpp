#include "forward/solve/collider_path.h"

#include <array>
#include <cmath>
#include <optional>

#include "forward/base/error.h"
#include "forward/base/rigid_motion.h"
#include "forward/solve/path_table.h"

namespace furrow {
namespace {

const std::vector<std::string> known_columns{"time_s", "x_mm",   "y_mm",      "z_mm",   "x",
                                             "y",      "z",      "radius_mm", "radius", "rx_rad",
                                             "ry_rad", "rz_rad", "present"};

struct Columns {
  std::array<int, 3> position;
  std::optional<int> radius;
  std::optional<std::array<int, 3>> rotation;
  int present;
};

Columns columns_of(const PathTable& table) {
  Columns columns{};
  columns.position = {table.required_column({"x_mm", "x"}), table.required_column({"y_mm", "y"}),
                      table.required_column({"z_mm", "z"})};
  columns.radius = table.column({"radius_mm", "radius"});
  if (table.column({"rx_rad"}) || table.column({"ry_rad"}) || table.column({"rz_rad"})) {
    columns.rotation = {table.required_column({"rx_rad"}), table.required_column({"ry_rad"}),
                        table.required_column({"rz_rad"})};
  }
  columns.present = table.required_column({"present"});
  return columns;
}

bool present_in(const PathTable& table, int row, int column) {
  const double present =
      table.required_value(row, column, "give 1 (the collider is there) or 0 (it is lifted)");
  if (present != 0 && present != 1) throw InputError(table.where(row), "present must be 0 or 1");
  return present == 1;
}

Vec3 vector_in(const PathTable& table, int row, const std::array<int, 3>& columns) {
  Vec3 v;
  for (int k = 0; k < 3; ++k)
    v[k] = table.required_value(row, columns[k], "only where present is 0 may it be so");
  return v;
}

double radius_in(const PathTable& table, int row, const std::optional<int>& column, double otherwise) {
  const double radius =
      column ? table.required_value(row, *column, "only where present is 0 may it be so") : otherwise;
  if (!(radius > 0)) throw InputError(table.where(row), "the radius must be positive");
  return radius;
}

}  // namespace

ColliderPath ColliderPath::read(const std::filesystem::path& file, double radius) {
  require(radius > 0, "a collider's radius must be positive");
  const PathTable table(file, known_columns);
  const Columns columns = columns_of(table);
  ColliderPath path;
  path.times_ = table.times();
  for (int row = 0; row < table.rows(); ++row) {
    Sample sample{present_in(table, row, columns.present), Vec3::Zero(), Eigen::Quaterniond::Identity(),
                  radius};
    if (sample.present) {
      sample.centre = vector_in(table, row, columns.position);
      if (columns.rotation)
        sample.rotation = Eigen::Quaterniond(rotation_from_vector(vector_in(table, row, *columns.rotation)));
      sample.radius = radius_in(table, row, columns.radius, radius);
    }
    path.samples_.push_back(sample);
  }
  return path;
}

ColliderPose ColliderPath::at(double t) const {
  const Between place = locate(times_, t);
  const Sample &a = samples_[place.first], &b = samples_[place.second];
  if (!a.present || !b.present) return {};
  const double w = place.weight;
  return {true, (1 - w) * a.centre + w * b.centre, a.rotation.slerp(w, b.rotation).toRotationMatrix(),
          (1 - w) * a.radius + w * b.radius};
}

}  // namespace furrow
