// Five poses with their gradient on a head of about 300k linear tetrahedra, against Newton with a
// factorisation every iteration; and assembly against plain Eigen. Prints ratios of one run. Argument: edge
// length [mm], order, icosphere levels.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>

#include "inverse/gravity_experiment.h"
#include "tests/bench/head_volume.h"
#include "tests/bench/plain_eigen.h"

namespace furrow::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024.0;
}

constexpr EquilibriumOptions kOptions{.tolerance = 1e-8};

struct Timed {
  double forward = 0, gradient = 0;
  VectorXd theta_bar;
  std::vector<Positions> x;
  int iterations = 0;
  double total() const { return forward + gradient; }
};

std::vector<int> all_clusters() {
  std::vector<int> which(kClusters);
  for (int c = 0; c < kClusters; ++c) which[c] = c;
  return which;
}

/// dJ/dx = the displacement itself: any smooth bar will do.
std::vector<VectorXd> bars_of(const CompiledScene& scene, const std::vector<Positions>& x) {
  std::vector<VectorXd> bars;
  for (const Positions& p : x) bars.push_back(scene.dofs().gather(p - scene.reference()));
  return bars;
}

Timed run_ours(const GravityExperiment& experiment, const TissueTheta& theta, const ExperimentStart& start,
               FrozenFactor& factor) {
  Timed timed;
  double t = now();
  const ExperimentSolution solution = experiment.solve(theta, start, factor);
  if (!solution.ok) fmt::print("  no equilibrium: {}\n", solution.failure);
  timed.forward = now() - t;
  t = now();
  timed.theta_bar = experiment
                        .pullback(solution, experiment.gravity_case().gravities,
                                  bars_of(experiment.scene(), solution.x), all_clusters(), factor)
                        .theta;
  timed.gradient = now() - t;
  timed.x = solution.x;
  timed.iterations = solution.iterations;
  return timed;
}

/// Newton, refactored every iteration; the last factor serves the adjoint.
Timed run_reference(const CompiledScene& scene, const TissueTheta& theta, const std::vector<Vec3>& gravities,
                    const std::vector<Positions>& starts, CholmodSolver& solver) {
  Timed timed;
  timed.theta_bar = VectorXd::Zero(scene.theta_size());
  for (std::size_t p = 0; p < gravities.size(); ++p) {
    double t = now();
    const Equilibrium pose =
        solve_newton(scene, theta, scene.reference(), gravities[p], starts[p], solver, kOptions);
    timed.forward += now() - t;
    timed.iterations += pose.iterations;
    t = now();
    const VectorXd lambda = solver.solve(bars_of(scene, {pose.x})[0]).col(0);
    timed.theta_bar -= scene.residual_by_theta_transposed(scene.reference(), pose.x, theta, gravities[p],
                                                          scene.dofs().spread(lambda));
    timed.gradient += now() - t;
    timed.x.push_back(pose.x);
  }
  return timed;
}

void report(const char* name, const Timed& ours, double preparation, const Timed& reference,
            double reference_preparation) {
  fmt::print(
      "{:5} ours {:.2f} s (prepare {:.2f}, forward {:.2f} in {} pose iterations, gradient {:.2f}); reference "
      "{:.2f} s (forward "
      "{:.2f} in {} factorisations, gradient {:.2f}); ratio {:.1f}; gradients differ by {:.1e}\n",
      name, ours.total() + preparation, preparation, ours.forward, ours.iterations, ours.gradient,
      reference.total() + reference_preparation, reference.forward, reference.iterations, reference.gradient,
      (reference.total() + reference_preparation) / (ours.total() + preparation),
      (ours.theta_bar - reference.theta_bar).head(kClusters).norm() /
          reference.theta_bar.head(kClusters).norm());
}

