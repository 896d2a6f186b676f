#include <cstdint>
#include <string>

#include "forward/base/error.h"
#include "forward/mesh/tet_mesh_readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const furrow::TetMesh mesh = furrow::parse_msh(text, "fuzz.msh");
    furrow::require(mesh.element_count() > 0, "a mesh has elements");
    furrow::require(mesh.elements.minCoeff() >= 0 && mesh.elements.maxCoeff() < mesh.node_count(),
                    "indices in range");
    furrow::require(furrow::measure_quality(mesh).smallest_volume > 0, "positive volumes");
  } catch (const furrow::InputError&) {
  }
  return 0;
}
