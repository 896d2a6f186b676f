#include "forward/potential/imls_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nanoflann.hpp>
#include <stdexcept>
#include <string>

namespace furrow {
namespace {

constexpr double empty_support = 1e-12;  // a sum of weights below this counts as no neighbour at all
constexpr double cone_tip = 1e-9;        // d/h below which a point is on the tip of the seed kernel's cone

/// Positions as nanoflann sees them.
struct Cloud {
  const Positions& x;
  std::size_t kdtree_get_point_count() const { return static_cast<std::size_t>(x.rows()); }
  double kdtree_get_pt(std::size_t i, std::size_t k) const {
    return x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};
using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud, 3, int>;

/// A kernel theta(|r|/h) without division by |r| where it is smooth:
/// grad theta = c1 r,  Hessian = c1 I + c2 r r^T.
struct Weight {
  double theta, c1, c2;
};

/// theta = (1-a)^4 (4a+1):  c1 = -20 (1-a)^3/h^2,  c2 = 60 (1-a)^2/(a h^4) (c2 r r^T -> 0 for a -> 0)
Weight wendland(double a, double h2) {
  const double q = 1 - a, q2 = q * q;
  return {q2 * q2 * (4 * a + 1), -20 * q2 * q / h2, a > 0 ? 60 * q2 / (a * h2 * h2) : 0};
}

/// theta = (1-a)^4:  c1 = -4 (1-a)^3/(a h^2),  c2 = (12 (1-a)^2 + 4 (1-a)^3/a)/(a^2 h^4). On the tip of the
/// cone, where there is no derivative, the mean of the one-sided ones stands: 0.
Weight seed(double a, double h2) {
  const double q = 1 - a, q2 = q * q;
  if (a < cone_tip) return {q2 * q2, 0, 0};
  return {q2 * q2, -4 * q2 * q / (a * h2), (12 * q2 + 4 * q2 * q / a) / (a * a * h2 * h2)};
}

/// theta = (1-a^2)^4:  c1 = -8 (1-a^2)^3/h^2,  c2 = 48 (1-a^2)^2/h^4
Weight r2_quartic(double a2, double h2) {
  const double q = 1 - a2, q2 = q * q;
  return {q2 * q2, -8 * q2 * q / h2, 48 * q2 / (h2 * h2)};
}

Weight weight(ImlsKernel kernel, double d2, double h2) {
  switch (kernel) {
    case ImlsKernel::wendland:
      return wendland(std::sqrt(d2 / h2), h2);
    case ImlsKernel::seed:
      return seed(std::sqrt(d2 / h2), h2);
    case ImlsKernel::r2_quartic:
      return r2_quartic(d2 / h2, h2);
  }
  throw std::logic_error("no such IMLS kernel");
}

/// The sums over neighbours: S = sum theta, N = sum theta f with f = n.(x - p), and their derivatives. Upper
/// triangles alone of the second ones.
struct Sums {
  double S = 0, N = 0;
  Vec3 dS = Vec3::Zero(), dN = Vec3::Zero();
  Mat3 ddS = Mat3::Zero(), ddN = Mat3::Zero();
};

/// What nanoflann hands its neighbours to: nothing is stored, they are summed as they come.
class Gather {
 public:
  using DistanceType = double;
  Gather(const Positions& points, const Positions& normals, const Vec3& x, ImlsKernel kernel, double h2,
         bool with_hessian)
      : points_(points), normals_(normals), x_(x), kernel_(kernel), h2_(h2), with_hessian_(with_hessian) {}

  double worstDist() const { return h2_; }
  bool full() const { return true; }
  std::size_t size() const { return 0; }
  bool addPoint(double d2, int i) {
    const Weight w = weight(kernel_, d2, h2_);
    const Vec3 r = x_ - points_.row(i).transpose(), n = normals_.row(i);
    const double f = n.dot(r);
    sums_.S += w.theta;
    sums_.N += w.theta * f;
    sums_.dS += w.c1 * r;
    sums_.dN += f * w.c1 * r + w.theta * n;
    if (with_hessian_) add_second(w, r, n, f);
    return true;
  }
  const Sums& sums() const { return sums_; }

