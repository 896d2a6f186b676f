// The viscous history of the skin: F^v <- V diag(sbar^(1 - alpha)) V^T F^v at every quadrature point.
#include "forward/potential/elastic_shell_data.h"

namespace furrow {

namespace {

/// alpha of the lanes' layers and its derivative by tau.
struct LaneFactors {
  Pack value, by_time;
};
LaneFactors lane_factors(const std::vector<RelaxFactors>& of_layer, const std::array<int, kLanes>& layer,
                         int branch) {
  LaneFactors out;
  for (int l = 0; l < kLanes; ++l) {
    out.value[l] = of_layer[layer[l]].value[branch];
    out.by_time[l] = of_layer[layer[l]].by_time[branch];
  }
  return out;
}

std::vector<RelaxFactors> factors_of(const ShellTheta& theta, double dt, double exponent) {
  std::vector<RelaxFactors> out;
  for (const LayerTheta& layer : theta.layers) out.push_back(relax_factors(layer, dt, exponent));
  return out;
}

ViscousHistory same_size(const ViscousHistory& like) {
  ViscousHistory out;
  for (const VectorXd& branch : like.branch) out.branch.push_back(VectorXd::Zero(branch.size()));
  return out;
}

}  // namespace

ViscousHistory ElasticShell::relaxed_history() const {
  ViscousHistory history;
  PackMat3 identity{};
  for (int i = 0; i < 3; ++i) identity.m[i][i] = Pack{} + 1.0;
  for (int k = 0; k < impl_->options.branches; ++k) {
    VectorXd branch(36 * static_cast<Eigen::Index>(impl_->pack_count));
    for (int pack = 0; pack < impl_->pack_count; ++pack) store_pack(identity, pack, branch);
    history.branch.push_back(std::move(branch));
  }
  return history;
}

ViscousHistory ElasticShell::relax(const Positions& x, const ViscousHistory& fv, const ShellTheta& theta,
                                   double dt, double exponent) const {
  const Impl& d = *impl_;
  const std::vector<RelaxFactors> factors = factors_of(theta, dt, exponent);
  ViscousHistory out = same_size(fv);
  d.for_elements([&](int e) {
    const RuleTable& rule = d.rule(e);
    const ElementNodes nodes = d.gather(x, e);
    for (int pack = 0; pack < rule.packs; ++pack) {
      const int global = d.first_pack[e] + pack;
      const PackMat3 F = reference_jacobian(rule, pack, nodes) * d.geometry[global].inverse;
      for (std::size_t k = 0; k < fv.branch.size(); ++k) {
        const LaneFactors alpha = lane_factors(factors, rule.layer[pack], static_cast<int>(k));
        store_pack(viscous_update(F, load_pack(fv.branch[k], global), alpha.value), global, out.branch[k]);
      }
    }
  });
  return out;
}

ViscousHistory ElasticShell::relax_jvp(const Positions& x, const ViscousHistory& fv, const ShellTheta& theta,
                                       double dt, double exponent, const Positions& dx,
                                       const ViscousHistory& dfv, const ShellTheta& dtheta) const {
  const Impl& d = *impl_;
  const std::vector<RelaxFactors> factors = factors_of(theta, dt, exponent);
  ViscousHistory out = same_size(fv);
  d.for_elements([&](int e) {
    const RuleTable& rule = d.rule(e);
    const ElementNodes nodes = d.gather(x, e), along = d.gather(dx, e);
    for (int pack = 0; pack < rule.packs; ++pack) {
      const int global = d.first_pack[e] + pack;
      const PackMat3& inverse = d.geometry[global].inverse;
      const PackMat3 F = reference_jacobian(rule, pack, nodes) * inverse,
                     dF = reference_jacobian(rule, pack, along) * inverse;
      for (std::size_t k = 0; k < fv.branch.size(); ++k) {
        const LaneFactors alpha = lane_factors(factors, rule.layer[pack], static_cast<int>(k));
        Pack dtau{};
        for (int l = 0; l < kLanes; ++l) {
          const VectorXd& times = dtheta.layers[rule.layer[pack][l]].times;
          if (static_cast<Eigen::Index>(k) < times.size()) dtau[l] = times[k];
        }
        store_pack(viscous_update_increment(F, load_pack(fv.branch[k], global), alpha.value, dF,
                                            load_pack(dfv.branch[k], global), alpha.by_time * dtau),
                   global, out.branch[k]);
      }
    }
  });
  return out;
}

ElasticShell::RelaxPullback ElasticShell::relax_vjp(const Positions& x, const ViscousHistory& fv,
                                                    const ShellTheta& theta, double dt, double exponent,
                                                    const ViscousHistory& bar) const {
  const Impl& d = *impl_;
  const std::vector<RelaxFactors> factors = factors_of(theta, dt, exponent);
  const std::size_t layers = theta.layers.size(), branches = fv.branch.size();
  RelaxPullback out{Positions::Zero(x.rows(), 3), same_size(fv), {}};
  std::vector<std::vector<VectorXd>> bar_times(d.chunks.count(),
                                               std::vector<VectorXd>(layers, VectorXd::Zero(branches)));
  d.chunks.for_each([&](int chunk) {
    for (int n = d.chunks.start[chunk]; n < d.chunks.start[chunk + 1]; ++n) {
      const int e = d.chunks.order[n];
      const RuleTable& rule = d.rule(e);
      const ElementNodes nodes = d.gather(x, e);
      ElementForces forces;
      for (int pack = 0; pack < rule.packs; ++pack) {
        const int global = d.first_pack[e] + pack;
        const PackMat3& inverse = d.geometry[global].inverse;
        const PackMat3 F = reference_jacobian(rule, pack, nodes) * inverse;
        PackMat3 bar_F{};
        for (std::size_t k = 0; k < branches; ++k) {
          const LaneFactors alpha = lane_factors(factors, rule.layer[pack], static_cast<int>(k));
          const ViscousPullback p = viscous_update_transposed(F, load_pack(fv.branch[k], global), alpha.value,
                                                              load_pack(bar.branch[k], global));
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) bar_F.m[i][j] += p.F.m[i][j];
          store_pack(p.fv, global, out.fv.branch[k]);
          const Pack bar_tau = p.alpha * alpha.by_time;
          for (int l = 0; l < kLanes; ++l) bar_times[chunk][rule.layer[pack][l]][k] += bar_tau[l];
        }
        forces.add(rule, pack, pulled_back(bar_F, inverse, Pack{} + 1.0));
      }
      d.scatter(forces, e, out.x);
    }
  });
  for (std::size_t l = 0; l < layers; ++l) {
    VectorXd sum = VectorXd::Zero(branches);
    for (const auto& chunk : bar_times) sum += chunk[l];
    out.times.push_back(sum.head(theta.layers[l].times.size()));
  }
  return out;
}

}  // namespace furrow
