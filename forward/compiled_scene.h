// A scene compiled for computing: topology, patterns, kernels, cluster weights. It never changes; parameters
// theta act on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forward/assembly/sparsity.h"
#include "forward/base/types.h"
#include "forward/material/neo_hookean.h"
#include "forward/potential/tet_elastic.h"

namespace furrow {

/// Physical parameters of a tetrahedral scene: (young_1 .. young_C [MPa], poisson, density [t/mm^3]), |theta|
/// = C + 2.
struct TissueTheta {
  VectorXd young;
  double poisson;
  double density;

  int size() const { return static_cast<int>(young.size()) + 2; }
  VectorXd flat() const;
  static TissueTheta from_flat(const VectorXd& theta);
};

using FixedFlags = Eigen::Matrix<bool, Eigen::Dynamic, 3, Eigen::RowMajor>;

class CompiledScene {
 public:
  /// `weights`: elements x clusters, rows sum to 1; `fixed`: nodes x 3.
  CompiledScene(Elements elements, Positions reference, SparseRows weights, const FixedFlags& fixed, Law law);

  int node_count() const { return static_cast<int>(reference_.rows()); }
  int element_count() const { return static_cast<int>(elements_.rows()); }
  int cluster_count() const { return static_cast<int>(weights_.cols()); }
  int theta_size() const { return cluster_count() + 2; }
  Law law() const { return law_; }
  const Elements& elements() const { return elements_; }
  const Positions& reference() const {
    return reference_;
  }  ///< the mesh as built: positions of the scan (or of the rest shape)
  const SparseRows& weights() const { return weights_; }
  const DofMap& dofs() const { return dofs_; }
  const TetElastic& elastic() const { return *elastic_; }
  const SymmetricPattern& symmetric_pattern() const { return symmetric_; }
  const GeneralPattern& general_pattern() const;  ///< made at first use

  ElementModuli moduli(const TissueTheta&) const;
  VectorXd young_per_element(const TissueTheta&) const;  ///< [MPa]

  /// Gravity's force on every node: density x integral of N_a x gravity, n x 3 [N]. Dead load per rest
  /// volume.
  Positions gravity_force(const Positions& X, double density, const Vec3& gravity) const;

  /// d(r)/d(theta_k) over the free dofs for the listed k: the residual is r = dE_elastic/dx - f_gravity.
  MatrixXd residual_by_theta(const Positions& X, const Positions& x, const TissueTheta&, const Vec3& gravity,
                             const std::vector<int>& which) const;
  /// lambda' d(r)/d(theta) for all theta, in two passes over the elements; `lambda` n x 3, zero on fixed
  /// dofs.
  VectorXd residual_by_theta_transposed(const Positions& X, const Positions& x, const TissueTheta&,
                                        const Vec3& gravity, const Positions& lambda) const;

 private:
  Elements elements_;
  Positions reference_;
  SparseRows weights_;
  Law law_;
  DofMap dofs_;
  std::unique_ptr<TetElastic> elastic_;
  SymmetricPattern symmetric_;
  mutable std::unique_ptr<GeneralPattern> general_;
};

}  // namespace furrow
