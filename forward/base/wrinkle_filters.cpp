#include "forward/base/wrinkle_filters.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "forward/base/error.h"

namespace furrow {
namespace {

constexpr double kNoRelief = 1e-7;        ///< [mm] rms below this is rounding
constexpr double kCrestProminence = 0.1;  ///< of peak to valley

VectorXd vertex_areas(const SurfaceMesh& mesh) {
  VectorXd area = VectorXd::Zero(mesh.vertex_count());
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Vec3 a = mesh.vertices.row(mesh.triangles(t, 0)), b = mesh.vertices.row(mesh.triangles(t, 1)),
               c = mesh.vertices.row(mesh.triangles(t, 2));
    const double third = (b - a).cross(c - a).norm() / 6;
    for (int k = 0; k < 3; ++k) area[mesh.triangles(t, k)] += third;
  }
  return area;
}

std::vector<std::vector<int>> edge_neighbours(const SurfaceMesh& mesh) {
  std::vector<std::vector<int>> near(mesh.vertex_count());
  for (int t = 0; t < mesh.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.triangles(t, k), b = mesh.triangles(t, (k + 1) % 3);
      near[a].push_back(b);
      near[b].push_back(a);
    }
  for (std::vector<int>& list : near) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return near;
}

/// The relief over one triangle: integrals over its area.
struct TriangleRelief {
  double area, square;  ///< [mm^2], of h^2 [mm^4]
  Vec3 gradient;        ///< [1]
};

///   grad h = sum_k h_k n x e_k / (2 A),  e_k the edge across from corner k
TriangleRelief relief_of_triangle(const SurfaceMesh& mesh, int t, const VectorXd& h) {
  std::array<Vec3, 3> X;
  Vec3 value;
  for (int k = 0; k < 3; ++k) {
    X[k] = mesh.vertices.row(mesh.triangles(t, k));
    value[k] = h[mesh.triangles(t, k)];
  }
  const Vec3 cross = (X[1] - X[0]).cross(X[2] - X[0]);
  const double twice = cross.norm();
  if (!(twice > 0)) return {0, 0, Vec3::Zero()};
  Vec3 gradient = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    gradient += value[k] * (cross / twice).cross(X[(k + 2) % 3] - X[(k + 1) % 3]) / twice;
  const double sum = value.sum();
  return {twice / 2, twice / 24 * (value.squaredNorm() + sum * sum), gradient};
}

/// Maxima that stand out by `threshold` on both sides.
int count_crests(const std::vector<std::pair<double, double>>& profile, double threshold) {
  int crests = 0;
  bool climbing = false;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& [s, h] : profile) {
    low = std::min(low, h), high = std::max(high, h);
    if (climbing && h < high - threshold) {
      ++crests;
      climbing = false, low = h;
    } else if (!climbing && h > low + threshold) {
      climbing = true, high = h;
    }
  }
  return crests;
}

bool counts(const std::vector<char>& ignored, int vertex) {
  return ignored.empty() || !ignored[vertex];
}

}  // namespace

WrinkleFilter::WrinkleFilter(SurfaceMesh rest, double cutoff)
    : rest_(std::move(rest)),
      cutoff_(cutoff),
      sigma_(cutoff * std::sqrt(2 * std::numbers::ln2) / (2 * std::numbers::pi)) {
  require(rest_.triangle_count() > 0, "WrinkleFilter: the surface has no triangles");
  require(std::isfinite(cutoff) && cutoff > 0, "WrinkleFilter: the cutoff must be positive");
  normal_ = vertex_normals(rest_);
  area_ = vertex_areas(rest_);
  const auto edges = edge_neighbours(rest_);
  std::vector<int> seen(rest_.vertex_count(), -1);
  const double reach = 9 * sigma_ * sigma_;
  for (int i = 0; i < rest_.vertex_count(); ++i) {
    start_.push_back(static_cast<int>(near_.size()));
    near_.push_back(i);
    seen[i] = i;
    for (std::size_t next = start_.back(); next < near_.size(); ++next)
      for (const int j : edges[near_[next]])
        if (seen[j] != i && (rest_.vertices.row(j) - rest_.vertices.row(i)).squaredNorm() <= reach) {
          seen[j] = i;
          near_.push_back(j);
        }
  }
  start_.push_back(static_cast<int>(near_.size()));
}

