// Reads a project and resolves its parameters for two clusters.
#include "calibrate/project.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/scene_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const furrow::PathRules rules = furrow::fuzz::scene_folder();
  return furrow::fuzz::run(".json", data, size, [&](const auto& file) {
    const furrow::Project project = furrow::read_project(file, rules);
    const auto parameters =
        furrow::resolve_parameters(project, {"nose", "chin"}, Eigen::Vector2d(0.002, 0.008), 0.45);
    for (const furrow::Stage& stage : project.stages)
      if (furrow::free_parameters(stage, parameters).empty() ||
          furrow::stage_observations(stage, project).empty())
        __builtin_trap();
  });
}
