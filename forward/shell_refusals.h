// Shell scenes that read well and mean nothing that can be computed: refused before time starts, or warned
// of.
#pragma once

#include <string>
#include <vector>

#include "forward/compiled_shell.h"
#include "forward/scene.h"
#include "forward/solve/trajectory.h"

namespace furrow {

/// Throws InputError where the fixed directions leave a rigid motion free and nothing else holds the skin: no
/// ligaments, no weight on a skull. `fixed`: one row a node of `mesh`.
void refuse_free_body(const Scene& scene, const PrismMesh& mesh, const FixedFlags& fixed);

/// Throws InputError where the mesh needs more memory than the machine has.
void refuse_too_large(const Scene& scene, const PrismMesh& mesh);

/// Throws InputError where the bone is curved so sharply within the reach of the skull's kernel that its
/// inside and its outside are not told apart.
void refuse_sharp_bone(const Scene& scene, const PrismMesh& mesh);

/// Throws InputError for a collider that is within the skin, or beneath it, when time starts.
void refuse_colliders_inside(const Scene& scene, const CompiledShell& compiled,
                             const ShellSchedule& schedule);

/// What a path and the clock disagree about: rows that are never reached, motions too fast to be felt.
std::vector<std::string> path_warnings(const Scene& scene, const CompiledShell& compiled,
                                       const ShellSchedule& schedule);

}  // namespace furrow
