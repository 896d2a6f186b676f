#include "forward/mesh/prism_shell.h"

#include <algorithm>
#include <stdexcept>

namespace furrow {
namespace {

bool ascends_from_0_to_1(const std::vector<double>& cuts) {
  if (cuts.size() < 2 || cuts.front() != 0 || cuts.back() != 1) return false;
  for (std::size_t i = 1; i < cuts.size(); ++i)
    if (!(cuts[i] > cuts[i - 1])) return false;
  return true;
}

void check(PrismOrder order, const PatchOptions& options, const ThicknessPlan& plan) {
  const auto refuse = [](const char* what) { throw std::invalid_argument(what); };
  if (order.in_plane < 1 || order.in_plane > 4 || order.thickness < 1 || order.thickness > 2)
    refuse("a patch's order is 1 to 4 in the plane and 1 or 2 in thickness");
  if (options.nx < 1 || options.ny < 1) refuse("a patch has at least one cell in x and in y");
  if (!(options.size_x > 0) || !(options.size_y > 0) || !(options.thickness > 0))
    refuse("a patch's sizes and thickness are positive");
  if (!ascends_from_0_to_1(plan.element_cuts) || !ascends_from_0_to_1(plan.layer_cuts))
    refuse("cuts through the thickness ascend from 0 to 1");
  if (plan.layers.size() + 1 != plan.layer_cuts.size()) refuse("every layer has a name");
}

/// Nodes lie on a lattice: p a cell in x and y, q an element in thickness; i fast, then j, then k.
struct Lattice {
  int x, y, z;  ///< number of nodes along each axis
  int node(int i, int j, int k) const { return (k * y + j) * x + i; }
};

Positions lattice_nodes(const Lattice& lattice, const PatchOptions& options, const std::vector<double>& cuts,
                        int q) {
  Positions nodes(lattice.x * lattice.y * lattice.z, 3);
  for (int j = 0; j < lattice.y; ++j)
    for (int i = 0; i < lattice.x; ++i) {
      const double x = options.size_x * (2 * i - (lattice.x - 1)) / (2.0 * (lattice.x - 1)),
                   y = options.size_y * (2 * j - (lattice.y - 1)) / (2.0 * (lattice.y - 1)),
                   top = options.height ? options.height(x, y) : 0;
      for (int k = 0; k < lattice.z; ++k) {
        const int e = std::min(k / q, static_cast<int>(cuts.size()) - 2);
        const double depth = cuts[e] + (cuts[e + 1] - cuts[e]) * (k - e * q) / q;  // 0 inner .. 1 outer
        nodes.row(lattice.node(i, j, k)) << x, y, top - options.thickness * (1 - depth);
      }
    }
  return nodes;
}

/// Nodes of one element: its corner of the lattice, and its face nodes as steps (i, j) from there.
void set_element(Elements& elements, int e, const Lattice& lattice, const std::array<int, 3>& corner,
                 const std::vector<std::array<int, 2>>& steps, int q) {
  int column = 0;
  for (int k = 0; k <= q; ++k)
    for (const auto& [i, j] : steps)
      elements(e, column++) = lattice.node(corner[0] + i, corner[1] + j, corner[2] + k);
}

/// Face nodes of the cell's triangle below the diagonal, (0,0) (1,0) (1,1), or above it, (0,0) (1,1) (0,1).
std::vector<std::array<int, 2>> triangle_steps(int p, bool above) {
  std::vector<std::array<int, 2>> steps;
  const Points2 nodes = triangle_nodes(p) * p;
  for (Eigen::Index n = 0; n < nodes.rows(); ++n) {
    const int u = static_cast<int>(nodes(n, 0) + 0.5), v = static_cast<int>(nodes(n, 1) + 0.5);
    steps.push_back(above ? std::array{u, u + v} : std::array{u + v, v});
  }
  return steps;
}

/// The layers that an element from cut `low` to `high` holds, as parts of w in [-1, 1]; numbered from the
/// outside.
std::vector<Sublayer> sublayers_between(double low, double high, const ThicknessPlan& plan) {
  std::vector<Sublayer> sublayers;
  const int count = static_cast<int>(plan.layers.size());
  const auto w_of = [&](double cut) {
    return VectorXd::Constant(1, std::clamp(2 * (cut - low) / (high - low) - 1, -1.0, 1.0));
  };
  // cuts of layers and elements that differ by rounding only are the same cut
  const double tiny = 1e-12;
  for (int l = 0; l < count; ++l) {
    const double from = std::max(plan.layer_cuts[l], low), to = std::min(plan.layer_cuts[l + 1], high);
    if (to - from > tiny) sublayers.push_back({w_of(from), w_of(to), count - 1 - l});
  }
  if (sublayers.empty()) throw std::invalid_argument("an element of a patch is as thin as rounding");
  sublayers.front().low[0] = -1;
  sublayers.back().high[0] = 1;
  for (std::size_t s = 1; s < sublayers.size(); ++s) sublayers[s].low = sublayers[s - 1].high;
  return sublayers;
}

}  // namespace

PrismMesh make_patch(PrismOrder order, const PatchOptions& options, const ThicknessPlan& plan) {
  check(order, options, plan);
  const int p = order.in_plane, q = order.thickness, stack = static_cast<int>(plan.element_cuts.size()) - 1;
  const Lattice lattice{options.nx * p + 1, options.ny * p + 1, stack * q + 1};
  PrismMesh mesh;
  mesh.order = order;
  mesh.nodes = lattice_nodes(lattice, options, plan.element_cuts, q);
  mesh.layers.assign(plan.layers.rbegin(), plan.layers.rend());
  mesh.elements.resize(2 * options.nx * options.ny * stack, order.nodes());
  const auto below = triangle_steps(p, false), above = triangle_steps(p, true);
  int e = 0;
  for (int cell_y = 0; cell_y < options.ny; ++cell_y)
    for (int cell_x = 0; cell_x < options.nx; ++cell_x)
      for (const auto* steps : {&below, &above})
        for (int level = 0; level < stack; ++level, ++e) {
          set_element(mesh.elements, e, lattice, {cell_x * p, cell_y * p, level * q}, *steps, q);
          mesh.sublayers.push_back(
              sublayers_between(plan.element_cuts[level], plan.element_cuts[level + 1], plan));
        }
  auto [inner, outer, rim] = prism_surfaces(order, mesh.elements, "patch");
  mesh.inner_faces = std::move(inner);
  mesh.outer_faces = std::move(outer);
  mesh.rim = std::move(rim);
  check_prism_mesh(mesh, "patch");
  return mesh;
}

ThicknessPlan skin_plan(double thickness, double epidermis, StackKind kind) {
  if (!(epidermis > 0) || !(epidermis < thickness))
    throw std::invalid_argument("the epidermis is thicker than 0 and thinner than the skin");
  const double soft = 1 - epidermis / thickness;
  ThicknessPlan plan{{0, 1}, {0, soft, 1}, {"soft", "epidermis"}};
  if (kind == StackKind::stack) plan.element_cuts = {0, 0.75 * soft, soft, 1};
  return plan;
}

}  // namespace furrow
