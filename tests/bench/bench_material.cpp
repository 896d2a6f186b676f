// The skin's material with its tangent over 4096 random points with one Maxwell branch, against the same law
// in plain Eigen (JacobiSVD, one point at a time). Prints ratios of one run; refuses to when results differ.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <chrono>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include "forward/base/types.h"
#include "forward/material/skin.h"
#include "tests/bench/plain_skin.h"

namespace furrow::bench {
namespace {

constexpr int kPoints = 4096;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// Seconds of the fastest of several runs.
double best(const std::function<void()>& work) {
  double least = 1e300;
  for (int k = 0; k < 15; ++k) {
    const double t = now();
    work();
    least = std::min(least, now() - t);
  }
  return least;
}

constexpr PlainModuli kModuli;

struct Points {
  std::vector<Mat3> F, fv;
  std::vector<SkinPoint> packed;
  SkinModuli moduli;
};

Points random_points(double strain) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-strain, strain);
  const auto near_identity = [&] {
    Mat3 m = Mat3::Identity();
    for (double& v : m.reshaped()) v += uniform(generator);
    return m;
  };
  Points points;
  points.packed.resize(kPoints / kLanes);
  for (int n = 0; n < kPoints; ++n) {
    points.F.push_back(near_identity());
    const Mat3 fv = near_identity();
    points.fv.push_back(fv / std::cbrt(fv.determinant()));
    SkinPoint& pack = points.packed[n / kLanes];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        pack.F.m[i][j][n % kLanes] = points.F.back()(i, j);
        pack.fv[0].m[i][j][n % kLanes] = points.fv.back()(i, j);
      }
  }
  points.moduli.mu_inf = Pack{} + kModuli.mu_inf;
  points.moduli.stiffening = Pack{} + kModuli.stiffening;
  points.moduli.bulk = Pack{} + kModuli.bulk;
  points.moduli.branch[0] = Pack{} + kModuli.branch;
  points.moduli.branches = 1;
  return points;
}

/// Largest relative difference of the tangents; an error above 1e-10.
double compare(const std::vector<SkinTangent>& ours, const std::vector<PlainTangent>& plain) {
  double worst = 0;
  for (int n = 0; n < kPoints; ++n) {
    const SkinTangent& t = ours[n / kLanes];
    const int l = n % kLanes;
    double difference = std::abs(t.energy[l] - plain[n].energy) / plain[n].energy;
    for (int r = 0; r < 9; ++r) {
      difference = std::max(difference,
                            std::abs(t.P.m[r / 3][r % 3][l] - plain[n].P(r / 3, r % 3)) / plain[n].P.norm());
      for (int c = 0; c < 9; ++c)
        difference = std::max(difference,
                              std::abs(t.A[tangent_index(r, c)][l] - plain[n].A(r, c)) / plain[n].A.norm());
    }
    worst = std::max(worst, difference);
  }
  if (!(worst < 1e-10)) throw std::runtime_error(fmt::format("tangents differ by {:.1e}", worst));
  return worst;
}

void report(const char* name, double ours, double plain, double difference) {
  fmt::print("{:18} ours {:5.0f} ns a point, plain Eigen {:5.0f} ns; ratio {:4.1f}; differ by {:.0e}\n", name,
             1e9 * ours / kPoints, 1e9 * plain / kPoints, plain / ours, difference);
}

void tangents(const Points& points, bool projected) {
  std::vector<SkinTangent> ours(points.packed.size());
  std::vector<PlainTangent> plain(kPoints);
  const double t_ours = best([&] {
    for (std::size_t k = 0; k < ours.size(); ++k)
      ours[k] = skin_tangent(points.packed[k], points.moduli, projected);
  });
  const double t_plain = best([&] {
    for (int n = 0; n < kPoints; ++n) plain[n] = plain_tangent(kModuli, points.F[n], points.fv[n], projected);
  });
  report(projected ? "projected tangent" : "exact tangent", t_ours, t_plain, compare(ours, plain));
}

void stress_and_update(const Points& points) {
  std::vector<SkinStress> stress(points.packed.size());
  const double t_stress = best([&] {
    for (std::size_t k = 0; k < stress.size(); ++k) stress[k] = skin_stress(points.packed[k], points.moduli);
  });
  const Pack alpha = Pack{} + 0.6;
  std::vector<PackMat3> ours(points.packed.size());
  const double t_ours = best([&] {
    for (std::size_t k = 0; k < ours.size(); ++k)
      ours[k] = viscous_update(points.packed[k].F, points.packed[k].fv[0], alpha);
  });
  std::vector<Mat3> plain(kPoints);
  const double t_plain = best([&] {
    for (int n = 0; n < kPoints; ++n) plain[n] = plain_update(points.F[n], points.fv[n], 0.6);
  });
  double worst = 0;
  for (int n = 0; n < kPoints; ++n)
    for (int i = 0; i < 9; ++i)
      worst =
          std::max(worst, std::abs(ours[n / kLanes].m[i / 3][i % 3][n % kLanes] - plain[n](i / 3, i % 3)));
  if (!(worst < 1e-10)) throw std::runtime_error(fmt::format("updates differ by {:.1e}", worst));
  report("viscous update", t_ours, t_plain, worst);
  fmt::print("{:18} ours {:5.0f} ns a point\n", "stress", 1e9 * t_stress / kPoints);
}

void run() {
  for (const double strain : {0.02, 0.2}) {
    const Points points = random_points(strain);
    fmt::print("entries of F - I and Fv - I up to {}:\n", strain);
    tangents(points, false);
    tangents(points, true);
    stress_and_update(points);
  }
}

}  // namespace
}  // namespace furrow::bench

int main() {
  furrow::bench::run();
}
