// Wrinkles of a deformed surface, told apart from its bulk deformation: a height field over the rest surface
// and a few numbers of it.
//
// The relief of vertex i is its displacement along its rest normal N_i, less what an affine function of the
// tangent plane explains around it:
//
//   h_i = N_i . u_i - a_i,   (a_i, b_i) = argmin sum_j A_j exp(-|X_j - X_i|^2 / (2 sigma^2))
//                                                    (N_i . u_j - a - b . (X_j - X_i))^2
//
// u = x - X, A_j the area of vertex j. Translations and small rotations leave no relief, and the border of a
// patch makes none of its own. Of a plane wave of wave number k the part 1 - exp(-sigma^2 k^2 / 2) stays; the
// cutoff is the wavelength of which half stays, sigma = cutoff sqrt(2 ln 2) / (2 pi).
#pragma once

#include <vector>

#include "forward/base/surface_mesh.h"

namespace furrow {

struct WrinkleStatistics {
  double rms = 0;             ///< of the relief over the area [mm]
  double peak_to_valley = 0;  ///< highest less lowest relief [mm]
  /// 2 pi sqrt(integral h^2 / integral |grad h|^2) [mm]: a plane wave's own; 0 where there is no relief.
  double wavelength = 0;
  /// Across the crests: the unit vector along which the relief changes most (sign arbitrary); zero where
  /// there is none.
  Vec3 direction = Vec3::Zero();
  /// Maxima, by at least a tenth of peak_to_valley, along the cut of the surface through its highest vertex
  /// along `direction`.
  int crests = 0;
};

class WrinkleFilter {
 public:
  /// `cutoff` [mm]: longer waves count as bulk deformation. Throws std::logic_error when there are no
  /// triangles or the cutoff is not positive.
  WrinkleFilter(SurfaceMesh rest, double cutoff);

  double cutoff() const { return cutoff_; }
  /// [mm], one a vertex of the rest surface. `ignored` (one a vertex, or empty): vertices that neither count
  /// in a fit nor have a relief (0), such as those under a finger.
  VectorXd relief(const Positions& x, const std::vector<char>& ignored = {}) const;
  WrinkleStatistics statistics(const Positions& x, const std::vector<char>& ignored = {}) const;

 private:
  int crests_along(const Vec3& direction, const VectorXd& h, double threshold,
                   const std::vector<char>& ignored) const;

  SurfaceMesh rest_;
  Positions normal_;
  VectorXd area_;  ///< a third of the triangles around each vertex [mm^2]
  double cutoff_, sigma_;
  /// Vertices that edges lead to without leaving the ball of 3 sigma, itself included: near[start[i] ..
  /// start[i + 1]).
  std::vector<int> start_, near_;
};

}  // namespace furrow