 private:
  /// ddS += c1 I + c2 r r^T,  ddN += f (c1 I + c2 r r^T) + c1 (r n^T + n r^T)
  void add_second(const Weight& w, const Vec3& r, const Vec3& n, double f) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i <= j; ++i) {
        const double second = w.c2 * r[i] * r[j] + (i == j ? w.c1 : 0);
        sums_.ddS(i, j) += second;
        sums_.ddN(i, j) += f * second + w.c1 * (r[i] * n[j] + n[i] * r[j]);
      }
    }
  }

  const Positions &points_, &normals_;
  const Vec3 x_;
  const ImlsKernel kernel_;
  const double h2_;
  const bool with_hessian_;
  Sums sums_;
};

/// g = N/S,  grad = (N' - g S')/S,  Hessian = (N'' - g S'' - g' S'^T - S' g'^T)/S
ImlsValue quotient(const Sums& sums, bool with_hessian) {
  ImlsValue value;
  value.g = sums.N / sums.S;
  value.gradient = (sums.dN - value.g * sums.dS) / sums.S;
  if (with_hessian) {
    const Mat3 upper = sums.ddN - value.g * sums.ddS - value.gradient * sums.dS.transpose() -
                       sums.dS * value.gradient.transpose();
    value.hessian = Mat3(upper.selfadjointView<Eigen::Upper>()) / sums.S;
  }
  return value;
}

void check(const Positions& points, const Positions& normals, double h) {
  if (points.rows() == 0) throw std::invalid_argument("an IMLS surface needs at least one point");
  if (points.rows() != normals.rows()) {
    throw std::invalid_argument("an IMLS surface needs one normal a point: " + std::to_string(points.rows()) +
                                " points, " + std::to_string(normals.rows()) + " normals");
  }
  if (!(h > 0) || !std::isfinite(h))
    throw std::invalid_argument("the radius of an IMLS surface must be positive");
  if (!points.allFinite() || !normals.allFinite())
    throw std::invalid_argument("a point or normal of an IMLS surface is not finite");
}

}  // namespace

struct ImlsSurface::Impl {
  Positions points, normals;
  double h;
  ImlsKernel kernel;
  Cloud cloud{points};
  Tree tree{3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10)};

  int nearest(const Vec3& x) const {
    int index = 0;
    double squared = 0;
    tree.knnSearch(x.data(), 1, &index, &squared);
    return index;
  }
};

ImlsSurface::ImlsSurface(Positions points, Positions normals, double h, ImlsKernel kernel) {
  check(points, normals, h);
  impl_.reset(new Impl{std::move(points), std::move(normals), h, kernel});
}
ImlsSurface::~ImlsSurface() = default;
ImlsSurface::ImlsSurface(ImlsSurface&&) noexcept = default;

double ImlsSurface::h() const {
  return impl_->h;
}

ImlsValue ImlsSurface::value(const Vec3& x, bool with_hessian) const {
  const Impl& surface = *impl_;
  Gather gather(surface.points, surface.normals, x, surface.kernel, surface.h * surface.h, with_hessian);
  surface.tree.findNeighbors(gather, x.data(), nanoflann::SearchParams());
  if (gather.sums().S >= empty_support) return quotient(gather.sums(), with_hessian);
  const int i = surface.nearest(x);
  const Vec3 n = surface.normals.row(i);
  return {n.dot(x - surface.points.row(i).transpose()), n, Mat3::Zero()};
}

double imls_radius(const Positions& points) {
  const auto neighbours = std::min<Eigen::Index>(4, points.rows() - 1);
  if (neighbours < 1) throw std::invalid_argument("the radius of an IMLS surface needs at least two points");
  const Cloud cloud{points};
  const Tree tree(3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10));
  double sum = 0;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    int index[5];
    double squared[5];
    const auto found = static_cast<std::size_t>(neighbours) + 1;  // itself among them
    tree.knnSearch(points.row(i).data(), found, index, squared);
    for (std::size_t k = 1; k < found; ++k) sum += std::sqrt(squared[k]);
  }
  const double mean = sum / static_cast<double>(points.rows() * neighbours);
  if (!(mean > 0)) throw std::invalid_argument("the points of an IMLS surface all coincide");
  return 2.5 * mean;
}

}  // namespace furrow
