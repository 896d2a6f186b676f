#include "capture/stable_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <nanoflann.hpp>
#include <random>

#include "forward/base/error.h"

namespace furrow {
namespace {

constexpr double kCutoff = 4.5;  ///< Tukey's c, in standard deviations of a coordinate
constexpr double kCoreShare =
    0.05;  ///< of the vertices must agree for a hypothesis to be concentrated on them
constexpr int kSearchVertices = 1500;  ///< the search looks at this many at most, refinement at all
constexpr int kRefined = 10;           ///< hypotheses that are refined to the end
constexpr double kNever = std::numeric_limits<double>::infinity();

struct Points {
  Positions from, to;
  VectorXd deviation;  ///< standard deviation per coordinate of `to` [mm]
};

struct Hypothesis {
  RigidMotion motion;
  VectorXd weights;
  double score = kNever;
};

bool better(const Hypothesis& a, const Hypothesis& b) {
  return a.score < b.score;
}

Points select(const Positions& from, const LocalFit& to, double noise, const std::vector<int>& rows) {
  return {from(rows, Eigen::all), to.smoothed(rows, Eigen::all),
          noise * VectorXd(to.leverage(rows).cwiseSqrt())};
}

/// (1 - (r/c)^2)^2, zero beyond c.
VectorXd tukey_weights(const VectorXd& residuals, double cutoff) {
  return (1 - (residuals.array() / cutoff).square()).max(0).square();
}

/// Length of the misfit over its standard deviation per coordinate.
VectorXd residuals(const Points& points, const RigidMotion& motion) {
  return (points.to - motion.apply(points.from)).rowwise().norm().cwiseQuotient(points.deviation);
}

/// Least squares motion with weights w_i over the variance of point i.
RigidMotion fit(const Points& points, const VectorXd& weights) {
  return fit_rigid_motion(points.from, points.to, weights.cwiseQuotient(points.deviation.cwiseAbs2()));
}

/// sqrt(tr(A^-1 M) / n): A information of the weighted set, M = sum of J'J of all points; [mm].
double score(const Points& points, const VectorXd& weights) {
  const Eigen::LDLT<Mat6> A(
      motion_information(points.from, weights.cwiseQuotient(points.deviation.cwiseAbs2())));
  if (A.info() != Eigen::Success || A.vectorD().minCoeff() <= 1e-9 * A.vectorD().maxCoeff()) return kNever;
  const Mat6 all = motion_information(points.from, VectorXd::Ones(points.from.rows()));
  return std::sqrt(A.solve(all).trace() / static_cast<double>(points.from.rows()));
}

/// Three points, far apart.
VectorXd random_start(const Points& points, double apart, std::mt19937& generator) {
  const auto n = static_cast<unsigned>(points.from.rows());
  std::array<int, 3> corner{};
  for (int attempt = 0; attempt < 100; ++attempt) {
    for (int& c : corner) c = static_cast<int>(generator() % n);
    auto far = [&](int a, int b) {
      return (points.from.row(corner[a]) - points.from.row(corner[b])).norm() > apart;
    };
    if (far(0, 1) && far(1, 2) && far(0, 2)) break;
  }
  VectorXd weights = VectorXd::Zero(n);
  for (int c : corner) weights[c] += 1;
  return weights;
}

/// Concentration steps of least trimmed squares: refit, and keep the core that fits best.
Hypothesis concentrate(const Points& points, VectorXd weights, int steps) {
  const auto n = points.from.rows();
  const auto core =
      std::min<long>(n - 1, std::max<long>(20, static_cast<long>(kCoreShare * static_cast<double>(n))));
  Hypothesis h;
  for (int k = 0; k < steps; ++k) {
    h.motion = fit(points, weights);
    const VectorXd r = residuals(points, h.motion);
    std::vector<double> sorted(r.data(), r.data() + n);
    std::nth_element(sorted.begin(), sorted.begin() + core, sorted.end());
    weights = (r.array() <= std::max(sorted[core], 1e-9)).cast<double>();
  }
  h.weights = tukey_weights(residuals(points, h.motion), kCutoff);
  h.score = score(points, h.weights);
  return h;
}

/// Iteratively reweighted least squares; a score of infinity when too few points are left.
Hypothesis refine(const Points& points, RigidMotion motion) {
  Hypothesis h{motion, VectorXd::Zero(points.from.rows())};
  for (int k = 0; k < 50; ++k) {
    const VectorXd weights = tukey_weights(residuals(points, h.motion), kCutoff);
    if (weights.sum() < 10) return {};
    h.motion = fit(points, weights);
    const double change = (h.weights - weights).cwiseAbs().maxCoeff();
    h.weights = weights;
    if (change < 1e-4) break;
  }
  h.score = score(points, h.weights);
  return h;
}

std::vector<int> thin_out(const std::vector<int>& rows, int most) {
  const auto stride = (rows.size() + most - 1) / most;
  std::vector<int> kept;
  for (std::size_t i = 0; i < rows.size(); i += stride) kept.push_back(rows[i]);
  return kept;
}

std::vector<Hypothesis> search_coarsely(const Points& points, const StableSearch& search) {
  std::mt19937 generator(search.seed);
  const double spread =
      std::sqrt((points.from.rowwise() - points.from.colwise().mean()).rowwise().squaredNorm().mean());
  std::vector<Hypothesis> best;
  for (int k = 0; k < search.subsets; ++k) {
    best.push_back(concentrate(points, random_start(points, 0.7 * spread, generator), 4));
    std::sort(best.begin(), best.end(), better);
    if (static_cast<int>(best.size()) > kRefined) best.pop_back();
  }
  return best;
}

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

LocalFit fit_locally(const Positions& points, const Positions& values, const Elements& neighbours) {
  const auto n = points.rows();
  const int k = static_cast<int>(neighbours.cols());
  require(k > 4, "fit_locally needs more than four points");
  LocalFit result{Positions(n, 3), VectorXd(n)};
  std::vector<double> variances(n);
  for (int i = 0; i < n; ++i) {
    MatrixXd A(k, 4), b(k, 3);
    for (int j = 0; j < k; ++j) {
      A.row(j) << 1, points.row(neighbours(i, j)) - points.row(i);
      b.row(j) = values.row(neighbours(i, j));
    }
    // The value at the point itself is the intercept: row 0 of A^+ b, with variance |row 0 of A^+|^2.
    const Eigen::CompleteOrthogonalDecomposition<MatrixXd> affine(A);
    const MatrixXd inverse = affine.pseudoInverse();
    const MatrixXd coefficients = inverse * b;
    result.smoothed.row(i) = coefficients.row(0);
    result.leverage[i] = inverse.row(0).squaredNorm();
    variances[i] = (b - A * coefficients).squaredNorm() / (3.0 * static_cast<double>(k - affine.rank()));
  }
  std::nth_element(variances.begin(), variances.begin() + n / 2, variances.end());
  result.noise = std::sqrt(variances[n / 2]);
  return result;
}

Mat6 motion_information(const Positions& points, const VectorXd& weights) {
  // sum w J'J = [sum w (|x|^2 I - x x'), sum w [x]x; its transpose, sum w I].
  const double total = weights.sum();
  const Vec3 first = points.transpose() * weights;
  const Mat3 second = points.transpose() * Positions(points.array().colwise() * weights.array());
  Mat3 cross;
  cross << 0, -first[2], first[1], first[2], 0, -first[0], -first[1], first[0], 0;
  Mat6 information;
  information << second.trace() * Mat3::Identity() - second, cross, cross.transpose(),
      total * Mat3::Identity();
  return information;
}

VectorXd find_stable_vertices(const Positions& from, const LocalFit& to, double noise,
                              const std::vector<int>& candidates, const StableSearch& search) {
  const Points all = select(from, to, noise, candidates);
  Hypothesis best;
  for (const Hypothesis& h :
       search_coarsely(select(from, to, noise, thin_out(candidates, kSearchVertices)), search)) {
    Hypothesis refined = refine(all, h.motion);
    if (better(refined, best)) best = std::move(refined);
  }
  VectorXd weights = VectorXd::Zero(from.rows());
  if (best.score < kNever) weights(candidates) = best.weights;
  return weights;
}

VectorXd stable_if_rigid(const Positions& from, const Positions& to, const std::vector<int>& candidates,
                         double noise) {
  constexpr std::size_t kFewest = 20;
  if (candidates.size() < kFewest) return {};
  VectorXd weights = VectorXd::Zero(from.rows());
  weights(candidates).setOnes();
  const Positions residual = to - fit_rigid_motion(from, to, weights).apply(from);
  const double freedom = 3.0 * static_cast<double>(candidates.size()) - 6;
  const double deviation = std::sqrt(residual(candidates, Eigen::all).squaredNorm() / freedom);
  // chi^2 with `freedom` degrees to four standard deviations; the noise itself is known to about 15 %.
  const bool agrees = deviation <= 1.15 * noise * std::sqrt(1 + 4 * std::sqrt(2 / freedom));
  return agrees ? weights : VectorXd();
}

}  // namespace furrow
