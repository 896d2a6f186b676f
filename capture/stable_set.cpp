#include "capture/stable_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nanoflann.hpp>
#include <numeric>
#include <random>

#include "forward/base/error.h"

namespace furrow {
namespace {

constexpr int kSmoothing = 5;          ///< points a residual is averaged over (itself and its nearest)
constexpr double kCore = 0.05;         ///< share of the vertices that must agree
constexpr int kSearchVertices = 3000;  ///< the search looks at this many at most
constexpr int kKept = 10;              ///< hypotheses that are refined to the end

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Spread [mm]: root mean square distance to the mean point.
double spread(const Positions& points) {
  return std::sqrt((points.rowwise() - points.colwise().mean()).rowwise().squaredNorm().mean());
}

struct Hypothesis {
  RigidMotion motion;
  VectorXd weights;
  double score = std::numeric_limits<double>::infinity();
};

class Search {
 public:
  Search(const Positions& from, const Positions& to, const StableSearch& options)
      : from_(from),
        to_(to),
        options_(options),
        smoothing_(std::min<int>(kSmoothing, static_cast<int>(options.neighbours.cols()))),
        all_(motion_information(from, VectorXd::Ones(from.rows()))) {}

  Hypothesis best() {
    std::vector<Hypothesis> kept;
    for (int k = 0; k < options_.subsets; ++k) {
      Hypothesis h = concentrate(random_start(k), 4);
      kept.push_back(std::move(h));
      std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
      if (static_cast<int>(kept.size()) > kKept) kept.pop_back();
    }
    for (Hypothesis& h : kept) h = refine(std::move(h));
    return *std::min_element(kept.begin(), kept.end(),
                             [](const auto& a, const auto& b) { return a.score < b.score; });
  }

  /// |mean of to - motion(from) over a vertex and its nearest neighbours|, in units of its own noise.
  VectorXd residual_lengths(const RigidMotion& motion) const {
    const Positions residual = to_ - motion.apply(from_);
    VectorXd lengths(residual.rows());
    for (int i = 0; i < residual.rows(); ++i) {
      Vec3 mean = Vec3::Zero();
      for (int k = 0; k < smoothing_; ++k) mean += residual.row(options_.neighbours(i, k)).transpose();
      lengths[i] = mean.norm() / (std::sqrt(static_cast<double>(smoothing_)) * options_.noise);
    }
    return lengths;
  }

  /// Iteratively reweighted least squares with Tukey weights.
  Hypothesis refine(Hypothesis h) const {
    for (int k = 0; k < 50; ++k) {
      const VectorXd weights = tukey_weights(residual_lengths(h.motion), kCutoff);
      if (weights.sum() < 10) return {};
      h.motion = fit_rigid_motion(from_, to_, weights);
      const bool settled =
          h.weights.size() == weights.size() && (h.weights - weights).cwiseAbs().maxCoeff() < 1e-6;
      h.weights = weights;
      if (settled) break;
    }
    h.score = score(h.weights);
    return h;
  }

 private:
  static constexpr double kCutoff = 5.0;  ///< in standard deviations of a coordinate

  /// Three neighbourhoods, far apart.
  VectorXd random_start(int k) const {
    std::mt19937 generator(options_.seed * 7919u + static_cast<unsigned>(k));
    const int n = static_cast<int>(from_.rows());
    const double apart = 0.7 * spread(from_);
    std::array<int, 3> corner{};
    for (int attempt = 0; attempt < 100; ++attempt) {
      for (int& c : corner) c = static_cast<int>(generator() % static_cast<unsigned>(n));
      auto far = [&](int a, int b) { return (from_.row(corner[a]) - from_.row(corner[b])).norm() > apart; };
      if (far(0, 1) && far(1, 2) && far(0, 2)) break;
    }
    VectorXd weights = VectorXd::Zero(n);
    for (int c : corner)
      for (int j = 0; j < smoothing_; ++j) weights[options_.neighbours(c, j)] = 1;
    return weights;
  }

  /// Concentration steps of least trimmed squares: refit to the core, keep those that fit best.
  Hypothesis concentrate(VectorXd weights, int steps) const {
    const int core = std::max(30, static_cast<int>(kCore * static_cast<double>(from_.rows())));
    Hypothesis h;
    for (int k = 0; k < steps; ++k) {
      h.motion = fit_rigid_motion(from_, to_, weights);
      const VectorXd lengths = residual_lengths(h.motion);
      std::vector<double> sorted(lengths.data(), lengths.data() + lengths.size());
      std::nth_element(sorted.begin(), sorted.begin() + core, sorted.end());
      const double bound = std::max(sorted[core], 1e-12);
      weights = tukey_weights(lengths, 2 * bound);
    }
    h.weights = tukey_weights(residual_lengths(h.motion), kCutoff);
    h.score = score(h.weights);
    return h;
  }

