// What ElasticShell keeps: shape functions of every rule in packs of four points, rest geometry of every
// element's packs, and the element loop that its parts share.
#pragma once

#include <optional>

#include "forward/assembly/element_chunks.h"
#include "forward/material/layer_moduli.h"
#include "forward/potential/elastic_shell.h"

namespace furrow {

inline constexpr int kMaxPrismNodes = 45;

/// Points = triangle point t x level s (level: layer x line point), the same levels over every t.
struct TensorTable {
  int triangle_points = 0, levels = 0;
  std::vector<int> point;  ///< [t * levels + s]
  MatrixXd psi;            ///< face nodes x 3 T, column 3 t + alpha: dT_a/du, dT_a/dv, T_a at t
  /// [s][c][d][9 (3 i + alpha) + 3 j + beta]: m_{c alpha}(s) m_{d beta}(s), m = L_c for u, v and dL_c/dw for
  /// w.
  std::vector<double> coefficient;
};

struct RuleTable {
  int nodes = 0, points = 0, packs = 0;
  std::vector<Pack> gradient;                  ///< dN_a/dxi_k at [(pack nodes + a) 3 + k]
  std::vector<Pack> value;                     ///< N_a at [pack nodes + a]
  std::vector<Pack> weight;                    ///< 0 in lanes beyond `points` (they repeat the last point)
  std::vector<std::array<int, kLanes>> layer;  ///< per pack
  std::optional<TensorTable> tensor;
  MatrixXd gradient_columns;  ///< nodes x 3 Q, column 3 q + alpha (the plain product's left factor)
};
RuleTable make_rule_table(PrismOrder order, const LayeredRule& rule);

struct PackGeometry {
  PackMat3 inverse;  ///< (dX/dxi)^-1 [1/mm]
  Pack weight;       ///< w det(dX/dxi) [mm^3]
};

struct ElementNodes {
  double p[kMaxPrismNodes][3];
};

/// dx/dxi at a pack's points.
inline PackMat3 reference_jacobian(const RuleTable& rule, int pack, const ElementNodes& x) {
  PackMat3 m{};
  const Pack* gradient = rule.gradient.data() + static_cast<std::size_t>(pack) * rule.nodes * 3;
  for (int a = 0; a < rule.nodes; ++a)
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) m.m[i][k] += x.p[a][i] * gradient[3 * a + k];
  return m;
}

/// sum_l P_il J_kl: a stress pulled back so that it works on dx/dxi.
inline PackMat3 pulled_back(const PackMat3& P, const PackMat3& inverse, Pack weight) {
  PackMat3 out;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k)
      out.m[i][k] =
          weight * (P.m[i][0] * inverse.m[k][0] + P.m[i][1] * inverse.m[k][1] + P.m[i][2] * inverse.m[k][2]);
  return out;
}

/// Forces of an element, still in lanes.
struct ElementForces {
  Pack f[kMaxPrismNodes][3] = {};
  void add(const RuleTable& rule, int pack, const PackMat3& pulled) {
    const Pack* gradient = rule.gradient.data() + static_cast<std::size_t>(pack) * rule.nodes * 3;
    for (int a = 0; a < rule.nodes; ++a)
      for (int i = 0; i < 3; ++i)
        f[a][i] += pulled.m[i][0] * gradient[3 * a] + pulled.m[i][1] * gradient[3 * a + 1] +
                   pulled.m[i][2] * gradient[3 * a + 2];
  }
};

inline double lane_sum(Pack a) {
  return (a[0] + a[1]) + (a[2] + a[3]);
}
inline PackMat3 load_pack(const VectorXd& v, int pack) {
  PackMat3 m;
  std::copy_n(v.data() + 36 * static_cast<std::ptrdiff_t>(pack), 36, reinterpret_cast<double*>(&m));
  return m;
}
inline void store_pack(const PackMat3& m, int pack, VectorXd& v) {
  std::copy_n(reinterpret_cast<const double*>(&m), 36, v.data() + 36 * static_cast<std::ptrdiff_t>(pack));
}
inline void add_pack(const PackMat3& m, Pack factor, int pack, VectorXd& v) {
  const PackMat3 old = load_pack(v, pack);
  PackMat3 sum;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) sum.m[i][k] = old.m[i][k] + factor * m.m[i][k];
  store_pack(sum, pack, v);
}

