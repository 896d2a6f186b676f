#include "forward/compiled_shell.h"

#include <limits>

#include "forward/base/error.h"

namespace furrow {

Positions inner_normals(const PrismMesh& mesh) {
  const TriangleBasis basis = triangle_basis(mesh.order.in_plane, triangle_nodes(mesh.order.in_plane));
  Positions sum = Positions::Zero(mesh.nodes.rows(), 3);
  for (Eigen::Index f = 0; f < mesh.inner_faces.rows(); ++f)
    for (Eigen::Index at = 0; at < mesh.inner_faces.cols(); ++at) {
      Vec3 du = Vec3::Zero(), dv = Vec3::Zero();
      for (Eigen::Index a = 0; a < mesh.inner_faces.cols(); ++a) {
        du += basis.du(at, a) * mesh.nodes.row(mesh.inner_faces(f, a)).transpose();
        dv += basis.dv(at, a) * mesh.nodes.row(mesh.inner_faces(f, a)).transpose();
      }
      sum.row(mesh.inner_faces(f, at)) += du.cross(dv).normalized().transpose();
    }
  const std::vector<int> nodes = mesh.inner_nodes();
  Positions out(nodes.size(), 3);
  for (std::size_t k = 0; k < nodes.size(); ++k) out.row(k) = sum.row(nodes[k]).normalized();
  return out;
}

namespace {

ImlsSurface skull_of(const PrismMesh& mesh, const ShellPhysics::Skull& skull) {
  const std::vector<int> nodes = mesh.inner_nodes();
  Positions points(nodes.size(), 3);
  for (std::size_t k = 0; k < nodes.size(); ++k) points.row(k) = mesh.nodes.row(nodes[k]);
  const double h = skull.radius > 0 ? skull.radius : imls_radius(points);
  const Positions normals = inner_normals(mesh);
  ImlsSurface surface(points, normals, h, skull.kernel);
  Eigen::Index outside = 0;  // g > 0 on the skin's side, THEORY 7
  for (Eigen::Index k = 0; k < points.rows(); ++k) {
    const Vec3 above = (points.row(k) + 0.1 * h * normals.row(k)).transpose();
    outside += surface.value(above, false).g > 0;
  }
  require(2 * outside > points.rows(), "the skull's normals do not point from bone to skin");
  return surface;
}

}  // namespace

CompiledShell::CompiledShell(PrismMesh mesh, const ShellPhysics& physics, const FixedFlags& fixed)
    : mesh_(std::move(mesh)),
      dofs_(DofMap::from_fixed(fixed)),
      pattern_(make_symmetric_pattern(mesh_.elements, static_cast<int>(mesh_.nodes.rows()), dofs_)),
      inner_(std::make_unique<SurfacePoints>(mesh_, ShellSide::inner, physics.surface_rule)),
      outer_(std::make_unique<SurfacePoints>(mesh_, ShellSide::outer, physics.surface_rule)) {
  auto elastic = std::make_unique<ElasticShell>(mesh_, physics.elastic);
  elastic_ = elastic.get();
  auto gravity = std::make_unique<GravityPotential>(elastic->nodal_volume(), mesh_.nodes);
  potentials_.push_back(std::move(elastic));
  if (physics.skull) {
    auto skull = std::make_unique<SkullPotential>(*inner_, skull_of(mesh_, *physics.skull),
                                                  physics.skull->ramp, physics.skull->subtract_rest_gap);
    skull_ = skull.get();
    potentials_.push_back(std::move(skull));
  }
  if (physics.ligaments)
    potentials_.push_back(std::make_unique<LigamentPotential>(*inner_, physics.ligaments->variant,
                                                              physics.ligaments->smoothing));
  std::vector<double> ramps, speeds;
  for (const auto& collider : physics.colliders) {
    ramps.push_back(collider.ramp);
    speeds.push_back(collider.slip_speed);
  }
  auto contact = std::make_unique<ContactPotential>(*outer_, ramps);
  auto friction = std::make_unique<FrictionPotential>(*outer_, speeds);
  contact_ = contact.get();
  friction_ = friction.get();
  potentials_.push_back(std::move(contact));
  potentials_.push_back(std::move(friction));
  potentials_.push_back(std::move(gravity));
  solver_ = std::make_unique<CholmodSolver>(pattern_, dofs_);
}

ShellValue CompiledShell::evaluate(const Positions& x, const StepInput& in, bool with_gradient) const {
  ShellValue out;
  out.smallest_j = std::numeric_limits<double>::infinity();
  if (with_gradient) out.gradient = Positions::Zero(x.rows(), 3);
  for (const auto& potential : potentials_) {
    const PotentialValue v = potential->value(x, in, with_gradient ? &out.gradient : nullptr);
    out.parts.push_back(v.energy);
    out.energy += v.energy;
    out.smallest_j = std::min(out.smallest_j, v.smallest_j);
    if (!(out.energy < std::numeric_limits<double>::infinity()))
      break;  // x is refused: the rest does not matter
  }
  return out;
}

void CompiledShell::hessian(const Positions& x, const StepInput& in, bool projected, HessianSum& sum) const {
  sum.clear();
  for (const auto& potential : potentials_) potential->add_hessian(x, in, projected, sum);
}

Positions CompiledShell::hessian_product(const Positions& x, const StepInput& in, const Positions& v) const {
  Positions out = Positions::Zero(x.rows(), 3);
  for (const auto& potential : potentials_) potential->add_hessian_product(x, in, v, out);
  return out;
}

Positions CompiledShell::gradient_jvp(const Positions& x, const StepInput& in, const ShellState& dfrom,
                                      const ShellTheta& dtheta) const {
  Positions out = Positions::Zero(x.rows(), 3);
  for (const auto& potential : potentials_) potential->add_gradient_jvp(x, in, dfrom, dtheta, out);
  return out;
}

StepPullback CompiledShell::gradient_vjp(const Positions& x, const StepInput& in,
                                         const Positions& lambda) const {
  StepPullback out{in.from.zero(), in.theta.zero()};
  for (const auto& potential : potentials_) potential->add_gradient_vjp(x, in, lambda, out);
  return out;
}

ShellState CompiledShell::rest_state() const {
  ShellState state;
  state.x = state.frame_start = mesh_.nodes;
  state.history = Shared<ViscousHistory>(elastic_->relaxed_history());
  state.lag = contact_->no_lag();
  return state;
}

}  // namespace furrow
