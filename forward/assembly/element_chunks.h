// Elements in spatially sorted chunks, coloured so that chunks of one colour share no node: chunks of a
// colour run in parallel and add straight into nodal arrays, and every entry receives its contributions in
// the same order for any number of threads.
#pragma once

#include <functional>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

struct ElementChunks {
  std::vector<int> order;                 ///< elements, sorted along a space-filling curve
  std::vector<int> start;                 ///< chunk c holds order[start[c] .. start[c+1])
  std::vector<std::vector<int>> colours;  ///< chunks of each colour

  int count() const { return static_cast<int>(start.size()) - 1; }
  /// work(chunk) for all chunks, colour by colour, in parallel within a colour.
  void for_each(const std::function<void(int)>& work) const;
};

ElementChunks make_chunks(const Elements& elements, const Positions& nodes, int chunk_size = 256);

}  // namespace furrow
