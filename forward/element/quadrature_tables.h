// The number files of data/quadrature, compiled in: cmake/FurrowQuadrature.cmake writes quadrature_tables.cpp
// into the build folder. Included by quadrature.cpp alone.
#pragma once

#include <span>
#include <string_view>

namespace furrow {

struct QuadratureTable {
  std::string_view name;            ///< of the file: prism_wv_n85_d10, tri_wv_n25_d10, prism_2pt
  int degree;                       ///< of exactness; 0: the name does not say
  std::span<const double> numbers;  ///< rows u v w weight, or u v weight for triangles
};

/// In the order of their file names.
std::span<const QuadratureTable> quadrature_tables();

}  // namespace furrow
