// PC2 point caches: the positions of every frame in one binary file, read by Blender's Mesh Cache modifier,
// 3ds Max and Houdini.
#pragma once

#include <filesystem>
#include <vector>

#include "forward/base/types.h"

namespace furrow {

/// Little-endian: "POINTCACHE2\0", int32 version 1, int32 points, float32 first frame, float32 sample rate
/// (frames a sample), int32 samples, then float32 x y z of every point of every sample. Numbers are mm, so
/// that the cache drives an OBJ of the same export. `frames`: n x 3 each, at least one. Throws
/// std::logic_error when counts differ or a number is not finite, InputError when the file does not end in
/// .pc2 or cannot be written; nothing half-written stays behind.
void write_point_cache(const std::filesystem::path& file, const std::vector<Positions>& frames,
                       double first_frame = 0, double sample_rate = 1);

}  // namespace furrow
