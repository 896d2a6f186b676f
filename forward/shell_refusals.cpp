#include "forward/shell_refusals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "forward/base/error.h"
#include "forward/solve/collider_path.h"

namespace furrow {
namespace {

/// Rigid motions that the fixed directions rule out, 0 to 6: the rank of sum over fixed (i, c) of r r^T,
/// r = (e_c, (x_i - centre)/L x e_c).
int held_motions(const PrismMesh& mesh, const FixedFlags& fixed) {
  const Eigen::RowVector3d centre = mesh.nodes.colwise().mean();
  const double length = std::max(1e-300, (mesh.nodes.rowwise() - centre).rowwise().norm().maxCoeff());
  Eigen::Matrix<double, 6, 6> sum = Eigen::Matrix<double, 6, 6>::Zero();
  for (Eigen::Index i = 0; i < mesh.nodes.rows(); ++i)
    for (int c = 0; c < 3; ++c) {
      if (!fixed(i, c)) continue;
      const Vec3 arm = (mesh.nodes.row(i) - centre).transpose() / length;
      Eigen::Matrix<double, 6, 1> row;
      row << Vec3::Unit(c), arm.cross(Vec3::Unit(c));
      sum += row * row.transpose();
    }
  const auto values = Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>>(sum).eigenvalues().eval();
  return static_cast<int>((values.array() > 1e-10 * values.maxCoeff()).count());
}

/// Depth of a collider in the skin at rest, from the surface's points: its radius less the distance of the
/// nearest one; where its centre is beneath that point, radius and distance add up. Negative outside.
double depth_in_skin(const SurfacePoints& outer, const ColliderPose& pose) {
  Eigen::Index nearest = 0;
  const Eigen::RowVector3d centre = pose.centre.transpose();
  const double distance = (outer.rest().rowwise() - centre).rowwise().norm().minCoeff(&nearest);
  const double above = (centre - outer.rest().row(nearest)).dot(outer.rest_normal().row(nearest));
  const bool beneath = above < -0.7 * distance;  // below the surface and not beside its border
  return beneath ? pose.radius + distance : pose.radius - distance;
}

/// Whether a collider that moves from `a` to `b` within a frame comes near the skin on the way.
bool passes_skin(const SurfacePoints& outer, const ColliderPose& a, const ColliderPose& b) {
  const Vec3 way = b.centre - a.centre;
  const double length2 = way.squaredNorm(), reach = std::max(a.radius, b.radius);
  for (Eigen::Index q = 0; q < outer.rest().rows(); ++q) {
    const Vec3 from_a = outer.rest().row(q).transpose() - a.centre;
    const double w = std::clamp(from_a.dot(way) / length2, 0.0, 1.0);
    if ((from_a - w * way).norm() < reach) return true;
  }
  return false;
}

/// The first frame in which a collider jumps by more than its radius through the skin, or appears in it.
std::string warning_of_jumps(const CompiledShell& compiled, const ShellSchedule& schedule,
                             const std::string& name, std::size_t c, const std::string& file) {
  const SurfacePoints& outer = compiled.outer();
  ColliderPose before = schedule.colliders(0)[c];
  for (int k = 1; k <= schedule.frames; ++k) {
    const ColliderPose now = schedule.colliders(k * schedule.dt)[c];
    const double moved = (now.centre - before.centre).norm();
    if (now.present && before.present && moved > now.radius && passes_skin(outer, before, now))
      return fmt::format(
          "{}: collider \"{}\" moves {:.3g} mm in frame {}, more than its radius: skin that it passes in "
          "between does not feel it; lower time.step or move it more slowly",
          file, name, moved, k);
    if (now.present && !before.present && depth_in_skin(outer, now) > now.radius)
      return fmt::format(
          "{}: collider \"{}\" appears in frame {} with its centre beneath the skin at rest, which it may "
          "push "
          "to the wrong side; let it appear outside",
          file, name, k);
    before = now;
  }
  return "";
}

}  // namespace

void refuse_free_body(const Scene& scene, const PrismMesh& mesh, const FixedFlags& fixed) {
  const bool weight_on_skull = scene.shell->skull && scene.gravity.norm() * scene.density > 0;
  if (scene.shell->ligaments || weight_on_skull) return;
  const int held = held_motions(mesh, fixed);
  if (held == 6) return;
  const std::string what =
      held == 0 ? "nothing holds the skin (the mesh file fixes no node)"
                : fmt::format("what is fixed leaves {} of the skin's 6 rigid motions free", 6 - held);
  throw InputError(scene.file.string(),
                   what +
                       ", so that it has no equilibrium: add \"boundary\": [{\"nodes\": \"rim\", \"fix\": "
                       "\"xyz\"}] or \"ligaments\"");
}

void refuse_too_large(const Scene& scene, const PrismMesh& mesh) {
  constexpr double kBytesANode = 25e3;  ///< the least that runs were measured to take, 3,000 to 26,000 nodes
  const double needed = kBytesANode * static_cast<double>(mesh.nodes.rows()),
               there =
                   static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (there <= 0 || needed < there) return;
  throw InputError(scene.file.string(),
                   fmt::format("mesh: its {} nodes need more than {:.0f} GB of memory and the machine has "
                               "{:.0f} GB; take fewer cells or a lower order",
                               mesh.nodes.rows(), needed / 1e9, there / 1e9));
}

void refuse_sharp_bone(const Scene& scene, const PrismMesh& mesh) {
  if (!scene.shell->skull) return;
  const Positions points = mesh.nodes(mesh.inner_nodes(), Eigen::all), normals = inner_normals(mesh);
  const double h = scene.shell->skull->radius > 0 ? scene.shell->skull->radius : imls_radius(points);
  const ImlsSurface surface(points, normals, h, scene.shell->skull->kernel);
  Eigen::Index outside = 0;  // g > 0 on the skin's side, THEORY 7
  for (Eigen::Index k = 0; k < points.rows(); ++k)
    outside += surface.value((points.row(k) + 0.1 * h * normals.row(k)).transpose(), false).g > 0;
  if (2 * outside > points.rows()) return;
  throw InputError(
      scene.file.string(),
      fmt::format("skull: the inner surface is curved too sharply for a bone whose kernel reaches "
                  "{:.3g} mm: its inside and outside are not told apart; take more cells, a "
                  "smaller skull.radius or a flatter mesh",
                  h));
}

void refuse_colliders_inside(const Scene& scene, const CompiledShell& compiled,
                             const ShellSchedule& schedule) {
  if (!schedule.colliders) return;
  const std::vector<ColliderPose> poses = schedule.colliders(0);
  for (std::size_t c = 0; c < poses.size(); ++c) {
    if (!poses[c].present) continue;
    const double depth = depth_in_skin(compiled.outer(), poses[c]);
    if (depth > 1e-9)
      throw InputError(
          scene.shell->colliders[c].path.string(),
          fmt::format("collider \"{}\" starts {:.3g} mm inside the skin; start it outside and press in "
                      "over some frames (or set present to 0 in the first rows)",
                      scene.shell->colliders[c].name, depth));
  }
}

std::vector<std::string> path_warnings(const Scene& scene, const CompiledShell& compiled,
                                       const ShellSchedule& schedule) {
  std::vector<std::string> warnings;
  const double end = schedule.dt * schedule.frames;
  for (std::size_t c = 0; c < scene.shell->colliders.size(); ++c) {
    const ColliderOptions& collider = scene.shell->colliders[c];
    const ColliderPath path = ColliderPath::read(collider.path, collider.radius);
    const std::string file = collider.path.filename().string();
    if (path.last_time() < end - 1e-9)
      warnings.push_back(fmt::format("{} ends at {:.6g} s and the scene at {:.6g} s: the last row stands",
                                     file, path.last_time(), end));
    if (path.first_time() > end)
      warnings.push_back(
          fmt::format("{} begins at {:.6g} s and the scene ends at {:.6g} s: only the first row "
                      "counts",
                      file, path.first_time(), end));
    if (const std::string jump =
            warning_of_jumps(compiled, schedule, scene.shell->colliders[c].name, c, file);
        !jump.empty())
      warnings.push_back(jump);
  }
  return warnings;
}

}  // namespace furrow
