// Which of a few source vertices is the nearest to each vertex of a surface.
#pragma once

#include <vector>

#include "forward/base/types.h"

namespace furrow {

/// Index into `sources` for each vertex: the shortest way along edges, of equally long ones the first source;
/// for vertices that no edge joins to a source, in a straight line.
std::vector<int> nearest_sources(const Positions& vertices, const Triangles& triangles,
                                 const std::vector<int>& sources);

}  // namespace furrow
