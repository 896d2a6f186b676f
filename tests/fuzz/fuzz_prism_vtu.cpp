#include <cstdint>
#include <string>

#include "forward/base/error.h"
#include "forward/mesh/prism_mesh_io.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const furrow::PrismMesh mesh = furrow::parse_prism_mesh(text, "fuzz.vtu", 1, {});
    furrow::require(mesh.elements.rows() > 0, "a mesh has elements");
    furrow::require(mesh.elements.minCoeff() >= 0 && mesh.elements.maxCoeff() < mesh.nodes.rows(),
                    "indices in range");
    furrow::require(mesh.inner_faces.rows() == mesh.outer_faces.rows(), "every stack has two ends");
    furrow::require(furrow::volume(mesh) > 0, "positive volume");
    const furrow::PrismMesh again =
        furrow::parse_prism_mesh(furrow::format_prism_mesh(mesh), "again.vtu", 1, {});
    furrow::require(again.nodes == mesh.nodes && again.elements == mesh.elements, "reads back the same");
  } catch (const furrow::InputError&) {
  }
  return 0;
}
