// A whole fit of 19 clusters with the rest shape unknown, five poses, about 300k linear tetrahedra; the start
// is three times too stiff. Prints when the misfit came within 1 % of the converged one. Arguments: edge
// length [mm], order, icosphere levels.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "calibrate/head_fit.h"
#include "tests/bench/head_volume.h"

namespace furrow::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr double kSigma = 0.05;  ///< [mm]

std::vector<Vec3> fit_gravities() {
  std::vector<Vec3> g = five_gravities();
  g.back() = Vec3(0, -9810, 9810) / std::sqrt(2.0);  // the neutral itself says nothing
  return g;
}

/// The model in its neutral configuration, and noisy scans of the five poses.
HeadData synthetic_capture(double size, int order, int levels) {
  const auto truth = head_model(levels, size, order);
  const TissueTheta theta = varied_theta();
  FrozenFactor factor(*truth->compiled);
  std::vector<Vec3> gravities = fit_gravities();
  gravities.push_back(truth->scene.gravity);
  const GravityExperiment experiment(*truth->compiled, {RestMode::known, Vec3::Zero(), gravities},
                                     {.tolerance = 1e-9});
  const ExperimentSolution solution = experiment.solve(theta, {}, factor);

  HeadData data;
  data.model = std::make_shared<TetModel>(*truth);
  data.model->mesh.nodes = solution.x.back();
  data.model->scan.vertices = truth->scan_positions(solution.x.back());
  data.model->compiled = std::make_shared<CompiledScene>(
      truth->mesh.elements, solution.x.back(), truth->compiled->weights(), truth->fixed, Law::neo_hookean);
  data.model->scene.solver.tolerance = 1e-8;
  data.model->attachment = attach_surface(data.model->scan.vertices, data.model->mesh);
  std::mt19937 generator(1);
  std::normal_distribution<double> noise(0, kSigma);
  for (std::size_t p = 0; p + 1 < gravities.size(); ++p) {
    HeadPose pose;
    pose.name = std::to_string(p);
    pose.gravity = gravities[p];
    pose.sigma = kSigma;
    pose.points =
        truth->scan_positions(solution.x[p]).unaryExpr([&](double v) { return v + noise(generator); });
    for (int v = 0; v < truth->scan.vertex_count(); ++v) pose.vertices.push_back(v);
    data.poses.push_back(std::move(pose));
  }
  for (int c = 0; c < kClusters; ++c)
    data.parameters.push_back(
        {.name = "tissue.young." + std::to_string(c + 1), .start = 3 * theta.young[c], .range = {1e-4, 1.0}});
  return data;
}

void run(double size, int order, int levels) {
  const HeadData data = synthetic_capture(size, order, levels);
  fmt::print("{} nodes, {} tetrahedra of order {}, {} residuals\n", data.model->mesh.node_count(),
             data.model->mesh.element_count(), order, 3 * 5 * data.model->scan.vertex_count());
  const double start = now();
  FrozenFactor factor(*data.model->compiled);
  std::vector<int> free(kClusters), poses{0, 1, 2, 3, 4};
  VectorXd values(kClusters);
  for (int c = 0; c < kClusters; ++c) free[c] = c, values[c] = data.parameters[c].start;
  HeadProblem problem(data, factor, free, poses, values);
  problem.set_krylov_tolerance(1e-5);
  std::vector<std::pair<double, double>> history;
  const MinimizeReport report = minimize(
      problem, problem.start_coordinates(), {.function_tolerance = 1e-5}, [&](const IterationReport& it) {
        history.emplace_back(now() - start, it.cost);
        fmt::print("  {:6.1f} s  iteration {:2}  cost {:.6g}{}\n", now() - start, it.iteration, it.cost,
                   it.accepted ? "" : " (rejected)");
        std::fflush(stdout);
        return true;
      });
  double within = 0;
  for (const auto& [t, cost] : history)
    if (cost > 1.01 * report.cost)
      within = 0;
    else if (within == 0)
      within = t;
  double worst = 0;
  const VectorXd found = problem.values_at(report.p);
  for (int c = 0; c < kClusters; ++c)
    worst = std::max(worst, std::abs(std::log(found[c] / varied_theta().young[c])));
  fmt::print(
      "within 1 % of the converged misfit after {:.1f} s; converged after {:.1f} s, {} evaluations, {} "
      "factorisations; largest "
      "error of log E {:.4f}\n",
      within, history.back().first, report.evaluations, factor.refresh_count(), worst);
}

}  // namespace
}  // namespace furrow::bench

int main(int argc, char** argv) {
  furrow::bench::run(argc > 1 ? std::atof(argv[1]) : 2.55, argc > 2 ? std::atoi(argv[2]) : 1,
                     argc > 3 ? std::atoi(argv[3]) : 4);
}