void assembly(const CompiledScene& scene, const Positions& x, const TissueTheta& theta) {
  const ElementModuli moduli = scene.moduli(theta);
  const Positions& X = scene.reference();
  std::vector<double> values;
  auto best = [](const std::function<void()>& work) {
    double least = 1e300;
    for (int k = 0; k < 5; ++k) {
      const double t = now();
      work();
      least = std::min(least, now() - t);
    }
    return least;
  };
  const double gradient = best([&] { scene.elastic().evaluate(X, x, moduli, true); });
  const double hessian =
      best([&] { scene.elastic().hessian(X, x, moduli, scene.dofs(), scene.symmetric_pattern(), values); });
  fmt::print("assembly: gradient {:.1f} ms, Hessian {:.1f} ms", 1e3 * gradient, 1e3 * hessian);
  if (scene.elements().cols() == 4) {
    const double plain_g = best([&] { plain_gradient(scene, X, x, moduli); });
    const double plain_h = best([&] { plain_hessian(scene, X, x, moduli); });
    const Eigen::SparseMatrix<double> H = plain_hessian(scene, X, x, moduli);
    double difference = 0, size = 0;
    for (int j = 0; j < H.outerSize(); ++j)
      for (int k = scene.symmetric_pattern().column_start[j];
           k < scene.symmetric_pattern().column_start[j + 1]; ++k) {
        difference = std::max(difference, std::abs(values[k] - H.coeff(scene.symmetric_pattern().row[k], j)));
        size = std::max(size, std::abs(values[k]));
      }
    fmt::print("; plain Eigen {:.1f} and {:.1f} ms; ratios {:.1f} and {:.1f}; Hessians differ by {:.1e}",
               1e3 * plain_g, 1e3 * plain_h, plain_g / gradient, plain_h / hessian, difference / size);
  }
  fmt::print("\n");
}

void run(double size, int order, int levels) {
  const auto model = head_model(levels, size, order);
  const CompiledScene& scene = *model->compiled;
  fmt::print("{} nodes, {} tetrahedra of order {}, {} free dofs; {}\n", scene.node_count(),
             scene.element_count(), order, scene.dofs().free_count, blas_description());
  const TissueTheta theta = varied_theta();
  TissueTheta moved = theta;
  for (int c = 0; c < kClusters; ++c) moved.young[c] *= c % 2 ? 1.1 : 0.9;
  GravityExperiment experiment(scene, {RestMode::known, Vec3::Zero(), five_gravities()}, kOptions);
  experiment.krylov.tolerance = 1e-5;

  Timed cold, warm;
  double preparation;
  {
    double t = now();
    FrozenFactor factor(scene);
    factor.refresh(theta);
    preparation = now() - t;
    fmt::print("factor: {:.0f} MB, {:.0f} Gflop\n", factor.solver().factor_megabytes(),
               factor.solver().factor_gigaflops());
    cold = run_ours(experiment, theta, {}, factor);
    warm = run_ours(experiment, moved, {factor.theta(), scene.reference(), cold.x}, factor);
  }
  fmt::print("peak memory {:.0f} MB\n", peak_mb());
  assembly(scene, cold.x[0], theta);
  if (order == 1 || std::getenv("FURROW_BENCH_REFERENCE")) {
    const double t = now();
    CholmodSolver solver(scene.symmetric_pattern(), scene.dofs());
    const double reference_preparation = now() - t;
    const std::vector<Positions> starts(5, scene.reference());
    const Timed reference = run_reference(scene, theta, five_gravities(), starts, solver);
    report("cold", cold, preparation, reference, reference_preparation);
    report("warm", warm, 0, run_reference(scene, moved, five_gravities(), cold.x, solver), 0);
  } else {
    fmt::print("cold {:.2f} s (prepare {:.2f}, forward {:.2f}, gradient {:.2f}), warm {:.2f} s\n",
               cold.total() + preparation, preparation, cold.forward, cold.gradient, warm.total());
  }
}

}  // namespace
}  // namespace furrow::bench

int main(int argc, char** argv) {
  furrow::bench::run(argc > 1 ? std::atof(argv[1]) : 2.55, argc > 2 ? std::atoi(argv[2]) : 1,
                     argc > 3 ? std::atoi(argv[3]) : 4);
}
