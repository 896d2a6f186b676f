// CSV with a header line. Quoted cells are refused: no table of ours needs them.
#include <algorithm>
#include <limits>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"
#include "forward/base/text_file.h"

namespace furrow {

namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == line.npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::vector<std::string> header_of(const std::filesystem::path& file, int line,
                                   const std::vector<std::string_view>& cells) {
  std::vector<std::string> names;
  for (const std::string_view cell : cells) {
    const std::string where = at_line(file, line);
    if (cell.empty()) throw InputError(where, "a column has no name; the first line names every column");
    if (to_number(cell)) {
      throw InputError(
          where, "found the number " + in_quotes(cell) + " where a column's name belongs; add a header line");
    }
    if (cell.find(';') != cell.npos)
      throw InputError(where, "found \";\" in a column's name; separate cells by commas");
    names.emplace_back(cell);
  }
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw InputError(at_line(file, line), "the column " + in_quotes(*twice) + " is there twice");
  return names;
}

double number_in(const std::filesystem::path& file, int line, const std::string& column,
                 std::string_view cell) {
  if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto number = to_number(cell);
  if (number) return *number;
  throw InputError(at_line(file, line),
                   "column " + in_quotes(column) + ": " + in_quotes(cell) + " is not a finite number");
}

}  // namespace

CsvTable read_csv(const std::filesystem::path& file, bool text_first) {
  const std::string text = read_bytes(file);
  CsvTable table;
  std::vector<std::string> names;  // label column included
  std::vector<double> values;
  std::size_t rows = 0;
  LineReader lines(text);
  while (lines.next()) {
    const std::string_view line = trimmed(lines.line());
    if (line.empty() || line[0] == '#') continue;
    const std::string where = at_line(file, lines.number());
    if (line.find('"') != line.npos) throw InputError(where, "quoted cells are not read; remove the quotes");
    const std::vector<std::string_view> cells = cells_of(line);
    if (names.empty()) {
      names = header_of(file, lines.number(), cells);
      continue;
    }
    if (cells.size() != names.size()) {
      throw InputError(where, "has " + std::to_string(cells.size()) + " cells, the header " +
                                  std::to_string(names.size()));
    }
    if (text_first) table.labels.emplace_back(cells[0]);
    for (std::size_t k = text_first ? 1 : 0; k < cells.size(); ++k) {
      values.push_back(number_in(file, lines.number(), names[k], cells[k]));
    }
    ++rows;
  }
  if (names.empty()) throw InputError(file.string(), "is empty; the first line names the columns");
  table.columns.assign(names.begin() + (text_first ? 1 : 0), names.end());
  const auto n = static_cast<Eigen::Index>(rows), m = static_cast<Eigen::Index>(table.columns.size());
  table.values = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      values.data(), n, m);
  return table;
}

}  // namespace furrow
