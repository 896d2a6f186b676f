// A shell scene compiled for computing: mesh, potentials, patterns, solver. It never changes; theta and
// states act on it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "forward/assembly/cholmod_solver.h"
#include "forward/assembly/hessian_sum.h"
#include "forward/compiled_scene.h"
#include "forward/potential/elastic_shell.h"
#include "forward/potential/surface_potentials.h"

namespace furrow {

/// What is not a parameter.
struct ShellPhysics {
  ElasticShell::Options elastic;
  TriangleRule surface_rule = subdivide_rule(triangle_rule(10), 2);
  struct Ligaments {
    LigamentVariant variant = LigamentVariant::smoothed;
    double smoothing = 0.05;  ///< [mm]
  };
  std::optional<Ligaments> ligaments;
  struct Skull {
    ImlsKernel kernel = ImlsKernel::wendland;
    double radius = 0;  ///< [mm]; 0: imls_radius
    double ramp = 0;    ///< [mm]
    bool subtract_rest_gap = true;
  };
  std::optional<Skull> skull;
  struct Collider {
    double ramp = 0;        ///< [mm]
    double slip_speed = 5;  ///< [mm/s]
  };
  std::vector<Collider> colliders;
};

/// Energy of every potential [N mm] and the gradient of their sum.
struct ShellValue {
  double energy = 0, smallest_j = 1;
  std::vector<double> parts;  ///< in the order of CompiledShell::potentials()
  Positions gradient;         ///< n x 3 [N], fixed dofs too (their reactions); empty unless asked for
};

class CompiledShell {
 public:
  CompiledShell(PrismMesh mesh, const ShellPhysics& physics, const FixedFlags& fixed);
  CompiledShell(const CompiledShell&) = delete;

  const PrismMesh& mesh() const { return mesh_; }
  const DofMap& dofs() const { return dofs_; }
  const SymmetricPattern& pattern() const { return pattern_; }
  const ElasticShell& elastic() const { return *elastic_; }
  const ContactPotential& contact() const { return *contact_; }
  const FrictionPotential& friction() const { return *friction_; }
  const SkullPotential* skull() const { return skull_; }
  const SurfacePoints& inner() const { return *inner_; }
  const SurfacePoints& outer() const { return *outer_; }
  const std::vector<std::unique_ptr<Potential>>& potentials() const { return potentials_; }

  ShellValue evaluate(const Positions& x, const StepInput&, bool with_gradient) const;
  /// d2U/dx2 over the free dofs.
  void hessian(const Positions& x, const StepInput&, bool projected, HessianSum& sum) const;
  HessianSum empty_hessian() const { return {mesh_.elements, dofs_, pattern_}; }
  Positions hessian_product(const Positions& x, const StepInput&, const Positions& v) const;
  Positions gradient_jvp(const Positions& x, const StepInput&, const ShellState& dfrom,
                         const ShellTheta& dtheta) const;
  StepPullback gradient_vjp(const Positions& x, const StepInput&, const Positions& lambda) const;

  /// Undeformed, relaxed, without contact.
  ShellState rest_state() const;

  /// The scene's Cholesky factor. Its symbolic part is shared by all solves, so a compiled scene serves one
  /// solve at a time.
  CholmodSolver& solver() const { return *solver_; }

 private:
  PrismMesh mesh_;
  DofMap dofs_;
  SymmetricPattern pattern_;
  std::unique_ptr<SurfacePoints> inner_, outer_;
  std::vector<std::unique_ptr<Potential>> potentials_;
  const ElasticShell* elastic_ = nullptr;
  const ContactPotential* contact_ = nullptr;
  const FrictionPotential* friction_ = nullptr;
  const SkullPotential* skull_ = nullptr;
  std::unique_ptr<CholmodSolver> solver_;
};

/// Normal of the surface at every inner node: mean of the unit normals of the adjacent faces there, from bone
/// to skin; rows in the order of mesh.inner_nodes().
Positions inner_normals(const PrismMesh& mesh);

}  // namespace furrow
