// CalculiX decks of a tetrahedral head under gravity, and the displacements that CalculiX prints.
//
// The deck is in mm, g, s, so forces are uN and stresses Pa: ccx sets residuals below 1e-6 force units to
// zero, which in N would be a sensible share of a node's weight and in uN is nothing. The law is
// *HYPERELASTIC, NEO HOOKE with C10 = mu/2, D1 = 2/K, that is
//   W = mu/2 (J^(-2/3) I1 - 3) + K/2 (J - 1)^2,   mu = E / (2 (1 + nu)),   K = E / (3 (1 - 2 nu))
// (our Law::neo_hookean_isochoric; our neo_hookean agrees with it at small strain only).
#pragma once

#include <filesystem>
#include <vector>

#include "forward/base/types.h"
#include "forward/mesh/tet_mesh.h"

namespace furrow {

struct CalculixLoad {
  double poisson;  ///< in (-1, 0.5)
  double density;  ///< [t/mm^3]
  Vec3 gravity;    ///< in the frame of the nodes [mm/s^2]
};

/// Writes one static, geometrically nonlinear step from rest, everything in one file. `mesh.nodes`: the REST
/// positions; nodes and elements keep their order (ccx counts from 1). `young`: per element [MPa]; equal
/// values share a material, and where there are more than 200 distinct ones (blended layouts) those within
/// 0.1 % do. `fixed`: node x axis, held at zero displacement. Throws std::logic_error when sizes differ or
/// numbers make no sense, InputError when the file cannot be written.
void write_calculix(const std::filesystem::path& file, const TetMesh& mesh, const VectorXd& young,
                    const CalculixLoad& load,
                    const Eigen::Matrix<bool, Eigen::Dynamic, 3, Eigen::RowMajor>& fixed);

/// Material groups of `young` as described above.
struct StiffnessGroups {
  std::vector<double> young;  ///< per group, ascending; geometric mean of its members [MPa]
  std::vector<int> group;     ///< per element
};
StiffnessGroups group_stiffness(const VectorXd& young, int most_exact = 200, double width = 1e-3);

/// The displacements of the last time in the .dat file of a finished run, nodes x 3 [mm]. Throws InputError:
/// missing, no displacements (ccx stopped early), another number of nodes.
Positions read_calculix_displacements(const std::filesystem::path& dat_file, int node_count);

}  // namespace furrow
