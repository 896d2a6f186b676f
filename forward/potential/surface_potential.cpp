#include "forward/potential/surface_potentials.h"

namespace furrow {

void SurfacePotential::add_hessian(const Positions& x, const StepInput& in, bool projected,
                                   HessianSum& sum) const {
  points_.add_hessian(point_hessians(x, in, projected), sum);
}

/// out += S' (H (S v)).
void SurfacePotential::add_hessian_product(const Positions& x, const StepInput& in, const Positions& v,
                                           Positions& out) const {
  const std::vector<Mat3> H = point_hessians(x, in, false);
  Positions f = points_.at(v);
  for (Eigen::Index q = 0; q < f.rows(); ++q) f.row(q) = (H[q] * f.row(q).transpose()).transpose();
  points_.add_transposed(f, out);
}

}  // namespace furrow
