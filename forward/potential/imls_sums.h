// The sums over neighbours that an IMLS value is made of, four neighbours at a time. With r = x - p, a =
// |r|/h and f = n.r, a kernel is written without division by |r| where it is smooth,
//
//   grad theta = c1 r,   Hessian of theta = c1 I + c2 r r^T
//
//   wendland     (1-a)^4 (4a+1)   c1 = -20 (1-a)^3/h^2      c2 = 60 (1-a)^2/(a h^4)         c2 r r^T -> 0 at
//   a = 0 seed         (1-a)^4          c1 = -4 (1-a)^3/(a h^2)   c2 = (12 (1-a)^2 + 4 (1-a)^3/a)/(a^2 h^4)
//   r2_quartic   (1-a^2)^4        c1 = -8 (1-a^2)^3/h^2     c2 = 48 (1-a^2)^2/h^4
//
// On the tip of the seed's cone, where there is no derivative, the mean of the one-sided ones stands: 0.
#pragma once

#include <array>

#include "forward/base/types.h"
#include "forward/element/pack_math.h"
#include "forward/potential/imls_surface.h"
#include "forward/potential/point_cells.h"

namespace furrow {

/// S = sum theta, N = sum theta f, and their derivatives by x.
struct ImlsSums {
  double S = 0, N = 0;
  Vec3 dS = Vec3::Zero(), dN = Vec3::Zero();
  Mat3 ddS = Mat3::Zero(), ddN = Mat3::Zero();
};

/// Points and normals, one column a component, and kLanes - 1 rows after the last that are read but never
/// count.
using ImlsCloud = Eigen::Matrix<double, Eigen::Dynamic, 6>;

namespace imls {

struct Weight {
  Pack theta, c1, c2;
};

inline constexpr double smallest = 1e-9;  ///< |r|/h below which a neighbour is where x is

/// theta, c1 and, with_hessian, c2 at |r|^2 = d2 <= h2.
template <ImlsKernel kernel, bool with_hessian>
Weight weight(Pack d2, double h2) {
  const double over_h2 = 1 / h2, over_h4 = over_h2 * over_h2;
  const Pack one = Pack{} + 1.0, a2 = d2 * over_h2;
  if constexpr (kernel == ImlsKernel::r2_quartic) {
    const Pack q = pack_max(one - a2, Pack{}), q2 = q * q;
    return {q2 * q2, (-8 * over_h2) * q2 * q, (48 * over_h4) * q2};
  }
  const Pack a = pack_sqrt(a2), q = pack_max(one - a, Pack{}), q2 = q * q, q3 = q2 * q;
  if constexpr (kernel == ImlsKernel::wendland && !with_hessian)
    return {q2 * q2 * (4 * a + 1), (-20 * over_h2) * q3, Pack{}};
  const Pack over_a = pack_select(a > smallest, one / a, Pack{});
  if constexpr (kernel == ImlsKernel::wendland)
    return {q2 * q2 * (4 * a + 1), (-20 * over_h2) * q3, (60 * over_h4) * q2 * over_a};
  return {q2 * q2, (-4 * over_h2) * q3 * over_a, over_h4 * over_a * over_a * (12 * q2 + 4 * q3 * over_a)};
}

/// Four doubles from any address.
inline Pack load(const double* from) {
  struct Unaligned {
    Pack pack;
  } __attribute__((packed, may_alias));
  return reinterpret_cast<const Unaligned*>(from)->pack;
}

inline double total(Pack a) {
  return (a[0] + a[1]) + (a[2] + a[3]);
}

}  // namespace imls

/// The sums in packs, one lane a neighbour; second derivatives as lower triangles by rows.
struct ImlsPacks {
  Pack S{}, N{}, dS[3]{}, dN[3]{}, ddS[6]{}, ddN[6]{};

  ImlsSums total() const {
    ImlsSums sums;
    sums.S = imls::total(S);
    sums.N = imls::total(N);
    for (int i = 0, entry = 0; i < 3; ++i) {
      sums.dS[i] = imls::total(dS[i]);
      sums.dN[i] = imls::total(dN[i]);
      for (int j = 0; j <= i; ++j, ++entry) {
        sums.ddS(i, j) = sums.ddS(j, i) = imls::total(ddS[entry]);
        sums.ddN(i, j) = sums.ddN(j, i) = imls::total(ddN[entry]);
      }
    }
    return sums;
  }
};

/// ddS += c1 I + c2 r r^T,  ddN += f (c1 I + c2 r r^T) + c1 (r n^T + n r^T)
inline void add_second(const std::array<Pack, 3>& r, const std::array<Pack, 3>& n, Pack f,
                       const imls::Weight& w, ImlsPacks& sums) {
  for (int i = 0, entry = 0; i < 3; ++i) {
    const Pack c1r = w.c1 * r[i], c1n = w.c1 * n[i], c2r = w.c2 * r[i];
    for (int j = 0; j <= i; ++j, ++entry) {
      const Pack second = i == j ? c2r * r[j] + w.c1 : c2r * r[j];
      sums.ddS[entry] += second;
      sums.ddN[entry] += f * second + c1r * n[j] + c1n * r[j];
    }
  }
}

/// S += theta, N += theta f, dS += c1 r, dN += f c1 r + theta n over runs of the cloud's rows; points farther
/// than h weigh nothing.
template <ImlsKernel kernel, bool with_hessian>
ImlsSums sum_neighbours(const ImlsCloud& cloud, const PointCells::Runs& runs, const Vec3& x, double h2) {
  const Eigen::Index stride = cloud.rows();
  ImlsPacks sums;
  for (const auto [first, last] : runs) {
    for (int place = first; place < last; place += kLanes) {
      const double* at = cloud.data() + place;
      const std::array<Pack, 3> r{x[0] - imls::load(at), x[1] - imls::load(at + stride),
                                  x[2] - imls::load(at + 2 * stride)};
      const Pack d2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
      const PackMask within = (d2 < h2) & (Pack{0, 1, 2, 3} < static_cast<double>(last - place));
      if (!pack_any(within)) continue;
      const imls::Weight w = imls::weight<kernel, with_hessian>(pack_select(within, d2, Pack{} + h2), h2);
      const std::array<Pack, 3> n{imls::load(at + 3 * stride), imls::load(at + 4 * stride),
                                  imls::load(at + 5 * stride)};
      const Pack f = n[0] * r[0] + n[1] * r[1] + n[2] * r[2], fc1 = f * w.c1;
      sums.S += w.theta;
      sums.N += w.theta * f;
      for (int k = 0; k < 3; ++k) {
        sums.dS[k] += w.c1 * r[k];
        sums.dN[k] += fc1 * r[k] + w.theta * n[k];
      }
      if constexpr (with_hessian) add_second(r, n, f, w, sums);
    }
  }
  return sums.total();
}

}  // namespace furrow
