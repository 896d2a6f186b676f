// Surfaces and per-vertex tables from and to files. Every reader throws InputError with file and line or
// index.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"

namespace furrow {

/// OBJ, PLY (ascii and binary) or STL by extension, vertex order kept (STL: order of first appearance, exact
/// duplicates merged). `unit` is what the file's numbers are ("mm", "cm", "m"); the result is in mm. Refused:
/// NaN, indices out of range, no triangles when `triangles_required`, truncated files.
SurfaceMesh read_surface(const std::filesystem::path& file, const std::string& unit = "mm",
                         bool triangles_required = true);

/// OBJ or PLY by extension, mm, enough digits to read back the same doubles. The first line states unit and
/// writer.
void write_surface(const std::filesystem::path& file, const SurfaceMesh& mesh);
/// PLY with one scalar and a colour per vertex (error maps). `name` is the property's name.
void write_surface_with_scalar(const std::filesystem::path& file, const SurfaceMesh& mesh,
                               const std::string& name, const VectorXd& values, double low, double high);

/// One whole number a line (text file; '#' starts a comment). `expected` rows or an InputError that names
/// both counts; any number of rows when `expected` is negative.
std::vector<int> read_int_column(const std::filesystem::path& file, int expected);
/// Masks: one 0 or 1 a vertex.
std::vector<bool> read_mask(const std::filesystem::path& file, int expected);
/// A list of vertex indices, 0-based, each in [0, count).
std::vector<int> read_index_list(const std::filesystem::path& file, int count);

/// A CSV file with a header; numbers only but for the first column when `text_first`. Empty cells are NaN.
/// Lines that start with
/// '#' are comments.
struct CsvTable {
  std::vector<std::string> columns;  ///< one name a column of `values`
  std::vector<std::string> labels;   ///< first column when text_first
  MatrixXd values;                   ///< rows x columns; the label column is not among them
};
CsvTable read_csv(const std::filesystem::path& file, bool text_first);

}  // namespace furrow
