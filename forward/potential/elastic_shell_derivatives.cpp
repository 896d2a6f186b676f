// How the skin's forces change with the history they start from and with theta, at fixed x:
//
//   dP = sum_m P_m dm(theta) + sum_k P_{F^v_k} dF^v_k + P_G dG(theta)       (P_m: material/skin.h)
#include "forward/potential/elastic_shell_data.h"

namespace furrow {

namespace {

PackMat3 scaled_sum(const PackMat3& a, Pack factor, const PackMat3& sum) {
  PackMat3 out;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) out.m[i][k] = sum.m[i][k] + factor * a.m[i][k];
  return out;
}

/// Lanes of a modulus from the layers' values.
template <class Member>
Pack lanes(const std::array<int, kLanes>& layer, const Member& of_layer) {
  Pack out;
  for (int l = 0; l < kLanes; ++l) out[l] = of_layer(layer[l]);
  return out;
}

PackMat3 by_moduli(const SkinPoint& point, const SkinModuli& moduli, const std::array<int, kLanes>& layer,
                   const std::vector<LayerModuli>& change) {
  const SkinModuliDerivative by = skin_stress_by_moduli(point, moduli);
  PackMat3 dP{};
  dP = scaled_sum(by.mu_inf, lanes(layer, [&](int l) { return change[l].mu_inf; }), dP);
  dP = scaled_sum(by.stiffening, lanes(layer, [&](int l) { return change[l].stiffening; }), dP);
  dP = scaled_sum(by.bulk, lanes(layer, [&](int l) { return change[l].bulk; }), dP);
  for (int k = 0; k < moduli.branches; ++k)
    dP = scaled_sum(by.branch[k], lanes(layer, [&](int l) { return change[l].branch[k]; }), dP);
  return dP;
}

void add_lanes(Pack value, const std::array<int, kLanes>& layer, std::vector<LayerModuli>& out,
               double LayerModuli::*member) {
  for (int l = 0; l < kLanes; ++l) out[layer[l]].*member += value[l];
}

/// w P_m : L for every modulus.
void add_moduli_bar(const SkinPoint& point, const SkinModuli& moduli, const std::array<int, kLanes>& layer,
                    const PackMat3& L, Pack weight, std::vector<LayerModuli>& out) {
  const SkinModuliDerivative by = skin_stress_by_moduli(point, moduli);
  add_lanes(weight * contract(by.mu_inf, L), layer, out, &LayerModuli::mu_inf);
  add_lanes(weight * contract(by.stiffening, L), layer, out, &LayerModuli::stiffening);
  add_lanes(weight * contract(by.bulk, L), layer, out, &LayerModuli::bulk);
  for (int k = 0; k < moduli.branches; ++k) {
    const Pack bar = weight * contract(by.branch[k], L);
    for (int l = 0; l < kLanes; ++l) out[layer[l]].branch[k] += bar[l];
  }
}

/// bar(lambda_d) = r_d . bar(G) r_d, lambda = (l0, l1, 1/(l0 l1)), per lane added to its layer.
void add_prestretch_bar(const PackMat3& bar_G, const PackMat3& frame, const std::array<int, kLanes>& layer,
                        const ShellTheta& theta, std::vector<Eigen::Vector2d>& out) {
  std::array<Pack, 3> bar{};
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) bar[c] += frame.m[i][c] * bar_G.m[i][j] * frame.m[j][c];
  for (int l = 0; l < kLanes; ++l) {
    const Eigen::Vector2d& s = theta.layers[layer[l]].prestretch;
    const double normal = bar[2][l] / (s[0] * s[1]);
    out[layer[l]][0] += bar[0][l] - normal / s[0];
    out[layer[l]][1] += bar[1][l] - normal / s[1];
  }
}

PackMat3 scaled(const PackMat3& a, Pack factor) {
  return scaled_sum(a, factor, PackMat3{});
}

}  // namespace

