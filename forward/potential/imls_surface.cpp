#include "forward/potential/imls_surface.h"

#include <algorithm>
#include <cmath>
#include <nanoflann.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "forward/potential/imls_sums.h"
#include "forward/potential/point_cells.h"

namespace furrow {
namespace {

constexpr double empty_support = 1e-12;  // a sum of weights below this counts as no neighbour at all

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

/// The cloud in the order of its cells.
ImlsCloud sorted_cloud(const Positions& points, const Positions& normals, const std::vector<int>& order) {
  ImlsCloud cloud = ImlsCloud::Zero(points.rows() + kLanes - 1, 6);
  for (Eigen::Index place = 0; place < points.rows(); ++place) {
    const int i = order[static_cast<std::size_t>(place)];
    cloud.row(place) << points.row(i), normals.row(i);
  }
  return cloud;
}

/// g = N/S,  grad = (N' - g S')/S,  Hessian = (N'' - g S'' - g' S'^T - S' g'^T)/S
ImlsValue quotient(const ImlsSums& sums, bool with_hessian) {
  ImlsValue value;
  value.g = sums.N / sums.S;
  value.gradient = (sums.dN - value.g * sums.dS) / sums.S;
  if (with_hessian) {
    const Mat3 lower = sums.ddN - value.g * sums.ddS - value.gradient * sums.dS.transpose() -
                       sums.dS * value.gradient.transpose();
    value.hessian = Mat3(lower.selfadjointView<Eigen::Lower>()) / sums.S;
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
  PointCells cells{points, h};
  ImlsCloud sorted = sorted_cloud(points, normals, cells.order());
  Cloud cloud{points};
  Tree tree{3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10)};

  ImlsSums sums(const Vec3& x, bool with_hessian) const {
    switch (kernel) {
      case ImlsKernel::wendland:
        return sums_with<ImlsKernel::wendland>(x, with_hessian);
      case ImlsKernel::seed:
        return sums_with<ImlsKernel::seed>(x, with_hessian);
      case ImlsKernel::r2_quartic:
        return sums_with<ImlsKernel::r2_quartic>(x, with_hessian);
    }
    throw std::logic_error("no such IMLS kernel");
  }
  template <ImlsKernel with>
  ImlsSums sums_with(const Vec3& x, bool with_hessian) const {
    const PointCells::Runs runs = cells.near(x);
    return with_hessian ? sum_neighbours<with, true>(sorted, runs, x, h * h)
                        : sum_neighbours<with, false>(sorted, runs, x, h * h);
  }
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
  const ImlsSums sums = surface.sums(x, with_hessian);
  if (sums.S >= empty_support) return quotient(sums, with_hessian);
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
