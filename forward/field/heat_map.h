// A field on the inner surface from a few point sources by the heat method (THEORY 8): with lumped masses M
// and cotangent weights L on the flat sub-triangles, one backward Euler step t = l^2
//
//   (M + t L) phi = sum_s delta_s + background,   (M + t L) bhat = sum_s b_s delta_s + b_background
//   background b = bhat / phi = W b_sources       rows of W sum to 1: b is linear in the sources' values
//
// Negative cotangents are clamped (equivalent here to what an intrinsic Delaunay triangulation would give),
// so that b stays between the sources' values on any mesh; far from all sources the nearest one counts.
#pragma once

#include <vector>

#include "forward/base/types.h"

namespace furrow {

struct HeatMapOptions {
  double length = 3.0;      ///< blending length l [mm]
  double background = 0.0;  ///< weight of a uniform background source (its value is the last column of W)
  bool clamp_cotangents = true;  ///< false: the plain cotangent Laplacian, as in the golden tables
};

/// Heat of each source alone: vertices x (sources + 1 when background > 0) [1/mm^2, the background's bare].
/// Row sums are phi, times the sources' values bhat. Throws as heat_map_weights.
MatrixXd source_heat(const Positions& vertices, const Triangles& triangles, const std::vector<int>& sources,
                     const HeatMapOptions& options);

/// W: vertices x (sources + 1 when background > 0). Throws std::invalid_argument for an index out of range,
/// repeated sources, or no source at all.
MatrixXd heat_map_weights(const Positions& vertices, const Triangles& triangles,
                          const std::vector<int>& sources, const HeatMapOptions& options);

}  // namespace furrow
