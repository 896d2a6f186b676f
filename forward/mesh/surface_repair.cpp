#include "forward/mesh/surface_repair.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Polygon_mesh_processing/triangulate_hole.h>
#include <CGAL/Surface_mesh.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "forward/base/error.h"

namespace furrow {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using CgalMesh = CGAL::Surface_mesh<Kernel::Point_3>;

std::string at(const Vec3& x) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g}) mm", x[0], x[1], x[2]);
}
Vec3 vertex(const MendedSurface& s, int v) {
  return s.vertices.row(v).transpose();
}

std::string triangle_text(const MendedSurface& s, int t) {
  return s.source[t] < 0 ? std::string("a triangle that fills a hole")
                         : fmt::format("triangle {}", s.source[t]);
}

/// One triangle's side: the edge with its lower vertex first.
struct Side {
  int low, high, triangle;
  bool forward;  ///< the triangle runs from low to high
  bool same_edge(const Side& other) const { return low == other.low && high == other.high; }
};

std::vector<Side> sorted_sides(const Triangles& triangles) {
  std::vector<Side> sides;
  sides.reserve(3 * triangles.rows());
  for (int t = 0; t < triangles.rows(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int a = triangles(t, k), b = triangles(t, (k + 1) % 3);
      sides.push_back({std::min(a, b), std::max(a, b), t, a < b});
    }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });
  return sides;
}

void check_input(const SurfaceMesh& surface, const std::string& name) {
  if (surface.triangle_count() == 0)
    throw InputError(name, "has no triangles; give a closed triangle surface");
  for (int v = 0; v < surface.vertex_count(); ++v)
    if (!surface.vertices.row(v).allFinite())
      throw InputError(name, fmt::format("vertex {} is not finite; remove or mend it", v));
  for (int t = 0; t < surface.triangle_count(); ++t)
    if (surface.triangles.row(t).minCoeff() < 0 ||
        surface.triangles.row(t).maxCoeff() >= surface.vertex_count())
      throw InputError(name, fmt::format("triangle {} names a vertex that does not exist", t));
}

/// First vertex at (nearly) the same place, per vertex.
std::vector<int> coincident_vertices(const Positions& vertices) {
  const double tolerance = 1e-7 * diagonal(vertices);  // TetGen takes points within 1e-8 for one
  std::vector<int> order(vertices.rows()), first(vertices.rows());
  std::iota(order.begin(), order.end(), 0);
  std::iota(first.begin(), first.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return vertices(a, 0) != vertices(b, 0) ? vertices(a, 0) < vertices(b, 0) : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1;
         j < order.size() && vertices(order[j], 0) - vertices(order[i], 0) <= tolerance; ++j)
      if ((vertices.row(order[j]) - vertices.row(order[i])).norm() <= tolerance) {
        const int a = first[order[i]], b = first[order[j]];
        first[order[i]] = first[order[j]] = std::min(a, b);
      }
  for (std::size_t v = 0; v < first.size(); ++v)
    while (first[v] != first[first[v]]) first[v] = first[first[v]];
  return first;
}

void keep(MendedSurface& s, const std::vector<int>& kept) {
  MendedSurface result{s.name, s.vertices, Triangles(static_cast<int>(kept.size()), 3), {}, {}, {}};
  for (std::size_t i = 0; i < kept.size(); ++i) {
    result.triangles.row(static_cast<int>(i)) = s.triangles.row(kept[i]);
    result.group.push_back(s.group[kept[i]]);
    result.source.push_back(s.source[kept[i]]);
  }
  s = std::move(result);
}

void merge_and_drop(MendedSurface& s, Repairs& repairs) {
  const std::vector<int> first = coincident_vertices(s.vertices);
  std::vector<bool> merged(first.size(), false);
  for (int t = 0; t < s.triangles.rows(); ++t)
    for (int k = 0; k < 3; ++k) {
      int& v = s.triangles(t, k);
      if (first[v] != v) merged[v] = true;
      v = first[v];
    }
  std::vector<int> kept;
  std::set<std::array<int, 3>> seen;
  int degenerate = 0, copies = 0;
  for (int t = 0; t < s.triangles.rows(); ++t) {
    std::array<int, 3> corners{s.triangles(t, 0), s.triangles(t, 1), s.triangles(t, 2)};
    std::sort(corners.begin(), corners.end());
    if (corners[0] == corners[1] || corners[1] == corners[2])
      ++degenerate;
    else if (!seen.insert(corners).second)
      ++copies;
    else
      kept.push_back(t);
  }
  keep(s, kept);
  const auto merged_count = std::count(merged.begin(), merged.end(), true);
  if (merged_count > 0)
    repairs.push_back(fmt::format("merged {} duplicate vertices of {}", merged_count, s.name));
  if (degenerate > 0)
    repairs.push_back(fmt::format("dropped {} degenerate triangles of {}", degenerate, s.name));
  if (copies > 0) repairs.push_back(fmt::format("dropped {} duplicate triangles of {}", copies, s.name));
}

