// The part of scene_io.h that reads "model": "shell": for scene_io.cpp only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "forward/base/json_file.h"
#include "forward/scene.h"

namespace furrow {

/// mesh, layers, volumetric, ligaments, skull, colliders and time. Throws InputError with file and key path.
ShellScene read_shell(const JsonNode& root);

// its parts
ShellMeshOptions read_shell_mesh(const JsonNode& node, const std::vector<LayerOptions>& layers);
/// From the outer surface inwards; whether their thicknesses fit is for read_shell to see.
std::vector<LayerOptions> read_layers(const JsonNode& node);
LigamentOptions read_ligaments(const JsonNode& node, bool mesh_file);
SkullOptions read_skull(const JsonNode& node);
std::vector<ColliderOptions> read_colliders(const JsonNode& node);
TimeOptions read_time(const JsonNode& node);

/// Fails where the skin could float away: no boundary, no ligaments, no file that may fix nodes, and no
/// weight on a skull.
void check_shell_scene(const JsonNode& root, const Scene& scene);

/// Poisson's ratios so near to 0.5 that digits are lost.
std::vector<std::string> shell_warnings(const Scene& scene);

using KeyLists = std::map<std::string, std::vector<std::string>>;
KeyLists shell_keys();        ///< of what read_shell reads, by object
KeyLists shell_force_keys();  ///< the ligaments', skull's and colliders' part of them

}  // namespace furrow
