// Quadrature points of one surface of a shell: positions from nodes, forces and Hessians back to nodes.
// Weights are reference areas (THEORY 1).
#pragma once

#include <vector>

#include "forward/assembly/hessian_sum.h"
#include "forward/element/quadrature.h"
#include "forward/mesh/prism_mesh.h"

namespace furrow {

enum class ShellSide { inner, outer };

class SurfacePoints {
 public:
  SurfacePoints(const PrismMesh& mesh, ShellSide side, const TriangleRule& rule);

  int count() const { return static_cast<int>(weight_.size()); }
  const VectorXd& weight() const { return weight_; }  ///< reference area of each point [mm^2]
  const Positions& rest() const { return rest_; }     ///< positions at rest, one row a point
  /// Unit normals at rest, from the inner to the outer side.
  const Positions& rest_normal() const { return normal_; }

  Positions at(const Positions& nodal) const;  ///< interpolates any n x 3 nodal field
  /// out_a += sum_q N_a(q) f_q, f: one row a point (weights already in it).
  void add_transposed(const Positions& f, Positions& out) const;
  /// Adds sum_q N_a N_b H_q; points whose H is zero cost nothing.
  void add_hessian(const std::vector<Mat3>& H, HessianSum& sum) const;

  /// Nodes of this surface, ascending; scalar fields on them are indexed like this.
  const std::vector<int>& nodes() const { return nodes_; }
  VectorXd interpolate(const VectorXd& on_nodes) const;  ///< one value a point
  void add_interpolated_transposed(const VectorXd& at_points, VectorXd& out) const;

 private:
  Elements faces_;
  std::vector<int> element_;  ///< of each face
  int first_local_ = 0;       ///< of the face's nodes within the element
  MatrixXd basis_;            ///< rule points x face nodes
  VectorXd weight_;
  Positions rest_, normal_;
  std::vector<int> nodes_, rank_;  ///< rank_[node]: its place in nodes_, -1 elsewhere
};

}  // namespace furrow