void refuse_non_manifold_edges(const MendedSurface& s) {
  const std::vector<Side> sides = sorted_sides(s.triangles);
  for (std::size_t i = 0; i + 2 < sides.size(); ++i)
    if (sides[i].same_edge(sides[i + 2]))
      throw InputError(
          s.name,
          fmt::format(
              "the edge between vertices {} and {} at {} belongs to more than two triangles ({}, {}, {}); "
              "remove the extra faces so that each edge has exactly two",
              sides[i].low, sides[i].high, at(vertex(s, sides[i].low)), triangle_text(s, sides[i].triangle),
              triangle_text(s, sides[i + 1].triangle), triangle_text(s, sides[i + 2].triangle)));
}

struct Neighbour {
  int triangle = -1;
  bool agrees = true;  ///< the shared edge runs in opposite directions, as it should
};

std::vector<std::array<Neighbour, 3>> neighbours(const Triangles& triangles) {
  const std::vector<Side> sides = sorted_sides(triangles);
  std::vector<std::array<Neighbour, 3>> result(triangles.rows());
  auto side_of = [&](const Side& s) {
    for (int k = 0; k < 3; ++k) {
      const int a = triangles(s.triangle, k), b = triangles(s.triangle, (k + 1) % 3);
      if (std::min(a, b) == s.low && std::max(a, b) == s.high) return k;
    }
    return 0;
  };
  for (std::size_t i = 0; i + 1 < sides.size(); ++i) {
    const Side &a = sides[i], &b = sides[i + 1];
    if (!a.same_edge(b)) continue;
    result[a.triangle][side_of(a)] = {b.triangle, a.forward != b.forward};
    result[b.triangle][side_of(b)] = {a.triangle, a.forward != b.forward};
  }
  return result;
}

void flip(MendedSurface& s, int t) {
  std::swap(s.triangles(t, 1), s.triangles(t, 2));
}

/// Connected components; within each, the minority of triangles is flipped to agree with the majority.
std::vector<bool> orient_shells(MendedSurface& s) {
  const int count = static_cast<int>(s.triangles.rows());
  const auto adjacent = neighbours(s.triangles);
  std::vector<bool> flipped(count, false);
  std::vector<bool> visited(count, false);
  s.shells.clear();
  for (int seed = 0; seed < count; ++seed) {
    if (visited[seed]) continue;
    std::vector<int> members{seed};
    visited[seed] = true;
    for (std::size_t i = 0; i < members.size(); ++i)
      for (const Neighbour& n : adjacent[members[i]]) {
        if (n.triangle < 0) continue;
        const bool wanted = n.agrees ? flipped[members[i]] : !flipped[members[i]];
        if (!visited[n.triangle]) {
          visited[n.triangle] = true;
          flipped[n.triangle] = wanted;
          members.push_back(n.triangle);
        } else if (flipped[n.triangle] != wanted) {
          throw InputError(
              s.name,
              fmt::format(
                  "no consistent normals exist round {}: the surface is one-sided (like a Moebius band); "
                  "cut the extra bridge",
                  triangle_text(s, n.triangle)));
        }
      }
    const auto turned = std::count_if(members.begin(), members.end(), [&](int t) { return flipped[t]; });
    if (2 * turned > static_cast<long>(members.size()))
      for (int t : members) flipped[t] = !flipped[t];
    s.shells.push_back(std::move(members));
  }
  for (int t = 0; t < count; ++t)
    if (flipped[t]) flip(s, t);
  return flipped;
}

struct Loop {
  std::vector<int> vertices;   ///< in the direction of the faces that are missing
  std::vector<int> triangles;  ///< that border it, one an edge
  double length = 0;           ///< [mm]
};

