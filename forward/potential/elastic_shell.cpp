#include "forward/potential/elastic_shell.h"

#include <algorithm>
#include <cmath>

#include "forward/base/error.h"
#include "forward/mesh/mesh_rules.h"
#include "forward/potential/elastic_shell_data.h"

namespace furrow {

namespace {

PackMat3 inverse_of(const PackMat3& m) {
  const PackMat3 c = cofactor(m);
  const Pack det = m.m[0][0] * c.m[0][0] + m.m[0][1] * c.m[0][1] + m.m[0][2] * c.m[0][2];
  PackMat3 out;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) out.m[i][k] = c.m[k][i] / det;
  return out;
}

/// Columns (axis in the plane, across it, normal) in every lane; dX/du and dX/dv span the plane.
PackMat3 material_frame(const PackMat3& rest, const std::array<int, kLanes>& layer,
                        const std::vector<Vec3>& axes) {
  PackMat3 frame;
  for (int l = 0; l < kLanes; ++l) {
    Vec3 du, dv;
    for (int i = 0; i < 3; ++i) {
      du[i] = rest.m[i][0][l];
      dv[i] = rest.m[i][1][l];
    }
    const Vec3 n = du.cross(dv).normalized();
    Vec3 t = axes[layer[l]] - n.dot(axes[layer[l]]) * n;
    if (t.norm() < 1e-6)
      t = du - n.dot(du) * n;  // the axis stands on the surface: any direction in the plane
    t.normalize();
    const Vec3 s = n.cross(t);
    for (int i = 0; i < 3; ++i) {
      frame.m[i][0][l] = t[i];
      frame.m[i][1][l] = s[i];
      frame.m[i][2][l] = n[i];
    }
  }
  return frame;
}

PackMat3 frame_diagonal(const PackMat3& r, const std::array<Pack, 3>& d) {
  PackMat3 out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      out.m[i][j] =
          d[0] * r.m[i][0] * r.m[j][0] + d[1] * r.m[i][1] * r.m[j][1] + d[2] * r.m[i][2] * r.m[j][2];
  return out;
}

}  // namespace

ElasticShell::ElasticShell(const PrismMesh& mesh, const Options& options) : impl_(std::make_unique<Impl>()) {
  Impl& d = *impl_;
  require(options.branches <= kMaxBranches, "ElasticShell: more Maxwell branches than kMaxBranches");
  d.options = options;
  d.order = mesh.order;
  d.elements = mesh.elements;
  d.node_count = static_cast<int>(mesh.nodes.rows());
  d.layer_count = static_cast<int>(mesh.layers.size());
  const MeshRules rules = mesh_rules(mesh, options.rule);
  for (const LayeredRule& rule : rules.rules) d.rules.push_back(make_rule_table(mesh.order, rule));
  d.rule_of_element = rules.rule_of_element;
  d.chunks = make_chunks(mesh.elements, mesh.nodes, 4);
  for (int e = 0; e < mesh.elements.rows(); ++e) {
    const RuleTable& rule = d.rule(e);
    d.first_pack.push_back(d.pack_count);
    d.pack_count += rule.packs;
    const ElementNodes X = d.gather(mesh.nodes, e);
    for (int pack = 0; pack < rule.packs; ++pack) {
      const PackMat3 rest = reference_jacobian(rule, pack, X);
      d.geometry.push_back({inverse_of(rest), rule.weight[pack] * determinant(rest)});
      if (!options.prestretch_axes.empty())
        d.frame.push_back(material_frame(rest, rule.layer[pack], options.prestretch_axes));
    }
  }
}

ElasticShell::~ElasticShell() = default;

std::vector<RuleModuli> ElasticShell::Impl::moduli(const ShellTheta& theta, double dt,
                                                   double exponent) const {
  std::vector<LayerModuli> of_layer;
  for (const LayerTheta& layer : theta.layers) of_layer.push_back(layer_moduli(layer, dt, exponent));
  std::vector<RuleModuli> out;
  for (const RuleTable& rule : rules) {
    RuleModuli moduli_of_rule(rule.packs);
    for (int pack = 0; pack < rule.packs; ++pack) {
      SkinModuli& m = moduli_of_rule[pack];
      m.branches = options.branches;
      m.volumetric = options.volumetric;
      for (int l = 0; l < kLanes; ++l) {
        const LayerModuli& from = of_layer[rule.layer[pack][l]];
        m.mu_inf[l] = from.mu_inf;
        m.stiffening[l] = from.stiffening;
        m.bulk[l] = from.bulk;
        for (int k = 0; k < options.branches; ++k) m.branch[k][l] = from.branch[k];
      }
    }
    out.push_back(std::move(moduli_of_rule));
  }
  return out;
}

SkinPoint ElasticShell::Impl::point(const PackMat3& F, int global, const ViscousHistory& history) const {
  SkinPoint p;
  p.F = F;
  for (int k = 0; k < options.branches; ++k) p.fv[k] = load_pack(history.branch[k], global);
  return p;
}

