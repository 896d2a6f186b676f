// Elastic energy of a shell of prisms with viscous history:
//
//   U(x) = sum_e sum_q w_q det(dX/dxi) psi(F, F^v; theta_layer(q)),   F = (dx/dxi)(dX/dxi)^-1
//   r_a  = sum_q w (P (dX/dxi)^-T) dN_a/dxi                                            (gradient)
//   K_ab = sum_q dN_a/dxi . D dN_b/dxi,  D = the tangent A pulled back to reference coordinates
//
// psi: material/skin.h. Points are packed by four within an element. Two ways to assemble K, chosen by the
// rule: sum factorisation for tensor rules (first through the thickness, then in the plane), one matrix
// product for the others.
#pragma once

#include <memory>
#include <vector>

#include "forward/element/layered_rule.h"
#include "forward/material/skin.h"
#include "forward/mesh/prism_mesh.h"
#include "forward/potential/potential.h"

namespace furrow {

class ElasticShell final : public Potential {
 public:
  struct Options {
    RuleKind rule = RuleKind::tensor;
    Volumetric volumetric = Volumetric::quadratic;
    int branches = 0;                   ///< of the layer with the most
    std::vector<Vec3> prestretch_axes;  ///< one a layer; empty: no layer is ever prestretched
    bool sum_factorisation = true;      ///< false: always the plain product (for measurements)
  };
  /// `layers` of the mesh are those of theta, in the same order.
  ElasticShell(const PrismMesh& mesh, const Options& options);
  ~ElasticShell() override;

  std::string name() const override { return "skin"; }
  PotentialValue value(const Positions& x, const StepInput&, Positions* gradient) const override;
  void add_hessian(const Positions& x, const StepInput&, bool projected, HessianSum&) const override;
  void add_hessian_product(const Positions& x, const StepInput&, const Positions& v,
                           Positions& out) const override;
  void add_gradient_jvp(const Positions& x, const StepInput&, const ShellState& dfrom,
                        const ShellTheta& dtheta, Positions& out) const override;
  void add_gradient_vjp(const Positions& x, const StepInput&, const Positions& lambda,
                        StepPullback& out) const override;

  int point_count() const;                 ///< quadrature points
  ViscousHistory relaxed_history() const;  ///< F^v = I
  VectorXd nodal_volume() const;           ///< integral of N_a over the rest body [mm^3]

  /// F^v <- relax(F(x), F^v, alpha^exponent) (THEORY 6), its differential and pullback.
  ViscousHistory relax(const Positions& x, const ViscousHistory& fv, const ShellTheta&, double dt,
                       double exponent) const;
  ViscousHistory relax_jvp(const Positions& x, const ViscousHistory& fv, const ShellTheta&, double dt,
                           double exponent, const Positions& dx, const ViscousHistory& dfv,
                           const ShellTheta& dtheta) const;
  struct RelaxPullback {
    Positions x;
    ViscousHistory fv;
    std::vector<VectorXd> times;  ///< per layer
  };
  RelaxPullback relax_vjp(const Positions& x, const ViscousHistory& fv, const ShellTheta&, double dt,
                          double exponent, const ViscousHistory& bar) const;

  struct Impl;  ///< elastic_shell_data.h, for measurements
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace furrow
