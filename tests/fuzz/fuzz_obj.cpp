#include "forward/base/mesh_io.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return furrow::fuzz::run(".obj", data, size, [](const auto& file) {
    const furrow::SurfaceMesh mesh = furrow::read_surface(file, "cm", false);
    furrow::require(mesh.triangle_count() == 0 || mesh.triangles.maxCoeff() < mesh.vertex_count(),
                    "indices in range");
    furrow::require(mesh.triangle_count() == 0 || mesh.triangles.minCoeff() >= 0, "indices not negative");
  });
}