/// Closed boundary loops; a loop through one vertex twice is split there.
std::vector<Loop> boundary_loops(const MendedSurface& s) {
  std::multimap<int, std::pair<int, int>>
      next;  // from -> (to, triangle), against the triangle's own direction
  const std::vector<Side> sides = sorted_sides(s.triangles);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const bool shared = (i > 0 && sides[i].same_edge(sides[i - 1])) ||
                        (i + 1 < sides.size() && sides[i].same_edge(sides[i + 1]));
    if (shared) continue;
    const auto [a, b] =
        sides[i].forward ? std::pair(sides[i].low, sides[i].high) : std::pair(sides[i].high, sides[i].low);
    next.insert({b, {a, sides[i].triangle}});
  }
  std::vector<Loop> loops;
  while (!next.empty()) {
    std::vector<int> path{next.begin()->first}, triangles;  // triangles[i] borders the edge from path[i]
    while (true) {
      const auto step = next.find(path.back());
      if (step == next.end()) break;
      const int to = step->second.first;
      triangles.push_back(step->second.second);
      next.erase(step);
      const auto seen = std::find(path.begin(), path.end(), to);
      if (seen == path.end()) {
        path.push_back(to);
        continue;
      }
      const auto start = seen - path.begin();
      Loop loop{{seen, path.end()}, {triangles.begin() + start, triangles.end()}, 0};
      for (std::size_t i = 0; i < loop.vertices.size(); ++i)
        loop.length +=
            (vertex(s, loop.vertices[i]) - vertex(s, loop.vertices[(i + 1) % loop.vertices.size()])).norm();
      loops.push_back(std::move(loop));
      path.erase(seen + 1, path.end());
      triangles.resize(start);
    }
  }
  return loops;
}

