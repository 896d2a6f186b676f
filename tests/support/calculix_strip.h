// A shell of prisms of order [2, 2] as a CalculiX deck of quadratic wedges (C3D15), and what ccx says of it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "calibrate/export/calculix.h"
#include "forward/compiled_shell.h"

namespace furrow::testing {

/// What ccx solves: a strip of one material (St. Venant-Kirchhoff, ccx's *ELASTIC under NLGEOM) whose fixed
/// dofs go where `boundary` (n x 3, of the shell's nodes) puts them.
struct CalculixStrip {
  const PrismMesh& mesh;  ///< of order [2, 2]
  double young, poisson;  ///< [MPa], [-]
  const DofMap& dofs;
  const Positions& boundary;
  const std::vector<int>& loaded;  ///< nodes whose reactions are summed
};
struct CalculixAnswer {
  Vec3 reaction = Vec3::Zero();  ///< sum over `loaded`, on the strip [N]
  Positions displacements;       ///< of the shell's nodes [mm]; zero for those that C3D15 lacks
};

/// C3D15: corners below, corners above, middles of the edges below, above, upright. Native numbers of the 15.
inline constexpr std::array<int, 15> kWedge15{0, 1, 2, 12, 13, 14, 3, 4, 5, 15, 16, 17, 6, 7, 8};

/// ccx number (from 1) of every node, 0 for the nodes inside side faces, which C3D15 lacks.
inline std::vector<int> wedge15_numbers(const PrismMesh& mesh) {
  std::vector<int> numbers(mesh.nodes.rows(), 0);
  for (Eigen::Index e = 0; e < mesh.elements.rows(); ++e)
    for (const int a : kWedge15) numbers[mesh.elements(e, a)] = 1;
  int count = 0;
  for (int& number : numbers)
    if (number) number = ++count;
  return numbers;
}

/// In mm, g, s, so that forces are uN: ccx drops residuals below 1e-6 force units.
inline std::string calculix_deck(const CalculixStrip& strip, const std::vector<int>& numbers) {
  std::string deck = "*NODE, NSET=NALL\n";
  const auto line = std::back_inserter(deck);
  const Positions& X = strip.mesh.nodes;
  for (Eigen::Index n = 0; n < X.rows(); ++n)
    if (numbers[n])
      fmt::format_to(line, "{},{:.15g},{:.15g},{:.15g}\n", numbers[n], X(n, 0), X(n, 1), X(n, 2));
  deck += "*ELEMENT, TYPE=C3D15, ELSET=EALL\n";
  for (Eigen::Index e = 0; e < strip.mesh.elements.rows(); ++e) {
    std::array<int, 15> nodes{};
    for (int a = 0; a < 15; ++a) nodes[a] = numbers[strip.mesh.elements(e, kWedge15[a])];
    fmt::format_to(line, "{},{}\n", e + 1, fmt::join(nodes, ","));
  }
  deck += "*NSET, NSET=NLOADED\n";
  for (const int n : strip.loaded)
    if (numbers[n]) fmt::format_to(line, "{},\n", numbers[n]);
  fmt::format_to(line, "*MATERIAL, NAME=M\n*ELASTIC\n{:.15g},{:.15g}\n", 1e6 * strip.young, strip.poisson);
  deck += "*SOLID SECTION, ELSET=EALL, MATERIAL=M\n*STEP, NLGEOM, INC=100\n";
  deck += "*CONTROLS, PARAMETERS=FIELD\n1.e-8,1.e-7\n*STATIC\n1.0,1.0,0.001,1.0\n*BOUNDARY\n";
  for (Eigen::Index n = 0; n < X.rows(); ++n)
    for (int c = 0; c < 3; ++c)
      if (numbers[n] && strip.dofs.dof[3 * n + c] < 0)
        fmt::format_to(line, "{},{},{},{:.15g}\n", numbers[n], c + 1, c + 1, strip.boundary(n, c) - X(n, c));
  return deck + "*NODE PRINT, NSET=NLOADED, TOTALS=ONLY\nRF\n*NODE PRINT, NSET=NALL\nU\n*END STEP\n";
}

inline Vec3 last_total_force(const std::string& dat) {
  const std::size_t heading = dat.rfind("total force");
  if (heading == std::string::npos) throw std::runtime_error("ccx printed no total force");
  std::istringstream numbers(dat.substr(dat.find('\n', heading)));
  Vec3 force;
  if (!(numbers >> force[0] >> force[1] >> force[2]))
    throw std::runtime_error("ccx: no numbers of the force");
  return force;
}

inline bool have_calculix() {
  return std::system("command -v ccx >/dev/null 2>&1") == 0;
}

/// Throws std::runtime_error with what ccx printed where it fails.
inline CalculixAnswer run_calculix(const CalculixStrip& strip, const std::filesystem::path& folder) {
  const std::vector<int> numbers = wedge15_numbers(strip.mesh);
  std::ofstream(folder / "strip.inp") << calculix_deck(strip, numbers);
  const auto text_of = [&](const char* name) {
    std::ifstream stream(folder / name);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  if (std::system(("cd \"" + folder.string() + "\" && ccx -i strip > ccx.log 2>&1").c_str()) != 0)
    throw std::runtime_error(text_of("ccx.log"));
  CalculixAnswer answer;
  answer.reaction = 1e-6 * last_total_force(text_of("strip.dat"));
  const int count = *std::max_element(numbers.begin(), numbers.end());
  const Positions u = read_calculix_displacements(folder / "strip.dat", count);
  answer.displacements = Positions::Zero(strip.mesh.nodes.rows(), 3);
  for (std::size_t n = 0; n < numbers.size(); ++n)
    if (numbers[n]) answer.displacements.row(n) = u.row(numbers[n] - 1);
  return answer;
}

}  // namespace furrow::testing
