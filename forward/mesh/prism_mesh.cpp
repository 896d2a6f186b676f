#include "forward/mesh/prism_mesh.h"

#include <fmt/format.h>
#include <limits>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "forward/base/error.h"
#include "forward/element/quadrature.h"

namespace furrow {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& message) {
  throw InputError(what, message);
}

/// Nodes of an element on its side wall 0, 1 or 2, ascending.
std::vector<int> wall_nodes(PrismOrder order, const Elements& elements, int e, int side) {
  const int p = order.in_plane, face = order.face_nodes();
  std::vector<int> nodes;
  for (int k = 0; k <= order.thickness; ++k) {
    const auto take = [&](int j) { nodes.push_back(elements(e, k * face + j)); };
    take(side);
    take((side + 1) % 3);
    for (int m = 0; m < p - 1; ++m) take(3 + side * (p - 1) + m);
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<int> face_nodes(PrismOrder order, const Elements& elements, int e, int level) {
  const int face = order.face_nodes();
  std::vector<int> nodes;
  for (int j = 0; j < face; ++j) nodes.push_back(elements(e, level * face + j));
  return nodes;
}

template <std::size_t N>
std::array<int, N> sorted(std::array<int, N> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// The three corners, the lowest first, in their cyclic order.
std::array<int, 3> turned(std::array<int, 3> corners) {
  std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
  return corners;
}

struct Cap {
  int element;
  bool outer;
};

Elements faces_of(PrismOrder order, const Elements& elements, const std::vector<int>& which, int level) {
  const int face = order.face_nodes();
  Elements faces(static_cast<int>(which.size()), face);
  for (std::size_t f = 0; f < which.size(); ++f)
    faces.row(static_cast<int>(f)) = elements.row(which[f]).segment(level * face, face);
  return faces;
}

void check_stacked(PrismOrder order, const Elements& elements, const Cap& a, const Cap& b,
                   const std::string& what) {
  const int q = order.thickness;
  if (a.outer == b.outer)
    refuse(what,
           fmt::format("elements {} and {} (0-based) lie on the same side of a face; order the nodes of all "
                       "elements from the inner surface outwards",
                       a.element, b.element));
  std::vector<int> nodes_a = face_nodes(order, elements, a.element, a.outer ? q : 0),
                   nodes_b = face_nodes(order, elements, b.element, b.outer ? q : 0);
  const bool same_turn =
      turned({nodes_a[0], nodes_a[1], nodes_a[2]}) == turned({nodes_b[0], nodes_b[1], nodes_b[2]});
  std::sort(nodes_a.begin(), nodes_a.end());
  std::sort(nodes_b.begin(), nodes_b.end());
  if (!same_turn || nodes_a != nodes_b)
    refuse(what,
           fmt::format("elements {} and {} (0-based) are stacked but do not share all nodes of the face "
                       "between them; merge its nodes",
                       a.element, b.element));
}

/// Faces at w = -1 and +1 that belong to one element.
void find_caps(PrismOrder order, const Elements& elements, const std::string& what, PrismSurfaces& surfaces) {
  const int top = order.nodes() - order.face_nodes();
  std::map<std::array<int, 3>, std::vector<Cap>> caps;
  for (int e = 0; e < elements.rows(); ++e)
    for (const bool outer : {false, true}) {
      const int first = outer ? top : 0;
      caps[sorted<3>({elements(e, first), elements(e, first + 1), elements(e, first + 2)})].push_back(
          {e, outer});
    }
  std::vector<int> inner, outer;
  for (const auto& [corners, users] : caps) {
    if (users.size() > 2)
      refuse(what, fmt::format("elements {}, {} and {} (0-based) share one face; remove copies",
                               users[0].element, users[1].element, users[2].element));
    if (users.size() == 2)
      check_stacked(order, elements, users[0], users[1], what);
    else
      (users[0].outer ? outer : inner).push_back(users[0].element);
  }
  std::sort(inner.begin(), inner.end());
  std::sort(outer.begin(), outer.end());
  surfaces.inner_faces = faces_of(order, elements, inner, 0);
  surfaces.outer_faces = faces_of(order, elements, outer, order.thickness);
}

struct Wall {
  int element, side;
};

/// Neighbours run along their common wall in opposite directions and agree about up and down.
void check_neighbours(PrismOrder order, const Elements& elements, const Wall& a, const Wall& b,
                      const std::string& what) {
  const auto inner_edge = [&](const Wall& wall, bool reverse) {
    const int from = elements(wall.element, wall.side), to = elements(wall.element, (wall.side + 1) % 3);
    return reverse ? std::array{to, from} : std::array{from, to};
  };
  if (inner_edge(a, false) != inner_edge(b, true))
    refuse(what,
           fmt::format("elements {} and {} (0-based) share a side wall but one of them is folded over or "
                       "upside down; order the nodes of all elements from the inner surface outwards",
                       a.element, b.element));
  if (wall_nodes(order, elements, a.element, a.side) != wall_nodes(order, elements, b.element, b.side))
    refuse(what,
           fmt::format("elements {} and {} (0-based) do not share all nodes of the side wall between them; "
                       "merge its nodes",
                       a.element, b.element));
}

/// Nodes on side walls that belong to one element.
void find_rim(PrismOrder order, const Elements& elements, const std::string& what, PrismSurfaces& surfaces) {
  const int top = order.nodes() - order.face_nodes();
  std::map<std::array<int, 4>, std::vector<Wall>> walls;
  for (int e = 0; e < elements.rows(); ++e)
    for (int side = 0; side < 3; ++side) {
      const int next = (side + 1) % 3;
      walls[sorted<4>(
                {elements(e, side), elements(e, next), elements(e, top + side), elements(e, top + next)})]
          .push_back({e, side});
    }
  for (const auto& [corners, users] : walls) {
    if (users.size() > 2)
      refuse(what,
             fmt::format("elements {}, {} and {} (0-based) share one side wall; a shell has two at most",
                         users[0].element, users[1].element, users[2].element));
    if (users.size() == 2) {
      check_neighbours(order, elements, users[0], users[1], what);
      continue;
    }
    const std::vector<int> nodes = wall_nodes(order, elements, users[0].element, users[0].side);
    surfaces.rim.insert(surfaces.rim.end(), nodes.begin(), nodes.end());
  }
  std::sort(surfaces.rim.begin(), surfaces.rim.end());
  surfaces.rim.erase(std::unique(surfaces.rim.begin(), surfaces.rim.end()), surfaces.rim.end());
}

void check_distinct_nodes(const Elements& elements, const std::string& what) {
  for (int e = 0; e < elements.rows(); ++e) {
    if (elements.row(e).minCoeff() < 0)
      refuse(what, fmt::format("element {} (0-based) names a negative node", e));
    std::vector<int> nodes(elements.row(e).begin(), elements.row(e).end());
    std::sort(nodes.begin(), nodes.end());
    if (std::adjacent_find(nodes.begin(), nodes.end()) != nodes.end())
      refuse(what, fmt::format("element {} (0-based) names a node twice; give it nodes of its own", e));
  }
}

/// A node plays the same part in all its elements: corner, edge or inside of the triangle; cap or middle
/// level.
void check_parts(PrismOrder order, const Elements& elements, const std::string& what) {
  struct Use {
    int element, part;
  };
  std::map<int, Use> first;
  const int face = order.face_nodes(), edges = 3 * (order.in_plane - 1);
  for (int e = 0; e < elements.rows(); ++e)
    for (int n = 0; n < elements.cols(); ++n) {
      const int level = n / face, j = n % face;
      const int part = 2 * (j < 3           ? 0
                            : j < 3 + edges ? 1
                                            : 2) +
                       (level == 0 || level == order.thickness ? 0 : 1);
      const auto [found, is_new] = first.try_emplace(elements(e, n), Use{e, part});
      if (found->second.part != part)
        refuse(what, fmt::format(
                         "node {} (0-based) is a corner, edge or inner node of elements {} and {} (0-based) "
                         "in different ways; elements meet corner to corner",
                         elements(e, n), found->second.element, e));
    }
}

void check_nodes(const PrismMesh& mesh, const std::string& what) {
  const auto count = mesh.nodes.rows();
  std::vector<char> used(count, 0);
  for (int e = 0; e < mesh.elements.rows(); ++e)
    for (const int node : mesh.elements.row(e)) {
      if (node < 0 || node >= count)
        refuse(what, fmt::format("element {} (0-based) names node {} outside 0..{}; write the mesh again", e,
                                 node, count - 1));
      used[node] = 1;
    }
  for (Eigen::Index i = 0; i < count; ++i) {
    if (!mesh.nodes.row(i).allFinite())
      refuse(what, fmt::format("node {} (0-based) is not finite; write the mesh again", i));
    if (!used[i]) refuse(what, fmt::format("node {} (0-based) belongs to no element; remove it", i));
  }
  if (!mesh.fixed.empty() && static_cast<Eigen::Index>(mesh.fixed.size()) != count)
    refuse(what, "\"fixed\" does not have one number a node");
  if (mesh.ligament_b.size() == 0) return;
  if (mesh.ligament_b.size() != count) refuse(what, "\"b\" does not have one number a node");
  for (Eigen::Index i = 0; i < count; ++i)
    if (!std::isfinite(mesh.ligament_b[i]) || mesh.ligament_b[i] < 0)
      refuse(what, fmt::format("\"b\" of node {} (0-based) is {}; give a number >= 0 in 1/mm", i,
                               mesh.ligament_b[i]));
}

/// Bounds ascend from -1 to 1, each layer begins where the one below it ends.
void check_sublayers(const PrismMesh& mesh, int e, const std::string& what) {
  const std::vector<Sublayer>& sublayers = mesh.sublayers[e];
  const int columns = mesh.order.face_nodes(), layers = static_cast<int>(mesh.layers.size());
  const auto values = [&](const VectorXd& bound) -> VectorXd {
    if (bound.size() == 1) return VectorXd::Constant(columns, bound[0]);
    if (bound.size() != columns)
      refuse(what, fmt::format("a layer of element {} (0-based) has {} bounds; give 1 or {}", e, bound.size(),
                               columns));
    return bound;
  };
  VectorXd at = VectorXd::Constant(columns, -1);
  for (const Sublayer& sublayer : sublayers) {
    if (sublayer.layer < 0 || sublayer.layer >= layers)
      refuse(what, fmt::format("element {} (0-based) is of layer {}, but the layers are 0..{}", e,
                               sublayer.layer, layers - 1));
    const VectorXd low = values(sublayer.low), high = values(sublayer.high);
    if (!((low - at).cwiseAbs().maxCoeff() <= 1e-12) || !((high - low).minCoeff() > 0))
      refuse(what,
             fmt::format("the layers of element {} (0-based) do not follow each other from w = -1 to 1; a "
                         "layer may be thicker than the skin",
                         e));
    at = high;
  }
  if (!((at.array() - 1).abs().maxCoeff() <= 1e-12))
    refuse(what, fmt::format("the layers of element {} (0-based) do not fill it from w = -1 to 1", e));
}

/// det dX/dxi over the lengths of the three tangents: 1 where they are orthogonal, 0 where flat.
void check_shape(const PrismMesh& mesh, const std::string& what) {
  const Points3 at_nodes = prism_nodes(mesh.order), inside = rule_for(mesh.order, RuleKind::exact).points;
  Points3 points(at_nodes.rows() + inside.rows(), 3);
  points << at_nodes, inside;
  const PrismBasis basis = prism_basis(mesh.order, points);
  for (int e = 0; e < mesh.elements.rows(); ++e) {
    const Positions x = mesh.nodes(mesh.elements.row(e), Eigen::all);
    const Positions a = basis.derivative[0] * x, b = basis.derivative[1] * x, c = basis.derivative[2] * x;
    for (Eigen::Index g = 0; g < points.rows(); ++g) {
      const double determinant = a.row(g).cross(b.row(g)).dot(c.row(g)),
                   size = a.row(g).norm() * b.row(g).norm() * c.row(g).norm();
      if (!(determinant > 1e-10 * size))
        refuse(what, fmt::format(
                         "element {} (0-based) is folded, flat or inside out at (u, v, w) = ({:.3g}, {:.3g}, "
                         "{:.3g}); mend its nodes or their order",
                         e, points(g, 0), points(g, 1), points(g, 2)));
    }
  }
}

std::vector<int> nodes_of(const Elements& faces) {
  std::vector<int> nodes(faces.data(), faces.data() + faces.size());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace

std::vector<int> PrismMesh::inner_nodes() const {
  return nodes_of(inner_faces);
}
std::vector<int> PrismMesh::outer_nodes() const {
  return nodes_of(outer_faces);
}

PrismSurfaces prism_surfaces(PrismOrder order, const Elements& elements, const std::string& what) {
  require(elements.cols() == order.nodes(), "the elements of a prism mesh have the nodes of its order");
  check_distinct_nodes(elements, what);
  check_parts(order, elements, what);
  PrismSurfaces surfaces;
  find_caps(order, elements, what, surfaces);
  find_rim(order, elements, what, surfaces);
  return surfaces;
}

void check_prism_mesh(const PrismMesh& mesh, const std::string& what) {
  if (mesh.elements.rows() == 0) refuse(what, "has no prisms; write a mesh of wedges");
  require(mesh.elements.cols() == mesh.order.nodes(),
          "the elements of a prism mesh have the nodes of its order");
  check_nodes(mesh, what);
  check_distinct_nodes(mesh.elements, what);
  require(static_cast<Eigen::Index>(mesh.sublayers.size()) == mesh.elements.rows(),
          "every element has its layers");
  for (int e = 0; e < mesh.elements.rows(); ++e) check_sublayers(mesh, e, what);
  check_shape(mesh, what);
}

double volume(const PrismMesh& mesh) {
  // det dX/dxi of an element of order (p, q) is of degree 3p - 2 in (u, v) and 3q - 1 in w
  const PrismRule rule =
      tensor_rule(triangle_rule(3 * mesh.order.in_plane - 2), (3 * mesh.order.thickness + 1) / 2);
  const PrismBasis basis = prism_basis(mesh.order, rule.points);
  double sum = 0;
  for (int e = 0; e < mesh.elements.rows(); ++e) {
    const Positions x = mesh.nodes(mesh.elements.row(e), Eigen::all);
    const Positions a = basis.derivative[0] * x, b = basis.derivative[1] * x, c = basis.derivative[2] * x;
    for (Eigen::Index g = 0; g < rule.weights.size(); ++g)
      sum += rule.weights[g] * a.row(g).cross(b.row(g)).dot(c.row(g));
  }
  return sum;
}

double smallest_j_at_nodes(const PrismMesh& mesh, const Positions& x) {
  const PrismBasis basis = prism_basis(mesh.order, prism_nodes(mesh.order));
  double smallest = std::numeric_limits<double>::infinity();
  for (Eigen::Index e = 0; e < mesh.elements.rows(); ++e)
    for (Eigen::Index at = 0; at < mesh.elements.cols(); ++at) {
      Mat3 rest = Mat3::Zero(), now = Mat3::Zero();  // dX/dxi, dx/dxi
      for (Eigen::Index a = 0; a < mesh.elements.cols(); ++a)
        for (int k = 0; k < 3; ++k) {
          const double slope = basis.derivative[k](at, a);
          rest.col(k) += slope * mesh.nodes.row(mesh.elements(e, a)).transpose();
          now.col(k) += slope * x.row(mesh.elements(e, a)).transpose();
        }
      smallest = std::min(smallest, now.determinant() / rest.determinant());
    }
  return smallest;
}

}  // namespace furrow
