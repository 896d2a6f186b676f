#include "forward/solve/path_table.h"

#include <algorithm>
#include <cmath>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/base/nearest.h"
#include "forward/base/text_file.h"

namespace furrow {
namespace {

constexpr double same_time = 1e-9;  // [s]

/// Lines of the rows of a CSV file: those that are neither blank nor comments, after the header.
std::vector<int> lines_of_rows(const std::string& text) {
  std::vector<int> lines;
  LineReader reader(text);
  while (reader.next()) {
    const std::string_view line = trimmed(reader.line());
    if (!line.empty() && line[0] != '#') lines.push_back(reader.number());
  }
  lines.erase(lines.begin());
  return lines;
}

}  // namespace

PathTable::PathTable(const std::filesystem::path& file, const std::vector<std::string>& known) : file_(file) {
  CsvTable table = read_csv(file, false);
  columns_ = std::move(table.columns);
  values_ = std::move(table.values);
  lines_ = lines_of_rows(read_bytes(file));
  check_columns(known);
  read_times();
}

void PathTable::check_columns(const std::vector<std::string>& known) const {
  for (const std::string& name : columns_) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError(file_.string(),
                       "the column " + in_quotes(name) + " is not known" + suggestion(name, known));
  }
}

void PathTable::read_times() {
  const int column = required_column({"time_s"});
  if (values_.rows() == 0) throw InputError(file_.string(), "has no rows; give at least one time");
  for (int row = 0; row < values_.rows(); ++row) {
    const double t = required_value(row, column);
    if (row > 0 && !(t > times_.back()))
      throw InputError(where(row), "the time is not above that of the row before; sort the rows by time_s");
    times_.push_back(t);
  }
}

std::optional<int> PathTable::column(const std::vector<std::string>& names) const {
  std::optional<int> found;
  for (const std::string& name : names) {
    const auto at = std::find(columns_.begin(), columns_.end(), name);
    if (at == columns_.end()) continue;
    if (found) {
      throw InputError(file_.string(), "has both columns " + in_quotes(columns_[*found]) + " and " +
                                           in_quotes(name) + ", which mean the same; keep one");
    }
    found = static_cast<int>(at - columns_.begin());
  }
  return found;
}

int PathTable::required_column(const std::vector<std::string>& names) const {
  if (const auto found = column(names)) return *found;
  throw InputError(file_.string(),
                   "has no column " + in_quotes(names.front()) + "; add it to the first line");
}

double PathTable::required_value(int row, int column, const std::string& why) const {
  if (!std::isnan(values_(row, column))) return values_(row, column);
  throw InputError(where(row), "column " + in_quotes(columns_[column]) + " is empty; " + why);
}

std::string PathTable::where(int row) const {
  return at_line(file_, lines_[row]);
}

Between locate(const std::vector<double>& times, double t) {
  const auto above = std::lower_bound(times.begin(), times.end(), t - same_time);
  const int last = static_cast<int>(times.size()) - 1;
  if (above == times.end()) return {last, last, 0};
  const int second = static_cast<int>(above - times.begin());
  if (second == 0 || times[second] <= t + same_time) return {second, second, 0};
  const int first = second - 1;
  return {first, second, (t - times[first]) / (times[second] - times[first])};
}

}  // namespace furrow
