// One surface file a frame, for programs that read mesh sequences: FOLDER/frame_0000.obj, frame_0001.obj, ...
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "forward/base/surface_mesh.h"

namespace furrow {

/// FOLDER/frame_0007.obj for index 7; more digits only past 9999. `extension` is "obj" or "ply".
std::filesystem::path sequence_file(const std::filesystem::path& folder, int index,
                                    const std::string& extension);

/// Writes every frame (n x 3 each [mm]) with the triangles, groups and colours of `surface`, makes the folder
/// when it is missing, and returns the files. When a frame cannot be written, those that this call wrote are
/// removed again and the InputError goes on. Throws std::logic_error when a frame has another number of
/// vertices.
std::vector<std::filesystem::path> write_surface_sequence(const std::filesystem::path& folder,
                                                          const SurfaceMesh& surface,
                                                          const std::vector<Positions>& frames,
                                                          const std::string& extension = "obj");

}  // namespace furrow