/// Moduli of a rule's packs.
using RuleModuli = std::vector<SkinModuli>;

struct ElasticShell::Impl {
  Options options;
  PrismOrder order;
  Elements elements;
  int node_count = 0, layer_count = 0, pack_count = 0;
  std::vector<RuleTable> rules;
  std::vector<int> rule_of_element, first_pack;
  std::vector<PackGeometry> geometry;  ///< of every pack of every element
  std::vector<PackMat3> frame;  ///< columns: prestretch axis, across it, normal; empty without prestretch
  ElementChunks chunks;

  const RuleTable& rule(int e) const { return rules[rule_of_element[e]]; }
  bool prestretched() const { return !frame.empty(); }

  ElementNodes gather(const Positions& x, int e) const {
    ElementNodes nodes;
    for (Eigen::Index a = 0; a < elements.cols(); ++a)
      for (int i = 0; i < 3; ++i) nodes.p[a][i] = x(elements(e, a), i);
    return nodes;
  }
  void scatter(const ElementForces& forces, int e, Positions& out) const {
    for (Eigen::Index a = 0; a < elements.cols(); ++a)
      for (int i = 0; i < 3; ++i) out(elements(e, a), i) += lane_sum(forces.f[a][i]);
  }
  /// work(element) over all, chunk by chunk; work may add to nodes.
  template <class Work>
  void for_elements(const Work& work) const {
    chunks.for_each([&](int c) {
      for (int k = chunks.start[c]; k < chunks.start[c + 1]; ++k) work(chunks.order[k]);
    });
  }

  /// Moduli of every rule's packs, in the order of `rules`.
  std::vector<RuleModuli> moduli(const ShellTheta& theta, double dt, double exponent) const;
  /// Point of pack `pack` of element e (its number over all elements: first_pack[e] + pack).
  SkinPoint point(const PackMat3& F, int global, const ViscousHistory& history) const;
  /// G = sum_d lambda_d r_d r_d^T, lambda = (l0, l1, 1/(l0 l1)) of the lanes' layers.
  PackMat3 prestretch(const RuleTable& rule, int pack, int global, const ShellTheta& theta) const;
  /// dG for a change of the layers' prestretch.
  PackMat3 prestretch_increment(const RuleTable& rule, int pack, int global, const ShellTheta& theta,
                                const ShellTheta& change) const;
};

/// Everything a pack's material law takes.
struct PackInput {
  PackInput(const ElasticShell::Impl& d, int e, int pack_of_element, const ElementNodes& x,
            const std::vector<RuleModuli>& moduli_of_rules, const StepInput& in)
      : pack(pack_of_element),
        global(d.first_pack[e] + pack_of_element),
        rest(d.geometry[global]),
        moduli(moduli_of_rules[d.rule_of_element[e]][pack]),
        point(d.point(reference_jacobian(d.rule(e), pack, x) * rest.inverse, global, *in.from.history)) {
    if (!d.prestretched()) return;
    stretch = d.prestretch(d.rule(e), pack, global, in.theta);
    point.prestretch = &stretch;
  }
  PackInput(const PackInput&) = delete;  // the point refers to `stretch`

  int pack, global;  ///< its number within the element and over all
  const PackGeometry& rest;
  const SkinModuli& moduli;
  PackMat3 stretch;
  SkinPoint point;
};

/// K of one element from its points' tangents A (each lane's 9 x 9): 3 nodes x 3 nodes, both triangles,
/// component by component (row i nodes + a).
class ElementTangent {
 public:
  ElementTangent(const RuleTable& rule, PrismOrder order, bool sum_factorisation);
  /// Takes the tangents of one pack.
  void take(int pack, const std::array<Pack, kTangentSize>& A, const PackGeometry& geometry);
  const MatrixXd& finish();

 private:
  void finish_tensor();
  void finish_plain();
  const RuleTable& rule_;
  PrismOrder order_;
  bool tensor_;
  std::vector<double> d_;  ///< [point][81]: D, entry 9 (3 i + alpha) + 3 j + beta
  MatrixXd k_;
};

}  // namespace furrow
