// N_eff: misfits of neighbouring vertices that go together count less (DESIGN 7.10).
//   N_eff / N = 1 / (1 + sum over distance bins of rho_b n_b),  rho_b the correlation of misfits at that
//   distance, n_b the mean number of neighbours in the bin; bins are summed until the correlation is no
//   longer significant.
#include <algorithm>
#include <cmath>

#include "calibrate/fit.h"

namespace furrow {

namespace {

constexpr int kMost = 1500;  ///< vertices looked at per pose

/// Every step-th row.
Positions thinned(const Positions& all, int step) {
  Positions out((all.rows() + step - 1) / step, 3);
  for (Eigen::Index i = 0; i < out.rows(); ++i) out.row(i) = all.row(i * step);
  return out;
}

double median_spacing(const Positions& points) {
  std::vector<double> nearest;
  for (Eigen::Index i = 0; i < points.rows(); i += std::max<Eigen::Index>(1, points.rows() / 100)) {
    double best = 1e300;
    for (Eigen::Index j = 0; j < points.rows(); ++j)
      if (j != i) best = std::min(best, (points.row(i) - points.row(j)).squaredNorm());
    nearest.push_back(std::sqrt(best));
  }
  std::nth_element(nearest.begin(), nearest.begin() + nearest.size() / 2, nearest.end());
  return nearest[nearest.size() / 2];
}

/// sum of rho_b n_b for one pose.
double correlated_neighbours(const Positions& points, const Positions& misfit) {
  constexpr int kBins = 12;
  const double width = 1.5 * median_spacing(points);
  std::vector<double> product(kBins, 0), pairs(kBins, 0);
  for (Eigen::Index i = 0; i < points.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      const int bin = static_cast<int>((points.row(i) - points.row(j)).norm() / width);
      if (bin >= kBins) continue;
      product[bin] += misfit.row(i).dot(misfit.row(j)) / 3;
      pairs[bin] += 1;
    }
  const double variance = misfit.squaredNorm() / static_cast<double>(misfit.size());
  double sum = 0;
  for (int b = 0; b < kBins && variance > 0 && pairs[b] > 0; ++b) {
    const double rho = product[b] / pairs[b] / variance;
    if (rho < 2 / std::sqrt(3 * pairs[b])) break;
    sum += rho * 2 * pairs[b] / static_cast<double>(points.rows());
  }
  return sum;
}

}  // namespace

double independent_share(const HeadData& data, const HeadProblem& problem, const VectorXd& p) {
  double share = 0;
  for (std::size_t k = 0; k < problem.poses().size(); ++k) {
    const HeadPose& pose = data.poses[problem.poses()[k]];
    const int step = static_cast<int>((pose.vertices.size() + kMost - 1) / kMost);
    Positions points(pose.vertices.size(), 3);
    for (std::size_t i = 0; i < pose.vertices.size(); ++i)
      points.row(i) = data.model->scan.vertices.row(pose.vertices[i]);
    const double neighbours =
        correlated_neighbours(thinned(points, step), thinned(problem.misfit(static_cast<int>(k), p), step));
    share += 1 / (1 + step * neighbours) / static_cast<double>(problem.poses().size());
  }
  return share;
}

}  // namespace furrow
