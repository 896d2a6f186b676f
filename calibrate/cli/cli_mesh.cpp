// furrow mesh scene.json -o OUT: builds the simulation mesh only and prints its quality.
#include "calibrate/cli/command.h"
#include "calibrate/cli/describe.h"
#include "forward/mesh/tet_mesh_io.h"
#include "forward/scene_io.h"
#include "forward/tet_model.h"

namespace furrow::cli {
namespace {

/// `-o` names the file, or the folder in which mesh.vtu is written.
std::filesystem::path mesh_file(const std::filesystem::path& output) {
  if (output.extension() == ".vtu") return output;
  return output / "mesh.vtu";
}

/// The strongest cluster of each element, as a label.
std::vector<int> labels_of(const TetModel& model) {
  const SparseRows& weights = model.compiled->weights();
  std::vector<int> labels;
  for (int e = 0; e < weights.rows(); ++e) {
    double best = -1;
    int cluster = 0;
    for (SparseRows::InnerIterator w(weights, e); w; ++w)
      if (w.value() > best) best = w.value(), cluster = static_cast<int>(w.col());
    labels.push_back(model.layout.labels[cluster]);
  }
  return labels;
}

Outcome build(const std::filesystem::path& scene_file, const CommonOptions& common, Console& console) {
  const Scene scene = read_scene(scene_file, common.rules());
  for (const std::string& warning : scene_warnings(scene)) console.warn(warning);
  const TetModel model = build_tet_model(scene);
  for (const std::string& note : model.notes) console.say("mended: {}", note);
  for (const std::string& warning : model.warnings) console.warn(warning);

  TetMesh mesh = model.mesh;
  mesh.label = labels_of(model);
  const Description description = describe_tets(mesh);
  for (const std::string& line : description.lines) console.print(line);
  for (const std::string& warning : description.warnings) console.warn(warning);
  console.say("scan vertices lie at most {:.3g} mm off the mesh", model.attachment.largest_offset());

  const std::filesystem::path file = mesh_file(common.output);
  if (!file.parent_path().empty()) std::filesystem::create_directories(file.parent_path());
  write_tet_mesh(file, mesh);
  console.say("wrote {}", file.string());
  const TetQuality quality = measure_quality(mesh);
  return {kDone,
          {{"mesh", file.string()},
           {"nodes", mesh.node_count()},
           {"elements", mesh.element_count()},
           {"order", mesh.order},
           {"smallest_dihedral_deg", quality.smallest_dihedral_deg},
           {"smallest_jacobian", quality.smallest_jacobian},
           {"volume_mm3", quality.total_volume}}};
}

}  // namespace

Command add_mesh(CLI::App& app) {
  Command command = make_command(app, "mesh", "build the simulation mesh and print its quality",
                                 "file (.vtu) or folder to write");
  command.common->output = ".";
  auto file = std::make_shared<std::filesystem::path>();
  command.app->add_option("scene", *file, "scene.json")->required()->type_name("FILE");
  command.run = [file, common = command.common](Console& console) { return build(*file, *common, console); };
  return command;
}

}  // namespace furrow::cli