  /// rms standard deviation of positions, in units of the noise: sqrt(tr(A^-1 M) / n), A of the weighted set,
  /// M of all vertices.
  double score(const VectorXd& weights) const {
    const Eigen::LDLT<Mat6> A(motion_information(from_, weights));
    if (A.info() != Eigen::Success || A.vectorD().minCoeff() <= 1e-9 * A.vectorD().maxCoeff())
      return std::numeric_limits<double>::infinity();
    return std::sqrt(A.solve(all_).trace() / static_cast<double>(from_.rows()));
  }

  const Positions& from_;
  const Positions& to_;
  const StableSearch& options_;
  int smoothing_;
  Mat6 all_;
};

}  // namespace

Elements nearest_neighbours(const Positions& points, int k) {
  using Tree = nanoflann::KDTreeEigenMatrixAdaptor<Positions, 3, nanoflann::metric_L2_Simple>;
  const Tree tree(3, std::cref(points));
  const int n = static_cast<int>(points.rows()), count = std::min(k, n);
  Elements neighbours(n, count);
  std::vector<Tree::IndexType> index(count);
  std::vector<double> distance(count);
  for (int i = 0; i < n; ++i) {
    tree.query(points.row(i).data(), count, index.data(), distance.data());
    for (int j = 0; j < count; ++j) neighbours(i, j) = static_cast<int>(index[j]);
  }
  return neighbours;
}

double neighbour_noise(const Positions& points, const Positions& displacement, const Elements& neighbours) {
  const int k = static_cast<int>(neighbours.cols());
  std::vector<double> variances;
  for (int i = 0; i < neighbours.rows(); ++i) {
    MatrixXd A(k, 4), b(k, 3);
    for (int j = 0; j < k; ++j) {
      A.row(j) << 1, points.row(neighbours(i, j)) - points.row(i);
      b.row(j) = displacement.row(neighbours(i, j));
    }
    const Eigen::CompleteOrthogonalDecomposition<MatrixXd> affine(A);
    const double freedom = 3.0 * static_cast<double>(k - affine.rank());
    if (freedom > 0) variances.push_back((b - A * affine.solve(b)).squaredNorm() / freedom);
  }
  require(!variances.empty(), "neighbour_noise needs more than four points");
  return std::sqrt(median(std::move(variances)));
}

Mat6 motion_information(const Positions& points, const VectorXd& weights) {
  Mat6 information = Mat6::Zero();
  for (int i = 0; i < points.rows(); ++i) {
    if (weights[i] == 0) continue;
    Eigen::Matrix<double, 3, 6> J;
    const Vec3 x = points.row(i);
    J << 0, x[2], -x[1], 1, 0, 0,  //
        -x[2], 0, x[0], 0, 1, 0,   //
        x[1], -x[0], 0, 0, 0, 1;
    information += weights[i] * J.transpose() * J;
  }
  return information;
}

VectorXd tukey_weights(const VectorXd& residual_lengths, double cutoff) {
  return (1 - (residual_lengths.array() / cutoff).square()).max(0).square();
}

VectorXd find_stable_vertices(const Positions& from, const Positions& to, const StableSearch& search) {
  Search finder(from, to, search);
  return finder.best().weights;
}

VectorXd stable_if_rigid(const Positions& from, const Positions& to, const std::vector<int>& candidates,
                         double noise) {
  constexpr int kFewest = 30;
  if (static_cast<int>(candidates.size()) < kFewest) return {};
  VectorXd weights = VectorXd::Zero(from.rows());
  for (int i : candidates) weights[i] = 1;
  const RigidMotion motion = fit_rigid_motion(from, to, weights);
  const Positions residual = to - motion.apply(from);
  double sum = 0;
  for (int i : candidates) sum += residual.row(i).squaredNorm();
  const double freedom = 3.0 * static_cast<double>(candidates.size()) - 6;
  // chi^2 with `freedom` degrees, four standard deviations, and the noise itself is only known to 15 %.
  const double bound = 1.15 * noise * std::sqrt(1 + 4 * std::sqrt(2 / freedom));
  return std::sqrt(sum / freedom) <= bound ? weights : VectorXd();
}

}  // namespace furrow
