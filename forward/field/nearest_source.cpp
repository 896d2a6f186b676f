#include "forward/field/nearest_source.h"

#include <functional>
#include <limits>
#include <queue>

namespace furrow {
namespace {

std::vector<std::vector<int>> neighbours_of(Eigen::Index vertices, const Triangles& triangles) {
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(vertices));
  for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int i = triangles(t, k), j = triangles(t, (k + 1) % 3);
      neighbours[static_cast<std::size_t>(i)].push_back(j);
      neighbours[static_cast<std::size_t>(j)].push_back(i);
    }
  }
  return neighbours;
}

struct Reached {
  double distance;
  int source, vertex;
  bool operator>(const Reached& other) const {
    return distance != other.distance ? distance > other.distance : source > other.source;
  }
};

int straight(const Positions& vertices, Eigen::Index vertex, const std::vector<int>& sources) {
  int best = 0;
  double squared = std::numeric_limits<double>::infinity();
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const double d = (vertices.row(vertex) - vertices.row(sources[s])).squaredNorm();
    if (d < squared) squared = d, best = static_cast<int>(s);
  }
  return best;
}

}  // namespace

/// Dijkstra from all sources at once.
std::vector<int> nearest_sources(const Positions& vertices, const Triangles& triangles,
                                 const std::vector<int>& sources) {
  const auto neighbours = neighbours_of(vertices.rows(), triangles);
  std::vector<int> nearest(neighbours.size(), -1);
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> front;
  for (std::size_t s = 0; s < sources.size(); ++s) front.push({0, static_cast<int>(s), sources[s]});
  while (!front.empty()) {
    const Reached at = front.top();
    front.pop();
    const auto v = static_cast<std::size_t>(at.vertex);
    if (nearest[v] >= 0) continue;
    nearest[v] = at.source;
    for (const int next : neighbours[v]) {
      if (nearest[static_cast<std::size_t>(next)] >= 0) continue;
      const double edge = (vertices.row(next) - vertices.row(at.vertex)).norm();
      front.push({at.distance + edge, at.source, next});
    }
  }
  for (std::size_t v = 0; v < nearest.size(); ++v) {
    if (nearest[v] < 0) nearest[v] = straight(vertices, static_cast<Eigen::Index>(v), sources);
  }
  return nearest;
}

}  // namespace furrow
