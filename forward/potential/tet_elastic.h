// Elastic energy of a tetrahedral body and its derivatives by the deformed and by the rest positions:
//
//   E(x; X) = sum_q w_q det(dX/dxi) W(F),  F = (dx/dxi)(dX/dxi)^-1
//   r_a     = sum_q w P grad N_a                                                          (gradient by x)
//   K_ab    = sum_q w [p0 (gNa.gNb) I + c1 b_b b_a' + c2 b_a b_b' + c3 (b_a a_b' + a_a b_b')]   (Hessian by
//   x) D_ab    = sum_q w [(P gNa) gNb' - (P gNb) gNa' - Khat_ab F - rho N_a g gNb']               (derivative
//   of r - f_gravity by X)
// with gN = grad_X N, b = F^-T gN, a = F gN, Khat the integrand of K. Four elements at a time; see
// assembly/element_chunks.h.
#pragma once

#include <memory>

#include "forward/assembly/element_chunks.h"
#include "forward/assembly/sparsity.h"
#include "forward/base/types.h"
#include "forward/material/neo_hookean.h"

namespace furrow {

struct ElementModuli {
  VectorXd mu, k;  ///< per element [MPa]; E is linear in them
};

struct ElasticValue {
  double energy = 0;      ///< [N mm]; meaningless when smallest_j <= 0
  double smallest_j = 1;  ///< smallest det F at quadrature points; -1 where the rest shape itself is inverted
  Positions gradient;     ///< n x 3 [N], empty unless asked for
};

class TetElastic {
 public:
  virtual ~TetElastic() = default;
  virtual ElasticValue evaluate(const Positions& X, const Positions& x, const ElementModuli&,
                                bool with_gradient) const = 0;
  /// Writes (not adds) K over the free dofs.
  virtual void hessian(const Positions& X, const Positions& x, const ElementModuli&, const DofMap&,
                       const SymmetricPattern&, std::vector<double>& values) const = 0;
  /// Writes D over free rows and free columns; `rho_g` = density x gravity [N/mm^3].
  virtual void rest_derivative(const Positions& X, const Positions& x, const ElementModuli&,
                               const Vec3& rho_g, const DofMap&, const GeneralPattern&,
                               std::vector<double>& values) const = 0;
  /// K v without the matrix, fixed dofs included; v is n x 3.
  virtual Positions hessian_product(const Positions& X, const Positions& x, const ElementModuli&,
                                    const Positions& v) const = 0;
  /// D' lambda without the matrix, fixed dofs included:  Xbar_a = sum_q w S gN_a,
  ///   S = (P:L - rho g.lambda) I - F' (dP[L]) - L' P,  L = sum_a lambda_a gN_a'.
  virtual Positions rest_pullback(const Positions& X, const Positions& x, const ElementModuli&,
                                  const Vec3& rho_g, const Positions& lambda) const = 0;
  /// Elastic forces of unit stiffness gathered by cluster: column c is sum_e weights(e, c) f_e, f_e of `unit`
  /// moduli; 3 n x clusters.
  virtual MatrixXd cluster_forces(const Positions& X, const Positions& x, const Moduli& unit,
                                  const SparseRows& weights) const = 0;
  /// f_e . lambda of every element at `unit` moduli.
  virtual VectorXd element_work(const Positions& X, const Positions& x, const Moduli& unit,
                                const Positions& lambda) const = 0;
  /// Integral of N_a over the rest body [mm^3]: mass = density x this.
  virtual VectorXd nodal_volume(const Positions& X) const = 0;
};

/// `elements`: m x 4 or m x 10; `nodes` orders them in space only.
std::unique_ptr<TetElastic> make_tet_elastic(Law law, const Elements& elements, const Positions& nodes);

}  // namespace furrow
