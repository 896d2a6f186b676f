// What is in a file, in words: the lines that `furrow check` prints. Everything a file names is read, so that
// what `fit` and `simulate` would refuse is refused here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "forward/base/json_file.h"
#include "forward/base/surface_mesh.h"
#include "forward/mesh/tet_mesh.h"
#include "forward/scene.h"

namespace furrow::cli {

struct Description {
  std::string kind;  ///< surface, tetrahedra, scene, project, names, table, column
  std::vector<std::string> lines;
  std::vector<std::string> warnings;
};

/// The kind follows from the extension, and from the keys of a JSON file. `unit` is that of meshes named
/// directly; a scene or project states its own. Throws InputError at the first thing that is wrong.
Description describe_file(const std::filesystem::path& file, const PathRules& rules, const std::string& unit);

Description describe_surface(const SurfaceMesh& mesh, const std::string& name, const std::string& unit);
Description describe_tets(const TetMesh& mesh);
Description describe_scene(const std::filesystem::path& file, const PathRules& rules);
Description describe_shell(const Scene& scene);  ///< of "model": "shell", read already
Description describe_project(const std::filesystem::path& file, const PathRules& rules);

}  // namespace furrow::cli