void ElasticShell::add_gradient_jvp(const Positions& x, const StepInput& in, const ShellState& dfrom,
                                    const ShellTheta& dtheta, Positions& out) const {
  const Impl& d = *impl_;
  const double dt = in.frame.dt, exponent = in.frame.viscous_exponent;
  const auto moduli = d.moduli(in.theta, dt, exponent);
  std::vector<LayerModuli> change;
  for (std::size_t l = 0; l < in.theta.layers.size(); ++l)
    change.push_back(layer_moduli_increment(in.theta.layers[l], dtheta.layers[l], dt, exponent));
  d.for_elements([&](int e) {
    const RuleTable& rule = d.rule(e);
    const ElementNodes nodes = d.gather(x, e);
    ElementForces forces;
    for (int pack = 0; pack < rule.packs; ++pack) {
      const PackInput at(d, e, pack, nodes, moduli, in);
      PackMat3 dP = by_moduli(at.point, at.moduli, rule.layer[pack], change);
      for (int k = 0; k < at.moduli.branches; ++k)
        dP = scaled_sum(
            skin_stress_by_fv(at.point, at.moduli, k, load_pack(dfrom.history->branch[k], at.global)),
            Pack{} + 1.0, dP);
      if (d.prestretched())
        dP = scaled_sum(
            skin_stress_by_prestretch(at.point, at.moduli,
                                      d.prestretch_increment(rule, pack, at.global, in.theta, dtheta)),
            Pack{} + 1.0, dP);
      forces.add(rule, pack, pulled_back(dP, at.rest.inverse, at.rest.weight));
    }
    d.scatter(forces, e, out);
  });
}

void ElasticShell::add_gradient_vjp(const Positions& x, const StepInput& in, const Positions& lambda,
                                    StepPullback& out) const {
  const Impl& d = *impl_;
  const double dt = in.frame.dt, exponent = in.frame.viscous_exponent;
  const auto moduli = d.moduli(in.theta, dt, exponent);
  const std::size_t layers = in.theta.layers.size();
  std::vector<std::vector<LayerModuli>> bar(d.chunks.count(), std::vector<LayerModuli>(layers));
  std::vector<std::vector<Eigen::Vector2d>> bar_stretch(
      d.chunks.count(), std::vector<Eigen::Vector2d>(layers, Eigen::Vector2d::Zero()));
  std::vector<VectorXd>* fv_bar = d.options.branches > 0 ? &out.state.history.edit().branch : nullptr;
  d.chunks.for_each([&](int chunk) {
    for (int k = d.chunks.start[chunk]; k < d.chunks.start[chunk + 1]; ++k) {
      const int e = d.chunks.order[k];
      const RuleTable& rule = d.rule(e);
      const ElementNodes nodes = d.gather(x, e), along = d.gather(lambda, e);
      for (int pack = 0; pack < rule.packs; ++pack) {
        const PackInput at(d, e, pack, nodes, moduli, in);
        const PackMat3 L = reference_jacobian(rule, pack, along) * at.rest.inverse;
        add_moduli_bar(at.point, at.moduli, rule.layer[pack], L, at.rest.weight, bar[chunk]);
        for (int b = 0; b < at.moduli.branches; ++b)
          add_pack(skin_stress_by_fv_transposed(at.point, at.moduli, b, L), at.rest.weight, at.global,
                   (*fv_bar)[b]);
        if (d.prestretched())
          add_prestretch_bar(
              scaled(skin_stress_by_prestretch_transposed(at.point, at.moduli, L), at.rest.weight),
              d.frame[at.global], rule.layer[pack], in.theta, bar_stretch[chunk]);
      }
    }
  });
  for (std::size_t c = 0; c < bar.size(); ++c)
    for (std::size_t l = 0; l < layers; ++l) {
      add_layer_moduli_pullback(in.theta.layers[l], bar[c][l], dt, exponent, out.theta.layers[l]);
      out.theta.layers[l].prestretch += bar_stretch[c][l];
    }
}

}  // namespace furrow