/// The group that borders a loop along most edges; of equals the lowest.
int bordering_group(const MendedSurface& s, const Loop& loop) {
  std::map<int, int> edges;
  for (int t : loop.triangles) ++edges[s.group[t]];
  return std::max_element(edges.begin(), edges.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

void fill_loop(MendedSurface& s, const Loop& loop) {
  const int group = bordering_group(s, loop);
  std::vector<Kernel::Point_3> polyline;
  for (int v : loop.vertices) polyline.emplace_back(s.vertices(v, 0), s.vertices(v, 1), s.vertices(v, 2));
  std::vector<CGAL::Triple<int, int, int>> patch;
  if (loop.vertices.size() == 3)
    patch.emplace_back(0, 1, 2);
  else
    CGAL::Polygon_mesh_processing::triangulate_hole_polyline(polyline, std::back_inserter(patch));
  if (patch.empty())
    throw InputError(
        s.name,
        fmt::format("the hole of {:.4g} mm boundary at {} could not be filled; close it in a mesh editor",
                    loop.length, at(vertex(s, loop.vertices[0]))));
  const int old = static_cast<int>(s.triangles.rows());
  s.triangles.conservativeResize(old + static_cast<int>(patch.size()), 3);
  for (std::size_t i = 0; i < patch.size(); ++i) {
    s.triangles.row(old + static_cast<int>(i)) << loop.vertices[patch[i].first],
        loop.vertices[patch[i].second], loop.vertices[patch[i].third];
    s.group.push_back(group);
    s.source.push_back(-1);
  }
}

void fill_holes(MendedSurface& s, double longest, Repairs& repairs) {
  const std::vector<Loop> loops = boundary_loops(s);
  for (const Loop& loop : loops)
    if (loop.length > longest)
      throw InputError(
          s.name,
          fmt::format("is open: a hole with a boundary of {:.4g} mm ({} edges) at {}, vertex {}; holes up to "
                      "{:.4g} mm "
                      "are filled, close this one in a mesh editor (or give a closed volume with its groups)",
                      loop.length, loop.vertices.size(), at(vertex(s, loop.vertices[0])), loop.vertices[0],
                      longest));
  for (const Loop& loop : loops) {
    fill_loop(s, loop);
    repairs.push_back(fmt::format("filled a hole of {} edges, {:.4g} mm round, at {} of {}",
                                  loop.vertices.size(), loop.length, at(vertex(s, loop.vertices[0])),
                                  s.name));
  }
}

/// The corner opposite the longest side when the triangle has no area, else -1.
int apex_of_sliver(const MendedSurface& s, int t) {
  const Vec3 x0 = vertex(s, s.triangles(t, 0)), x1 = vertex(s, s.triangles(t, 1)),
             x2 = vertex(s, s.triangles(t, 2));
  const std::array<double, 3> opposite{(x2 - x1).norm(), (x0 - x2).norm(), (x1 - x0).norm()};
  const auto longest = std::max_element(opposite.begin(), opposite.end());
  if ((x1 - x0).cross(x2 - x0).norm() > 1e-12 * *longest * *longest) return -1;
  return static_cast<int>(longest - opposite.begin());
}

/// A triangle (a, b, c) without area, b between a and c, and its neighbour (a, c, d) become (a, b, d) and (b,
/// c, d).
void flip_slivers(MendedSurface& s, Repairs& repairs) {
  int flips = 0;
  for (int pass = 0; pass < 10; ++pass) {
    const auto adjacent = neighbours(s.triangles);
    std::set<int> touched;
    int left = 0;
    for (int t = 0; t < s.triangles.rows(); ++t) {
      const int apex = apex_of_sliver(s, t);
      if (apex < 0) continue;
      ++left;
      const int other = adjacent[t][(apex + 1) % 3].triangle;
      if (touched.contains(t) || touched.contains(other)) continue;
      const int b = s.triangles(t, apex), c = s.triangles(t, (apex + 1) % 3),
                a = s.triangles(t, (apex + 2) % 3);
      const int d = s.triangles.row(other).sum() - a - c;
      if (d == b) continue;
      s.triangles.row(t) << a, b, d;
      s.triangles.row(other) << b, c, d;
      s.group[t] = s.group[other];
      for (int i : {t, other}) touched.insert(i);
      for (int i : {t, other})
        for (const Neighbour& n : adjacent[i]) touched.insert(n.triangle);
      ++flips;
    }
    if (left == 0) break;
    if (pass == 9)
      for (int t = 0; t < s.triangles.rows(); ++t)
        if (apex_of_sliver(s, t) >= 0)
          throw InputError(
              s.name,
              fmt::format("{} at {} has no area and could not be mended; collapse it in a mesh editor",
                          triangle_text(s, t), at(vertex(s, s.triangles(t, 0)))));
  }
  if (flips > 0)
    repairs.push_back(fmt::format("flipped an edge of {} triangles without area of {}", flips, s.name));
}

/// Round each vertex of a closed surface the triangles must form one fan.
void refuse_touching_vertices(const MendedSurface& s) {
  std::vector<int> uses(s.vertices.rows(), 0), start(s.vertices.rows(), -1);
  std::map<std::pair<int, int>, int> opposite;  // (vertex, from) -> to, over the triangles (vertex, from, to)
  for (int t = 0; t < s.triangles.rows(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int v = s.triangles(t, k), from = s.triangles(t, (k + 1) % 3);
      opposite[{v, from}] = s.triangles(t, (k + 2) % 3);
      start[v] = from;
      ++uses[v];
    }
  for (int v = 0; v < s.vertices.rows(); ++v) {
    if (uses[v] == 0) continue;
    int fan = 0, from = start[v];
    do {
      from = opposite.at({v, from});
      ++fan;
    } while (from != start[v] && fan <= uses[v]);
    if (fan != uses[v])
      throw InputError(
          s.name,
          fmt::format(
              "touches itself at vertex {}, {}; separate the parts by a small gap or join them properly", v,
              at(vertex(s, v))));
  }
}

/// A shell inside an even number of others is an outside of the solid, else the wall of a cavity. Returns the
/// triangles turned.
std::vector<bool> turn_shells(MendedSurface& s) {
  const int count = static_cast<int>(s.shells.size());
  std::vector<bool> turned(s.triangles.rows(), false);
  for (int c = 0; c < count; ++c) {
    const Vec3 sample = vertex(s, s.triangles(s.shells[c].front(), 0));
    int depth = 0;
    for (int other = 0; other < count; ++other)
      if (other != c && shell_contains(s, other, sample)) ++depth;
    const double volume = shell_volume(s, c);
    if (depth % 2 == 0 ? volume >= 0 : volume <= 0) continue;
    for (int t : s.shells[c]) {
      flip(s, t);
      turned[t] = true;
    }
  }
  return turned;
}

/// 1 inside a closed shell whose normals point outwards, -1 where they point inwards, 0 outside: solid angles
/// over 4 pi.
double winding_number(const MendedSurface& s, const std::vector<int>& triangles, const Vec3& point) {
  // tan(omega/2) = det(a, b, c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|)            [van Oosterom,
  // Strackee 1983]
  double angle = 0;
  for (int t : triangles) {
    const Vec3 a = vertex(s, s.triangles(t, 0)) - point, b = vertex(s, s.triangles(t, 1)) - point,
               c = vertex(s, s.triangles(t, 2)) - point;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    angle += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return angle / (4 * 3.14159265358979323846);
}

}  // namespace

MendedSurface mend_surface(const SurfaceMesh& surface, const std::string& name, double longest_hole,
                           Repairs& repairs) {
  check_input(surface, name);
  MendedSurface s{name, surface.vertices, surface.triangles, surface.triangle_group, {}, {}};
  if (s.group.empty()) s.group.assign(surface.triangle_count(), 0);
  s.source.resize(surface.triangle_count());
  std::iota(s.source.begin(), s.source.end(), 0);

  merge_and_drop(s, repairs);
  if (s.triangles.rows() == 0)
    throw InputError(name, "has only degenerate triangles; give a closed triangle surface");
  refuse_non_manifold_edges(s);
  std::vector<bool> flipped = orient_shells(s);
  fill_holes(s, longest_hole, repairs);
  refuse_non_manifold_edges(s);
  flip_slivers(s, repairs);
  refuse_non_manifold_edges(s);
  refuse_touching_vertices(s);
  flipped.resize(s.triangles.rows(), false);
  const std::vector<bool> again =
      orient_shells(s);  // also numbers the shells anew: a filled hole may join two
  const std::vector<bool> turned = turn_shells(s);

  int count = 0;
  for (std::size_t t = 0; t < flipped.size(); ++t)
    if (s.source[t] >= 0 && ((flipped[t] != again[t]) != turned[t])) ++count;
  if (count == static_cast<int>(s.triangles.rows()))
    repairs.push_back(fmt::format("turned the normals of {} outwards", name));
  else if (count > 0)
    repairs.push_back(fmt::format("flipped {} triangles of {}", count, name));
  return s;
}

void refuse_intersections(const std::vector<const MendedSurface*>& surfaces) {
  CgalMesh mesh;
  std::vector<std::pair<const MendedSurface*, int>> origin;  // surface and triangle of each face
  for (const MendedSurface* s : surfaces) {
    std::vector<CgalMesh::Vertex_index> handle(s->vertices.rows());
    for (int t = 0; t < s->triangles.rows(); ++t) {
      std::array<CgalMesh::Vertex_index, 3> corner;
      for (int k = 0; k < 3; ++k) {
        const int v = s->triangles(t, k);
        if (!handle[v].is_valid())
          handle[v] = mesh.add_vertex({s->vertices(v, 0), s->vertices(v, 1), s->vertices(v, 2)});
        corner[k] = handle[v];
      }
      require(mesh.add_face(corner[0], corner[1], corner[2]) != CgalMesh::null_face(),
              "refuse_intersections needs mended surfaces");
      origin.emplace_back(s, t);
    }
  }
  std::vector<std::pair<CgalMesh::Face_index, CgalMesh::Face_index>> pairs;
  CGAL::Polygon_mesh_processing::self_intersections(mesh, std::back_inserter(pairs));
  if (pairs.empty()) return;
  for (auto& pair : pairs)
    if (pair.second < pair.first) std::swap(pair.first, pair.second);
  const auto first = *std::min_element(pairs.begin(), pairs.end());
  const auto [a, ta] = origin[first.first];
  const auto [b, tb] = origin[first.second];
  const std::string place = at(vertex(*a, a->triangles(ta, 0)));
  if (a == b)
    throw InputError(
        a->name,
        fmt::format(
            "intersects itself: {} and {} near {} ({} pairs in all); smooth or remesh that region in a mesh "
            "editor",
            triangle_text(*a, ta), triangle_text(*b, tb), place, pairs.size()));
  throw InputError(
      a->name, fmt::format("intersects {}: {} and {} near {} ({} pairs in all); move or trim one of the two",
                           b->name, triangle_text(*a, ta), triangle_text(*b, tb), place, pairs.size()));
}

bool shell_contains(const MendedSurface& s, int shell, const Vec3& point) {
  Eigen::AlignedBox3d box;
  for (int t : s.shells[shell])
    for (int k = 0; k < 3; ++k) box.extend(vertex(s, s.triangles(t, k)));
  return box.contains(point) && std::abs(winding_number(s, s.shells[shell], point)) > 0.5;
}

bool contains(const MendedSurface& s, const Vec3& point) {
  int depth = 0;
  for (int shell = 0; shell < static_cast<int>(s.shells.size()); ++shell)
    depth += shell_contains(s, shell, point) ? 1 : 0;
  return depth % 2 == 1;
}

double shell_volume(const MendedSurface& s, int shell) {
  double six = 0;
  const Vec3 origin = vertex(s, s.triangles(s.shells[shell].front(), 0));
  for (int t : s.shells[shell])
    six += (vertex(s, s.triangles(t, 0)) - origin)
               .cross(vertex(s, s.triangles(t, 1)) - origin)
               .dot(vertex(s, s.triangles(t, 2)) - origin);
  return six / 6;
}

}  // namespace furrow
