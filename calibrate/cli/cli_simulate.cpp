// furrow simulate scene.json -o OUT: the equilibrium of every pose of the scene.
#include "calibrate/cli/command.h"
#include "calibrate/cli/interrupt.h"
#include "calibrate/simulate.h"
#include "forward/scene_io.h"

namespace furrow::cli {
namespace {

Outcome run_simulation(const std::filesystem::path& scene_file, const CommonOptions& common,
                       Console& console) {
  const Scene scene = read_scene(scene_file, common.rules());
  for (const std::string& warning : scene_warnings(scene)) console.warn(warning);
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

}  // namespace

Command add_simulate(CLI::App& app) {
  Command command = make_command(app, "simulate", "compute the equilibrium of every pose of a scene",
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
