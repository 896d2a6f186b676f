// A VTU file as plain data: its one piece when read, a grid of one kind of cell when written. VTK stays
// behind vtu_file.cpp; only its XML parser and its zlib read (vtu_data.h says why), its own writer writes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forward/base/types.h"

class vtkXMLDataElement;

namespace furrow {

class VtuData;

/// The one piece of a file that is being read. Everything throws InputError naming the file and the array.
class VtuPiece {
 public:
  VtuPiece(const VtuData& data, vtkXMLDataElement& grid);

  int points() const { return points_; }
  int cells() const { return cells_; }
  std::vector<int> cell_types() const;
  /// Node numbers of cells that all have `size` nodes, in the file's order; checked against the points.
  Elements connectivity(int size) const;
  /// The number of nodes of the first cell.
  int first_cell_size() const;
  Positions positions() const;

  /// An array by its name, one row a point or cell and its own number of columns; nothing where there is
  /// none.
  std::optional<MatrixXd> point_array(const char* name) const;
  std::optional<MatrixXd> cell_array(const char* name) const;
  /// The same with whole numbers; one column.
  std::optional<std::vector<int>> point_integers(const char* name) const;
  std::optional<std::vector<int>> cell_integers(const char* name) const;
  /// The texts of a field array; empty where there is none.
  std::vector<std::string> field_texts(const char* name) const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  vtkXMLDataElement* section(const char* name) const;
  vtkXMLDataElement* find(const char* section_name, const char* name) const;
  std::vector<double> cell_numbers(const char* name, std::size_t count) const;
  std::optional<MatrixXd> array(const char* section_name, const char* name, int rows) const;
  std::optional<std::vector<int>> integers(const char* section_name, const char* name, int rows) const;

  const VtuData& data_;
  vtkXMLDataElement& grid_;
  vtkXMLDataElement* piece_ = nullptr;
  int points_ = 0, cells_ = 0;
};

/// Calls `use` with the piece of a file. Throws InputError naming `where` when the text is no VTU file of one
/// piece.
void read_vtu(const std::string& text, const std::string& where,
              const std::function<void(const VtuPiece&)>& use);

/// Whole numbers, one a row; `bytes` stores 8 bits a number, else 32.
struct VtuIntegers {
  std::string name;
  std::vector<int> values;
  bool bytes = false;
};
using VtuNumbers = std::vector<std::pair<std::string, MatrixXd>>;  ///< one row a point or cell
/// Points and cells of one VTK cell type with the arrays to store beside them.
struct VtuGrid {
  Positions points;
  int cell_type = 0;
  Elements cells;  ///< node numbers in VTK's order
  std::vector<VtuIntegers> point_integers, cell_integers;
  VtuNumbers point_numbers, cell_numbers;
  MatrixXd degrees;  ///< of Lagrange cells, m x 3 (HigherOrderDegrees); empty for others
  std::vector<std::pair<std::string, std::vector<std::string>>> texts;  ///< field data
};
/// The XML text of the file (appended base64, zlib), with field data `unit` (mm) and `furrow` (format
/// version).
std::string format_vtu(const VtuGrid& grid);

}  // namespace furrow
