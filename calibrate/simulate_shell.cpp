#include "calibrate/simulate_shell.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "forward/base/json_file.h"
#include "forward/base/mesh_io.h"
#include "forward/base/text_file.h"
#include "forward/mesh/prism_mesh_io.h"
#include "forward/output/gltf.h"
#include "forward/output/point_cache.h"

namespace furrow {
namespace fs = std::filesystem;
namespace {

constexpr int kMostShapes = 120;  ///< morph targets that viewers still play

/// Removes what an earlier run left: its frames may be more than this one's.
void clear_folder(const fs::path& folder) {
  for (const char* file : {"summary.json", "forces.csv", "animation.glb", "animation.pc2", "frames.pvd"})
    fs::remove(folder / file);
  for (const auto& [sub, extension] : {std::pair{"frames", ".vtu"}, {"surface", ".obj"}}) {
    fs::create_directories(folder / sub);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / sub)) {
      const std::string stem = entry.path().stem().string();
      const bool number =
          std::all_of(stem.begin(), stem.end(), [](unsigned char c) { return std::isdigit(c); });
      if (number && stem.size() >= 4 && entry.path().extension() == extension) fs::remove(entry.path());
    }
  }
}

/// The mesh with what the scene says of its nodes: `fixed` where all three directions are held, and b.
PrismMesh mesh_to_show(const ShellModel& model) {
  PrismMesh mesh = model.mesh();
  const std::vector<int>& dof = model.compiled->dofs().dof;
  mesh.fixed.resize(mesh.nodes.rows());
  for (std::size_t i = 0; i < mesh.fixed.size(); ++i)
    mesh.fixed[i] = dof[3 * i] < 0 && dof[3 * i + 1] < 0 && dof[3 * i + 2] < 0;
  if (model.theta.ligament_b.size() > 0) {
    mesh.ligament_b = VectorXd::Zero(mesh.nodes.rows());
    const std::vector<int> inner = mesh.inner_nodes();
    for (std::size_t k = 0; k < inner.size(); ++k) mesh.ligament_b[inner[k]] = model.theta.ligament_b[k];
  }
  return mesh;
}

/// Frames that become morph targets: after frame 0 every n-th one, and the last.
std::vector<std::size_t> shapes_shown(std::size_t frames) {
  const std::size_t last = frames - 1,
                    step = std::max<std::size_t>(1, (last + kMostShapes - 1) / kMostShapes);
  std::vector<std::size_t> shown;
  for (std::size_t k = step; k < last; k += step) shown.push_back(k);
  if (last > 0) shown.push_back(last);
  return shown;
}

/// Files of a frame, written as soon as it is there.
class FrameWriter {
 public:
  FrameWriter(const ShellModel& model, fs::path folder)
      : mesh_(mesh_to_show(model)), surface_(outer_surface(model)), folder_(std::move(folder)) {
    clear_folder(folder_);
  }

  void write(const ShellFrame& frame) {
    const std::string name = fmt::format("{:04}", times_.size());
    write_prism_mesh(folder_ / "frames" / (name + ".vtu"), mesh_, &frame.state->x);
    surface_.vertices = outer_positions(mesh_, frame.state->x);
    write_surface(folder_ / "surface" / (name + ".obj"), surface_);
    outer_.push_back(surface_.vertices);
    times_.push_back(frame.time);
    collection_ +=
        fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"frames/{}.vtu\"/>\n", frame.time, name);
    write_text_atomically(
        folder_ / "frames.pvd",
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n" +
            collection_ + "  </Collection>\n</VTKFile>\n");
  }

  /// animation.glb and animation.pc2 of what is there.
  void write_animations(const std::string& name) const {
    if (outer_.empty()) return;
    write_point_cache(folder_ / "animation.pc2", outer_);
    GltfScene gltf;
    gltf.name = name;
    gltf.mesh = surface_;
    gltf.mesh.vertices = outer_[0];
    gltf.frame = "scene";
    for (const std::size_t k : shapes_shown(outer_.size())) {
      gltf.poses.push_back({fmt::format("{:04}", k), outer_[k]});
      gltf.times.push_back(times_[k]);
    }
    write_gltf(folder_ / "animation.glb", gltf);
  }

  int count() const { return static_cast<int>(times_.size()); }

 private:
  PrismMesh mesh_;
  SurfaceMesh surface_;
  fs::path folder_;
  std::string collection_;
  std::vector<Positions> outer_;
  std::vector<double> times_;
};

nlohmann::ordered_json summary_of(const ShellModel& model, const ShellSimulation& simulation, double cutoff) {
  const std::string status = !simulation.failure.empty() ? "not_converged"
                             : simulation.interrupted    ? "interrupted"
                                                         : "converged";
  nlohmann::ordered_json summary{{"furrow", 1},
                                 {"unit", "mm"},
                                 {"frame", "scene"},
                                 {"status", status},
                                 {"failure", simulation.failure},
                                 {"nodes", model.mesh().nodes.rows()},
                                 {"elements", model.mesh().elements.rows()},
                                 {"quadrature_points", model.compiled->elastic().point_count()},
                                 {"outer_vertices", model.mesh().outer_nodes().size()},
                                 {"frames_asked", model.schedule.frames + 1},
                                 {"wrinkle_cutoff_mm", cutoff},
                                 {"frames", nlohmann::ordered_json::array()}};
  for (const ShellFrameSummary& frame : simulation.frames) {
    nlohmann::ordered_json entry{{"frame", summary["frames"].size()}};
    entry.update(to_json(model, frame));
    summary["frames"].push_back(entry);
  }
  return summary;
}

}  // namespace

ShellSimulation simulate_shell(const ShellModel& model, const fs::path& folder,
                               const ShellProgress& progress) {
  ShellSimulation simulation;
  FrameWriter writer(model, folder);
  const WrinkleFilter filter = wrinkle_filter(model);
  ShellSchedule schedule = model.schedule;
  schedule.keep_tape = false;
  const Trajectory trajectory =
      simulate(*model.compiled, model.theta, schedule, [&](const ShellFrame& frame) {
        writer.write(frame);
        simulation.frames.push_back(summarise(model, frame, filter));
        if (!model.colliders.empty())
          write_text_atomically(folder / "forces.csv", forces_csv(model, simulation.frames));
        simulation.interrupted = !progress(writer.count() - 1, model.schedule.frames, frame.report) &&
                                 writer.count() <= model.schedule.frames;
        return !simulation.interrupted;
      });
  if (trajectory.failure != StepFailure::none)
    simulation.failure = fmt::format("frame {}, the step to {:.6g} s: {}", writer.count(),
                                     trajectory.failed_at, describe(trajectory.failure));
  writer.write_animations(model.scene.file.stem().string());
  simulation.summary = folder / "summary.json";
  write_json(simulation.summary, summary_of(model, simulation, filter.cutoff()));
  return simulation;
}

}  // namespace furrow
