// The ligament field b of a shell scene, one value an inner node.
#pragma once

#include <string>
#include <vector>

#include "forward/mesh/prism_mesh.h"
#include "forward/scene.h"

namespace furrow {

struct LigamentFieldValues {
  VectorXd b;                         ///< per inner node [1/mm]
  std::vector<std::string> clusters;  ///< of a clustered field
  std::vector<int> labels;            ///< cluster per inner node
};

/// Throws InputError: counts that differ, an index out of range, a cluster without a value, negative values.
LigamentFieldValues ligament_field(const Scene& scene, const PrismMesh& mesh);

}  // namespace furrow
