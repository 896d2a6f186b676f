#include "calibrate/export/calculix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "forward/base/error.h"
#include "forward/base/text_file.h"

namespace furrow {
namespace {

using Fixed = Eigen::Matrix<bool, Eigen::Dynamic, 3, Eigen::RowMajor>;

constexpr double kPaPerMPa = 1e6;
constexpr double kGramsPerTonne = 1e6;

void check(const TetMesh& mesh, const VectorXd& young, const CalculixLoad& load, const Fixed& fixed) {
  require(mesh.order == 1 || mesh.order == 2, "write_calculix: elements of order 1 or 2");
  require(mesh.elements.cols() == (mesh.order == 1 ? 4 : 10),
          "write_calculix: 4 or 10 nodes an element, by the mesh's order");
  require(mesh.element_count() > 0, "write_calculix: the mesh has no elements");
  require(mesh.elements.minCoeff() >= 0 && mesh.elements.maxCoeff() < mesh.node_count(),
          "write_calculix: an element names no node");
  require(mesh.nodes.allFinite(), "write_calculix: a node is not finite");
  require(young.size() == mesh.element_count(), "write_calculix: one Young's modulus an element");
  require(young.allFinite() && young.minCoeff() > 0, "write_calculix: Young's moduli must be positive");
  require(load.poisson > -1 && load.poisson < 0.5, "write_calculix: Poisson's ratio in (-1, 0.5)");
  require(load.density > 0, "write_calculix: the density must be positive");
  require(load.gravity.allFinite() && load.gravity.norm() > 0,
          "write_calculix: gravity must be finite and not zero");
  require(fixed.rows() == mesh.node_count(), "write_calculix: fixed flags of every node");
}

class Deck {
 public:
  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  /// Numbers from 1, at most 12 a line (ccx reads no more than 16).
  void list(const std::vector<int>& indices) {
    for (std::size_t i = 0; i < indices.size(); ++i)
      fmt::format_to(std::back_inserter(text_), "{}{}", indices[i] + 1,
                     i % 12 == 11 || i + 1 == indices.size() ? ",\n" : ",");
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void append_mesh(Deck& deck, const TetMesh& mesh) {
  deck.line("*NODE, NSET=NALL");
  for (int i = 0; i < mesh.node_count(); ++i)
    deck.line("{},{:.12g},{:.12g},{:.12g}", i + 1, mesh.nodes(i, 0), mesh.nodes(i, 1), mesh.nodes(i, 2));
  deck.line("*ELEMENT, TYPE={}, ELSET=EALL", mesh.order == 1 ? "C3D4" : "C3D10");
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.elements.row(e).array() + 1;
    deck.line("{},{}", e + 1, fmt::join(nodes.begin(), nodes.end(), ","));
  }
}

/// C10 = mu/2, D1 = 2/K.
void append_materials(Deck& deck, const VectorXd& young, const CalculixLoad& load) {
  const StiffnessGroups groups = group_stiffness(young);
  std::vector<std::vector<int>> members(groups.young.size());
  for (std::size_t e = 0; e < groups.group.size(); ++e)
    members[groups.group[e]].push_back(static_cast<int>(e));
  for (std::size_t g = 0; g < members.size(); ++g) {
    const double pascal = kPaPerMPa * groups.young[g];
    const double mu = pascal / (2 * (1 + load.poisson));
    const double bulk = pascal / (3 * (1 - 2 * load.poisson));
    deck.line("*ELSET, ELSET=E{}", g + 1);
    deck.list(members[g]);
    deck.line("*MATERIAL, NAME=M{}\n*HYPERELASTIC, NEO HOOKE", g + 1);
    deck.line("{:.12g},{:.12g}", mu / 2, 2 / bulk);
    deck.line("*DENSITY\n{:.12g}", kGramsPerTonne * load.density);
    deck.line("*SOLID SECTION, ELSET=E{0}, MATERIAL=M{0}", g + 1);
  }
}

void append_boundary(Deck& deck, const Fixed& fixed) {
  std::vector<int> all;
  for (int i = 0; i < fixed.rows(); ++i)
    if (fixed.row(i).all()) all.push_back(i);
  if (!all.empty()) {
    deck.line("*NSET, NSET=NFIX");
    deck.list(all);
  }
  if (fixed.any()) deck.line("*BOUNDARY");
  if (!all.empty()) deck.line("NFIX,1,3");
  for (int i = 0; i < fixed.rows(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      if (fixed(i, axis) && !fixed.row(i).all()) deck.line("{},{},{}", i + 1, axis + 1, axis + 1);
}

/// One increment if Newton converges at once, down to thousandths if it does not; the field residual is held
/// to 1e-8 of its average.
void append_step(Deck& deck, const Vec3& gravity) {
  const Vec3 direction = gravity.normalized();
  deck.line("*STEP, NLGEOM, INC=1000");
  deck.line("*CONTROLS, PARAMETERS=FIELD\n1.e-8,1.e-7");
  deck.line("*STATIC\n1.0,1.0,0.001,1.0");
  deck.line("*DLOAD\nEALL,GRAV,{:.12g},{:.12g},{:.12g},{:.12g}", gravity.norm(), direction[0], direction[1],
            direction[2]);
  deck.line("*NODE PRINT, NSET=NALL\nU");
  deck.line("*NODE FILE\nU");
  deck.line("*END STEP");
}

}  // namespace

StiffnessGroups group_stiffness(const VectorXd& young, int most_exact, double width) {
  std::map<double, int> distinct;
  for (const double value : young) distinct.emplace(value, 0);
  StiffnessGroups groups;
  const bool exact = static_cast<int>(distinct.size()) <= most_exact;
  double first = 0;
  for (auto& [value, group] :
       distinct) {  // ascending; a bin is closed when a value exceeds its first by the width
    if (groups.young.empty() || (exact ? value != first : value > first * (1 + width))) {
      groups.young.push_back(value);
      first = value;
    }
    group = static_cast<int>(groups.young.size()) - 1;
  }
  std::vector<double> log_sum(groups.young.size(), 0.0), count(groups.young.size(), 0.0);
  for (const double value : young) {
    const int group = distinct.at(value);
    groups.group.push_back(group);
    log_sum[group] += std::log(value);
    count[group] += 1;
  }
  if (!exact)
    for (std::size_t g = 0; g < count.size(); ++g) groups.young[g] = std::exp(log_sum[g] / count[g]);
  return groups;
}

void write_calculix(const std::filesystem::path& file, const TetMesh& mesh, const VectorXd& young,
                    const CalculixLoad& load, const Fixed& fixed) {
  check(mesh, young, load, fixed);
  Deck deck;
  deck.line(
      "** furrow 1: mm, g, s (force uN, stress Pa), nodes at rest in the frame of the scene; run with: ccx "
      "-i {}",
      file.stem().string());
  append_mesh(deck, mesh);
  append_materials(deck, young, load);
  append_boundary(deck, fixed);
  append_step(deck, load.gravity);
  write_text_atomically(file, deck.text());
}

Positions read_calculix_displacements(const std::filesystem::path& dat_file, int node_count) {
  const std::string text = read_bytes(dat_file);
  Positions displacements = Positions::Zero(node_count, 3);
  std::vector<bool> seen;
  bool inside = false;
  LineReader reader(text);
  while (reader.next()) {
    std::string_view rest = trimmed(reader.line());
    if (rest.empty()) continue;
    if (!to_integer(next_token(rest))) {  // a heading; each increment starts anew
      inside = reader.line().find("displacements") != std::string_view::npos;
      if (inside) seen.assign(node_count, false);
      continue;
    }
    if (!inside) continue;
    rest = trimmed(reader.line());
    const long long node = *to_integer(next_token(rest));
    if (node < 1 || node > node_count)
      throw InputError(at_line(dat_file, reader.number()),
                       fmt::format("node {} of a mesh with {} nodes", node, node_count));
    for (int axis = 0; axis < 3; ++axis) {
      const auto value = to_number(next_token(rest));
      if (!value)
        throw InputError(at_line(dat_file, reader.number()),
                         "a displacement is no finite number; run ccx again");
      displacements(node - 1, axis) = *value;
    }
    seen[node - 1] = true;
  }
  const auto found = std::count(seen.begin(), seen.end(), true);
  if (found != node_count)
    throw InputError(dat_file.string(),
                     fmt::format("displacements of {} of {} nodes; look for an error in what ccx printed",
                                 found, node_count));
  return displacements;
}

}  // namespace furrow
