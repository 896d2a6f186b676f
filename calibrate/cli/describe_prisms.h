// Prism meshes in words, for `furrow mesh` and `furrow check`.
#pragma once

#include <filesystem>
#include <string>

#include "calibrate/cli/describe.h"
#include "forward/mesh/prism_mesh.h"

namespace furrow::cli {

struct PrismQuality {
  double through = 1;  ///< elements through the thickness (a mean, where it varies)
  /// Smallest over largest det(dX/dxi) within an element, over its nodes; 1: undistorted. Of the worst one.
  double smallest_ratio = 1;
  double shortest_edge = 0, mean_edge = 0, longest_edge = 0;  ///< of the faces, corner to corner [mm]
  double thinnest = 0, thickest = 0;                          ///< upright edges of elements [mm]
  double volume = 0;                                          ///< [mm^3]
};
PrismQuality measure_quality(const PrismMesh& mesh);

Description describe_prisms(const PrismMesh& mesh);

/// True for a VTU file of wedges, linear or Lagrange.
bool is_prism_file(const std::filesystem::path& file);
/// Reads and describes such a file; `unit` is that of its numbers.
Description describe_prism_file(const std::filesystem::path& file, const std::string& unit);

}  // namespace furrow::cli
