// A table of samples in time, as colliders and moving boundaries are given: a CSV file with an ascending
// column time_s, and where a time falls between its rows.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

/// Two rows and the weight of the second: value = (1 - weight) row[first] + weight row[second].
struct Between {
  int first = 0, second = 0;
  double weight = 0;
};

/// Where t falls among ascending times: within 1e-9 s of one of them it is that one alone; before the first
/// and after the last these stand.
Between locate(const std::vector<double>& times, double t);

class PathTable {
 public:
  /// Throws InputError (file and line): what read_csv refuses, a column that is not among `known`, no time_s,
  /// no rows, a time that is empty or not above the one before.
  PathTable(const std::filesystem::path& file, const std::vector<std::string>& known);

  int rows() const { return static_cast<int>(times_.size()); }
  const std::vector<double>& times() const { return times_; }  ///< [s], ascending
  /// The column of the first of these names that the table has. Throws InputError where it has two of them.
  std::optional<int> column(const std::vector<std::string>& names) const;
  int required_column(const std::vector<std::string>& names) const;
  double value(int row, int column) const { return values_(row, column); }  ///< NaN: an empty cell
  /// Throws InputError for an empty cell; `why` ends the message.
  double required_value(int row, int column, const std::string& why = "give a number") const;
  std::string where(int row) const;  ///< "finger.csv:12"
  std::string name(int column) const { return columns_[column]; }

 private:
  void check_columns(const std::vector<std::string>& known) const;
  void read_times();

  std::filesystem::path file_;
  std::vector<std::string> columns_;
  MatrixXd values_;
  std::vector<int> lines_;  ///< line of each row in the file, from 1
  std::vector<double> times_;
};

}  // namespace furrow