PackMat3 ElasticShell::Impl::prestretch(const RuleTable& rule, int pack, int global,
                                        const ShellTheta& theta) const {
  std::array<Pack, 3> d;
  for (int l = 0; l < kLanes; ++l) {
    const Eigen::Vector2d& s = theta.layers[rule.layer[pack][l]].prestretch;
    d[0][l] = s[0];
    d[1][l] = s[1];
    d[2][l] = 1 / (s[0] * s[1]);
  }
  return frame_diagonal(frame[global], d);
}

PackMat3 ElasticShell::Impl::prestretch_increment(const RuleTable& rule, int pack, int global,
                                                  const ShellTheta& theta, const ShellTheta& change) const {
  std::array<Pack, 3> d;
  for (int l = 0; l < kLanes; ++l) {
    const Eigen::Vector2d &s = theta.layers[rule.layer[pack][l]].prestretch,
                          &ds = change.layers[rule.layer[pack][l]].prestretch;
    d[0][l] = ds[0];
    d[1][l] = ds[1];
    d[2][l] = -(ds[0] / s[0] + ds[1] / s[1]) / (s[0] * s[1]);
  }
  return frame_diagonal(frame[global], d);
}

PotentialValue ElasticShell::value(const Positions& x, const StepInput& in, Positions* gradient) const {
  const Impl& d = *impl_;
  const auto moduli = d.moduli(in.theta, in.frame.dt, in.frame.viscous_exponent);
  std::vector<PotentialValue> part(d.elements.rows());
  d.for_elements([&](int e) {
    const RuleTable& rule = d.rule(e);
    const ElementNodes nodes = d.gather(x, e);
    ElementForces forces;
    Pack energy{}, smallest = Pack{} + std::numeric_limits<double>::infinity();
    for (int pack = 0; pack < rule.packs; ++pack) {
      const PackInput at(d, e, pack, nodes, moduli, in);
      const SkinStress s = skin_stress(at.point, at.moduli);
      energy += at.rest.weight * s.energy;
      smallest = pack_min(smallest, s.j);
      if (gradient) forces.add(rule, pack, pulled_back(s.P, at.rest.inverse, at.rest.weight));
    }
    part[e].energy = lane_sum(energy);
    part[e].smallest_j = std::min(std::min(smallest[0], smallest[1]), std::min(smallest[2], smallest[3]));
    if (gradient) d.scatter(forces, e, *gradient);
  });
  PotentialValue sum;
  for (const PotentialValue& p : part) {
    sum.energy += p.energy;
    sum.smallest_j = std::min(sum.smallest_j, p.smallest_j);
  }
  if (!(sum.smallest_j > 0)) sum.energy = std::numeric_limits<double>::infinity();
  return sum;
}

void ElasticShell::add_hessian(const Positions& x, const StepInput& in, bool projected,
                               HessianSum& sum) const {
  const Impl& d = *impl_;
  const auto moduli = d.moduli(in.theta, in.frame.dt, in.frame.viscous_exponent);
  d.for_elements([&](int e) {
    const RuleTable& rule = d.rule(e);
    const ElementNodes nodes = d.gather(x, e);
    ElementTangent tangent(rule, d.order, d.options.sum_factorisation);
    for (int pack = 0; pack < rule.packs; ++pack) {
      const PackInput at(d, e, pack, nodes, moduli, in);
      tangent.take(pack, skin_tangent(at.point, at.moduli, projected).A, at.rest);
    }
    sum.add(e, 0, tangent.finish());
  });
}

void ElasticShell::add_hessian_product(const Positions& x, const StepInput& in, const Positions& v,
                                       Positions& out) const {
  const Impl& d = *impl_;
  const auto moduli = d.moduli(in.theta, in.frame.dt, in.frame.viscous_exponent);
  d.for_elements([&](int e) {
    const RuleTable& rule = d.rule(e);
    const ElementNodes nodes = d.gather(x, e), along = d.gather(v, e);
    ElementForces forces;
    for (int pack = 0; pack < rule.packs; ++pack) {
      const PackInput at(d, e, pack, nodes, moduli, in);
      const PackMat3 dF = reference_jacobian(rule, pack, along) * at.rest.inverse;
      const PackMat3 dP = skin_stress_increment(at.point, at.moduli, dF);
      forces.add(rule, pack, pulled_back(dP, at.rest.inverse, at.rest.weight));
    }
    d.scatter(forces, e, out);
  });
}

int ElasticShell::point_count() const {
  int count = 0;
  for (const int r : impl_->rule_of_element) count += impl_->rules[r].points;
  return count;
}

VectorXd ElasticShell::nodal_volume() const {
  const Impl& d = *impl_;
  VectorXd volume = VectorXd::Zero(d.node_count);
  d.for_elements([&](int e) {
    const RuleTable& rule = d.rule(e);
    for (int pack = 0; pack < rule.packs; ++pack)
      for (int a = 0; a < rule.nodes; ++a)
        volume[d.elements(e, a)] +=
            lane_sum(d.geometry[d.first_pack[e] + pack].weight * rule.value[pack * rule.nodes + a]);
  });
  return volume;
}

}  // namespace furrow
