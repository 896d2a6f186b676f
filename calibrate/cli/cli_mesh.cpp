// furrow mesh scene.json -o OUT: builds the simulation mesh only and prints its quality.
#include "calibrate/cli/command.h"
#include "calibrate/cli/describe.h"
#include "calibrate/cli/describe_prisms.h"
#include "forward/base/error.h"
#include "forward/mesh/mesh_rules.h"
#include "forward/mesh/prism_mesh_io.h"
#include "forward/mesh/tet_mesh_io.h"
#include "forward/scene_io.h"
#include "forward/shell_model.h"
#include "forward/tet_model.h"

namespace furrow::cli {
namespace {

/// `-o` names the file, or the folder in which mesh.vtu is written; the folder is made. A mesh that the scene
/// reads is not written over.
std::filesystem::path mesh_file(const std::filesystem::path& output, const Scene& scene) {
  const std::filesystem::path file =
      (output.extension() == ".vtu" ? output : output / "mesh.vtu").lexically_normal();
  const auto is_it = [&](const std::filesystem::path& input) {
    return !input.empty() && std::filesystem::exists(file) && std::filesystem::equivalent(file, input);
  };
  if (is_it(scene.rest_file) || (scene.shell && is_it(scene.shell->mesh.file)) ||
      (scene.tet.ready_made && is_it(scene.tet.ready_made->file)))
    throw InputError(file.string(), "is a mesh that the scene reads; name another file with -o");
  if (!file.parent_path().empty()) std::filesystem::create_directories(file.parent_path());
  return file;
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

Outcome build_tets(const Scene& scene, const CommonOptions& common, Console& console) {
  const TetModel model = build_tet_model(scene);
  for (const std::string& note : model.notes) console.say("mended: {}", note);
  for (const std::string& warning : model.warnings) console.warn(warning);

  TetMesh mesh = model.mesh;
  mesh.label = labels_of(model);
  const Description description = describe_tets(mesh);
  for (const std::string& line : description.lines) console.print(line);
  for (const std::string& warning : description.warnings) console.warn(warning);
  console.say("scan vertices lie at most {:.3g} mm off the mesh", model.attachment.largest_offset());

  const std::filesystem::path file = mesh_file(common.output, scene);
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

int quadrature_points(const PrismMesh& mesh, RuleKind kind) {
  const MeshRules rules = mesh_rules(mesh, kind);
  int points = 0;
  for (const int rule : rules.rule_of_element) points += static_cast<int>(rules.rules[rule].weights.size());
  return points;
}

Outcome build_prisms(const Scene& scene, const CommonOptions& common, Console& console) {
  const PrismMesh mesh = build_shell_mesh(scene);
  const Description description = describe_prisms(mesh);
  for (const std::string& line : description.lines) console.print(line);
  for (const std::string& warning : description.warnings) console.warn(warning);
  const int points = quadrature_points(mesh, scene.shell->mesh.rule);
  console.say("{} quadrature points", points);

  const std::filesystem::path file = mesh_file(common.output, scene);
  write_prism_mesh(file, mesh);
  console.say("wrote {}", file.string());
  const PrismQuality quality = measure_quality(mesh);
  return {kDone,
          {{"mesh", file.string()},
           {"nodes", mesh.nodes.rows()},
           {"elements", mesh.elements.rows()},
           {"order", {mesh.order.in_plane, mesh.order.thickness}},
           {"through_thickness", quality.through},
           {"quadrature_points", points},
           {"smallest_jacobian_ratio", quality.smallest_ratio},
           {"shortest_edge_mm", quality.shortest_edge},
           {"mean_edge_mm", quality.mean_edge},
           {"longest_edge_mm", quality.longest_edge},
           {"volume_mm3", quality.volume}}};
}

Outcome build(const std::filesystem::path& scene_file, const CommonOptions& common, Console& console) {
  const Scene scene = read_scene(scene_file, common.rules());
  for (const std::string& warning : scene_warnings(scene)) console.warn(warning);
  return scene.shell ? build_prisms(scene, common, console) : build_tets(scene, common, console);
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