VectorXd WrinkleFilter::relief(const Positions& x, const std::vector<char>& ignored) const {
  require(x.rows() == rest_.vertices.rows(), "WrinkleFilter: another number of vertices");
  const Positions u = x - rest_.vertices;
  VectorXd h = VectorXd::Zero(x.rows());
  for (int i = 0; i < h.size(); ++i) {
    if (!counts(ignored, i)) continue;
    const Vec3 N = normal_.row(i), e1 = N.unitOrthogonal(), e2 = N.cross(e1);
    Mat3 A = Mat3::Zero();
    Vec3 right = Vec3::Zero();
    for (int n = start_[i]; n < start_[i + 1]; ++n) {
      const int j = near_[n];
      if (!counts(ignored, j)) continue;
      const Vec3 d = (rest_.vertices.row(j) - rest_.vertices.row(i)) / sigma_;
      const double w = area_[j] * std::exp(-d.squaredNorm() / 2);
      const Vec3 basis(1, d.dot(e1), d.dot(e2));
      A += w * basis * basis.transpose();
      right += w * u.row(j).dot(N) * basis;
    }
    A(1, 1) += 1e-9 * A(0, 0), A(2, 2) += 1e-9 * A(0, 0);  // a slope that few vertices leave open is zero
    if (A(0, 0) > 0) h[i] = u.row(i).dot(N) - A.ldlt().solve(right)[0];
  }
  return h;
}

WrinkleStatistics WrinkleFilter::statistics(const Positions& x, const std::vector<char>& ignored) const {
  const VectorXd h = relief(x, ignored);
  double area = 0, square = 0, slope = 0;
  Mat3 slopes = Mat3::Zero();
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (int t = 0; t < rest_.triangle_count(); ++t) {
    const auto corners = rest_.triangles.row(t);
    if (!counts(ignored, corners[0]) || !counts(ignored, corners[1]) || !counts(ignored, corners[2]))
      continue;
    const TriangleRelief part = relief_of_triangle(rest_, t, h);
    area += part.area;
    square += part.square;
    slope += part.area * part.gradient.squaredNorm();
    slopes += part.area * part.gradient * part.gradient.transpose();
    for (const int corner : corners) low = std::min(low, h[corner]), high = std::max(high, h[corner]);
  }
  WrinkleStatistics out;
  if (!(area > 0)) return out;
  out.rms = std::sqrt(square / area);
  out.peak_to_valley = high - low;
  if (out.rms < kNoRelief || !(slope > 0)) return out;
  out.wavelength = 2 * std::numbers::pi * std::sqrt(square / slope);
  out.direction = Eigen::SelfAdjointEigenSolver<Mat3>(slopes).eigenvectors().col(2);
  out.crests = crests_along(out.direction, h, kCrestProminence * out.peak_to_valley, ignored);
  return out;
}

int WrinkleFilter::crests_along(const Vec3& direction, const VectorXd& h, double threshold,
                                const std::vector<char>& ignored) const {
  int top = 0;
  h.maxCoeff(&top);
  const Vec3 X = rest_.vertices.row(top), N = normal_.row(top);
  const VectorXd off = (rest_.vertices.rowwise() - X.transpose()) * direction.cross(N);
  const VectorXd along = (rest_.vertices.rowwise() - X.transpose()) * direction;
  std::vector<std::pair<double, double>> profile;
  for (int t = 0; t < rest_.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int a = rest_.triangles(t, k), b = rest_.triangles(t, (k + 1) % 3);
      if ((off[a] < 0) == (off[b] < 0) || !counts(ignored, a) || !counts(ignored, b)) continue;
      if (normal_.row(a).dot(N) <= 0 || normal_.row(b).dot(N) <= 0) continue;  // the far side of a head
      const double w = off[a] / (off[a] - off[b]);
      profile.emplace_back((1 - w) * along[a] + w * along[b], (1 - w) * h[a] + w * h[b]);
    }
  std::sort(profile.begin(), profile.end());
  return count_crests(profile, threshold);
}

}  // namespace furrow
