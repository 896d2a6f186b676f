#include "forward/assembly/element_chunks.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace furrow {

namespace {

/// Interleaves the lowest 20 bits of three numbers (Morton code).
std::uint64_t morton(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  std::uint64_t code = 0;
  for (int bit = 0; bit < 20; ++bit)
    code |= static_cast<std::uint64_t>((x >> bit) & 1) << (3 * bit) |
            static_cast<std::uint64_t>((y >> bit) & 1) << (3 * bit + 1) |
            static_cast<std::uint64_t>((z >> bit) & 1) << (3 * bit + 2);
  return code;
}

std::vector<int> spatial_order(const Elements& elements, const Positions& nodes) {
  const Vec3 low = nodes.colwise().minCoeff(), high = nodes.colwise().maxCoeff();
  const double scale = ((1 << 20) - 1) / std::max((high - low).maxCoeff(), 1e-300);
  std::vector<std::uint64_t> code(elements.rows());
  for (Eigen::Index e = 0; e < elements.rows(); ++e) {
    Vec3 centre = Vec3::Zero();
    for (int a = 0; a < 4; ++a) centre += nodes.row(elements(e, a)).transpose() / 4;
    const Vec3 p = (centre - low) * scale;
    code[e] = morton(static_cast<std::uint32_t>(p.x()), static_cast<std::uint32_t>(p.y()),
                     static_cast<std::uint32_t>(p.z()));
  }
  std::vector<int> order(elements.rows());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return code[a] < code[b]; });
  return order;
}

std::vector<std::vector<int>> colour_chunks(const ElementChunks& chunks, const Elements& elements,
                                            int node_count) {
  std::vector<std::vector<int>> of_node(node_count), colours;
  std::vector<int> colour(chunks.count(), -1), used;
  for (int c = 0; c < chunks.count(); ++c) {
    used.assign(colours.size() + 1, 0);
    for (int k = chunks.start[c]; k < chunks.start[c + 1]; ++k)
      for (Eigen::Index a = 0; a < elements.cols(); ++a) {
        auto& touching = of_node[elements(chunks.order[k], a)];
        for (const int other : touching)
          if (other != c) used[colour[other]] = 1;
        if (touching.empty() || touching.back() != c) touching.push_back(c);
      }
    colour[c] = static_cast<int>(std::find(used.begin(), used.end(), 0) - used.begin());
    if (colour[c] == static_cast<int>(colours.size())) colours.emplace_back();
    colours[colour[c]].push_back(c);
  }
  return colours;
}

}  // namespace

void ElementChunks::for_each(const std::function<void(int)>& work) const {
  for (const auto& colour : colours)
    tbb::parallel_for(std::size_t{0}, colour.size(), [&](std::size_t k) { work(colour[k]); });
}

ElementChunks make_chunks(const Elements& elements, const Positions& nodes, int chunk_size) {
  ElementChunks chunks;
  chunks.order = spatial_order(elements, nodes);
  const int m = static_cast<int>(elements.rows());
  for (int first = 0; first < m; first += chunk_size) chunks.start.push_back(first);
  chunks.start.push_back(m);
  chunks.colours = colour_chunks(chunks, elements, static_cast<int>(nodes.rows()));
  return chunks;
}

}  // namespace furrow
