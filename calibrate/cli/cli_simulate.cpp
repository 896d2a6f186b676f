// furrow simulate scene.json -o OUT: the equilibrium of every pose of a head, or a shell through time.
#include "calibrate/cli/command.h"
#include "calibrate/cli/interrupt.h"
#include "calibrate/simulate.h"
#include "calibrate/simulate_shell.h"
#include "forward/scene_io.h"

namespace furrow::cli {
namespace {

Outcome run_poses(const Scene& scene, const CommonOptions& common, Console& console) {
  console.progress(0, "meshing");
  const TetModel model = build_tet_model(scene);
  for (const std::string& note : model.notes) console.say("mended: {}", note);
  for (const std::string& warning : model.warnings) console.warn(warning);
  console.say("{} nodes, {} tetrahedra, {} clusters", model.mesh.node_count(), model.mesh.element_count(),
              model.layout.cluster_count());

  const Simulation simulation = simulate(model, [&](double fraction, const std::string& next) {
    console.progress(fraction, next);
    return !interrupted();
  });
  console.end_progress();
  for (const SimulatedPose& simulated : simulation.poses) {
    const Equilibrium& at = simulated.equilibrium;
    console.say("pose {}: {} iterations, residual {:.1e}, smallest J {:.3f}{}", simulated.pose.name,
                at.iterations, at.residual, at.smallest_j,
                at.failure == SolveFailure::none ? "" : ", " + describe(at.failure));
  }
  const std::filesystem::path summary = write_simulation(common.output, model, simulation);
  if (!simulation.failure.empty()) console.error("did not converge: " + simulation.failure);
  console.say("wrote {}", summary.string());
  return {
      simulation.failure.empty() ? kDone : kNotConverged,
      {{"summary", summary.string()}, {"poses", simulation.poses.size()}, {"failure", simulation.failure}}};
}

ShellSimulation run_frames(const ShellModel& model, const CommonOptions& common, Console& console) {
  const ShellProgress progress = [&](int frame, int last, const StepReport& report) {
    console.progress(static_cast<double>(frame) / last,
                     fmt::format("frame {} of {}: {} iterations, smallest J {:.3f}", frame, last,
                                 report.iterations, report.smallest_j));
    return !interrupted();
  };
  ShellSimulation simulation = simulate_shell(model, common.output, progress);
  console.end_progress();
  return simulation;
}

void report_frames(const ShellModel& model, const ShellSimulation& simulation, Console& console) {
  int iterations = 0;
  double smallest_j = 1, deepest = 0;
  std::vector<double> force(model.colliders.size(), 0.0);
  for (const ShellFrameSummary& frame : simulation.frames) {
    iterations += frame.report.iterations;
    smallest_j = std::min(smallest_j, frame.smallest_j);
    deepest = std::max(deepest, frame.penetration);
    for (std::size_t c = 0; c < force.size(); ++c) force[c] = std::max(force[c], frame.forces[c].norm());
  }
  console.say("{} frames, {} iterations, smallest J {:.3f}", simulation.frames.size(), iterations,
              smallest_j);
  for (std::size_t c = 0; c < force.size(); ++c)
    console.say("collider {}: up to {:.3g} N", model.colliders[c], force[c]);
  if (!force.empty()) console.say("deepest penetration {:.2g} mm", deepest);
  if (simulation.frames.empty()) return;
  const WrinkleStatistics& wrinkles = simulation.frames.back().wrinkles;
  console.say("last frame: wrinkles of {:.2g} mm rms, {:.2g} mm long", wrinkles.rms, wrinkles.wavelength);
}

Outcome run_shell(const Scene& scene, const CommonOptions& common, Console& console) {
  console.progress(0, "compiling");
  ShellModel model = build_shell_model(scene);
  model.schedule.solver.seed = common.seed;
  for (const std::string& warning : model.warnings) console.warn(warning);
  console.say("{} nodes, {} prisms, {} frames of {:.4g} s", model.mesh().nodes.rows(),
              model.mesh().elements.rows(), model.schedule.frames, model.schedule.dt);
  const ShellSimulation simulation = run_frames(model, common, console);
  report_frames(model, simulation, console);
  if (!simulation.failure.empty()) console.error("did not converge: " + simulation.failure);
  if (simulation.interrupted) console.warn("interrupted; what was done is written");
  console.say("wrote {}", simulation.summary.string());
  const bool done = simulation.failure.empty() && !simulation.interrupted;
  return {done ? kDone : kNotConverged,
          {{"summary", simulation.summary.string()},
           {"frames", simulation.frames.size()},
           {"interrupted", simulation.interrupted},
           {"failure", simulation.failure}}};
}

Outcome run_simulation(const std::filesystem::path& scene_file, const CommonOptions& common,
                       Console& console) {
  const Scene scene = read_scene(scene_file, common.rules());
  for (const std::string& warning : scene_warnings(scene)) console.warn(warning);
  return scene.shell ? run_shell(scene, common, console) : run_poses(scene, common, console);
}

}  // namespace

Command add_simulate(CLI::App& app) {
  Command command = make_command(app, "simulate", "compute every pose of a head, or every frame of a shell",
                                 "folder to write (default: simulation)");
  command.common->output = "simulation";
  auto file = std::make_shared<std::filesystem::path>();
  command.app->add_option("scene", *file, "scene.json")->required()->type_name("FILE");
  command.run = [file, common = command.common](Console& console) {
    return run_simulation(*file, *common, console);
  };
  return command;
}

}  // namespace furrow::cli
