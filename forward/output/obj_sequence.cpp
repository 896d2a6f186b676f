#include "forward/output/obj_sequence.h"

#include <algorithm>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"

namespace furrow {

std::filesystem::path sequence_file(const std::filesystem::path& folder, int index,
                                    const std::string& extension) {
  std::string digits = std::to_string(index);
  digits.insert(0, 4 - std::min<std::size_t>(4, digits.size()), '0');
  return folder / ("frame_" + digits + "." + extension);
}

std::vector<std::filesystem::path> write_surface_sequence(const std::filesystem::path& folder,
                                                          const SurfaceMesh& surface,
                                                          const std::vector<Positions>& frames,
                                                          const std::string& extension) {
  require(extension == "obj" || extension == "ply", "write_surface_sequence: the extension is obj or ply");
  for (const Positions& frame : frames)
    require(frame.rows() == surface.vertices.rows(),
            "write_surface_sequence: a frame has another number of vertices");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError(folder.string(), "the folder cannot be made (" + error.message() + "); choose another");

  std::vector<std::filesystem::path> written;
  SurfaceMesh mesh = surface;
  try {
    for (const Positions& frame : frames) {
      mesh.vertices = frame;
      const auto file = sequence_file(folder, static_cast<int>(written.size()), extension);
      write_surface(file, mesh);
      written.push_back(file);
    }
  } catch (...) {
    for (const auto& file : written) std::filesystem::remove(file, error);
    throw;
  }
  return written;
}

}  // namespace furrow
