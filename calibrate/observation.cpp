#include "calibrate/observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "forward/base/error.h"
#include "forward/base/mesh_io.h"

namespace furrow {
namespace {

void check_against_scan(const MeshObservation& observation, const SurfaceMesh& scan) {
  const ObservationSource& source = observation.source;
  if (observation.points.rows() != scan.vertices.rows())
    throw InputError(
        source.where + ".mesh",
        fmt::format(
            "{} has {} vertices and the scene's surface has {}; poses must share the scan's vertices in the "
            "same order",
            source.mesh.file.string(), observation.points.rows(), scan.vertices.rows()));
  const double ratio = diagonal(observation.points) / diagonal(scan.vertices);
  if (!(ratio < 3 && ratio > 1.0 / 3))
    throw InputError(
        source.where + ".mesh",
        fmt::format("{} is {:.3g} times as large as the scene's surface; check \"unit\" (now {})",
                    source.mesh.file.string(), ratio, source.mesh.unit));
  // a head at rest moves by millimetres between poses
  const double moved = (observation.points - scan.vertices).norm() / std::sqrt(scan.vertices.rows());
  if (source.frame == Frame::head && moved > 0.15 * diagonal(scan.vertices))
    throw InputError(
        source.where + ".mesh",
        fmt::format("{}: its vertices lie {:.3g} mm (rms) from those of the scene's surface; either they "
                    "do not correspond, or the scan is in the scanner's frame (\"frame\": \"world\")",
                    source.mesh.file.string(), moved));
}

std::vector<bool> read_selection(const std::filesystem::path& file, int count, const std::string& where) {
  std::vector<bool> mask = read_mask(file, count);
  if (std::count(mask.begin(), mask.end(), true) < 3)
    throw InputError(
        where,
        file.string() +
            " selects fewer than three vertices; write 1 for the vertices that count, 0 for the others");
  return mask;
}

}  // namespace

int MeshObservation::count() const {
  return static_cast<int>(std::count(mask.begin(), mask.end(), true));
}

MeshObservation load_observation(const ObservationSource& source, const SurfaceMesh& scan) {
  MeshObservation observation{
      source, read_surface(source.mesh.file, source.mesh.unit, false).vertices, {}, {}};
  check_against_scan(observation, scan);
  const int count = scan.vertex_count();
  observation.mask = source.mask.empty() ? std::vector<bool>(count, true)
                                         : read_selection(source.mask, count, source.where + ".mask");
  if (!source.stable.empty())
    observation.stable = read_selection(source.stable, count, source.where + ".stable");
  return observation;
}

}  // namespace furrow
