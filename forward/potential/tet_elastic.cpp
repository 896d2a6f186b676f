#include "forward/potential/tet_elastic.h"

#include <algorithm>
#include <limits>

#include "forward/base/error.h"
#include "forward/potential/tet_kernel.h"

namespace furrow {

namespace {

template <template <class> class LawOf, int N, int Q>
class TetElasticOf final : public TetElastic {
 public:
  TetElasticOf(const Elements& elements, const Positions& nodes, const TetTable<N, Q>& table)
      : elements_(elements),
        node_count_(static_cast<int>(nodes.rows())),
        table_(table),
        chunks_(make_chunks(elements, nodes)) {
    make_packs();
  }

  ElasticValue evaluate(const Positions& X, const Positions& x, const ElementModuli& moduli,
                        bool with_gradient) const override {
    ElasticValue value;
    if (with_gradient) value.gradient = Positions::Zero(node_count_, 3);
    std::vector<double> energy(chunks_.count(), 0.0),
        smallest(chunks_.count(), std::numeric_limits<double>::infinity());
    chunks_.for_each([&](int chunk) {
      for_packs(chunk, [&](const PackOf& pack) {
        const PackNodes<N> rest = gather(X, pack), now = gather(x, pack);
        const Pack mu = gather(moduli.mu, pack), k = gather(moduli.k, pack);
        Pack energy_sum{}, lowest_j = Pack{} + 1e300, lowest_rest = Pack{} + 1e300;
        PackNodes<N> force{};
        for (int q = 0; q < Q; ++q) {
          const TetPoint<N> point = tet_point<N>(rest, now, table_.weight[q], table_.gradient[q]);
          const auto r = LawOf<Pack>::response(mu, k, squared_norm(point.F), point.j);
          energy_sum += point.weight * r.energy;
          lowest_j = pack_min(lowest_j, point.j);
          lowest_rest = pack_min(lowest_rest, point.rest_det);
          if (!with_gradient) continue;
          const PackMat3 P = stress(point, r);
          for (int a = 0; a < N; ++a) {
            const PackVec3 f = P * point.grad[a];
            for (int i = 0; i < 3; ++i) force.p[a][i] += point.weight * f.v[i];
          }
        }
        for (int l = 0; l < pack.lanes; ++l) {
          energy[chunk] += energy_sum[l];
          smallest[chunk] = std::min(smallest[chunk], lowest_rest[l] > 0 ? lowest_j[l] : -1.0);
        }
        if (with_gradient) scatter_nodes(pack, force, value.gradient);
      });
    });
    for (const double e : energy) value.energy += e;
    value.smallest_j = *std::min_element(smallest.begin(), smallest.end());
    return value;
  }

  void hessian(const Positions& X, const Positions& x, const ElementModuli& moduli, const DofMap& dofs,
               const SymmetricPattern& pattern, std::vector<double>& values) const override {
    values.assign(pattern.row.size(), 0.0);
    chunks_.for_each([&](int chunk) {
      for_packs(chunk, [&](const PackOf& pack) {
        PackMat3 blocks[N * (N + 1) / 2] = {};
        element_hessian(gather(X, pack), gather(x, pack), gather(moduli.mu, pack), gather(moduli.k, pack),
                        blocks);
        for (int l = 0; l < pack.lanes; ++l) scatter_symmetric(pack, l, blocks, dofs, pattern, values);
      });
    });
  }

  void rest_derivative(const Positions& X, const Positions& x, const ElementModuli& moduli, const Vec3& rho_g,
                       const DofMap& dofs, const GeneralPattern& pattern,
                       std::vector<double>& values) const override {
    values.assign(pattern.column.size(), 0.0);
    chunks_.for_each([&](int chunk) {
      for_packs(chunk, [&](const PackOf& pack) {
        PackMat3 blocks[N * N] = {};
        element_rest_derivative(gather(X, pack), gather(x, pack), gather(moduli.mu, pack),
                                gather(moduli.k, pack), rho_g, blocks);
        for (int l = 0; l < pack.lanes; ++l) scatter_general(pack, l, blocks, dofs, pattern, values);
      });
    });
  }

  Positions hessian_product(const Positions& X, const Positions& x, const ElementModuli& moduli,
                            const Positions& v) const override {
    Positions out = Positions::Zero(node_count_, 3);
    chunks_.for_each([&](int chunk) {
      for_packs(chunk, [&](const PackOf& pack) {
        const PackNodes<N> rest = gather(X, pack), now = gather(x, pack), along = gather(v, pack);
        const Pack mu = gather(moduli.mu, pack), k = gather(moduli.k, pack);
        PackNodes<N> sum{};
        for (int q = 0; q < Q; ++q) {
          const TetPoint<N> point = tet_point<N>(rest, now, table_.weight[q], table_.gradient[q]);
          const auto r = LawOf<Pack>::response(mu, k, squared_norm(point.F), point.j);
          const PackMat3 dP = stress_increment(point, r, deformation(point, along));
          for (int a = 0; a < N; ++a) {
            const PackVec3 f = dP * point.grad[a];
            for (int i = 0; i < 3; ++i) sum.p[a][i] += point.weight * f.v[i];
          }
        }
        scatter_nodes(pack, sum, out);
      });
    });
    return out;
  }

  Positions rest_pullback(const Positions& X, const Positions& x, const ElementModuli& moduli,
                          const Vec3& rho_g, const Positions& lambda) const override {
    Positions out = Positions::Zero(node_count_, 3);
    chunks_.for_each([&](int chunk) {
      for_packs(chunk, [&](const PackOf& pack) {
        const PackNodes<N> rest = gather(X, pack), now = gather(x, pack), along = gather(lambda, pack);
        const Pack mu = gather(moduli.mu, pack), k = gather(moduli.k, pack);
        PackNodes<N> sum{};
        for (int q = 0; q < Q; ++q) {
          const TetPoint<N> point = tet_point<N>(rest, now, table_.weight[q], table_.gradient[q]);
          const auto r = LawOf<Pack>::response(mu, k, squared_norm(point.F), point.j);
          const PackMat3 S =
              configurational(point, r, deformation(point, along), work_of(along, rho_g, table_.value[q]));
          for (int a = 0; a < N; ++a) {
            const PackVec3 f = S * point.grad[a];
            for (int i = 0; i < 3; ++i) sum.p[a][i] += point.weight * f.v[i];
          }
        }
        scatter_nodes(pack, sum, out);
      });
    });
    return out;
  }

  MatrixXd cluster_forces(const Positions& X, const Positions& x, const Moduli& unit,
                          const SparseRows& weights) const override {
    MatrixXd out = MatrixXd::Zero(3 * static_cast<Eigen::Index>(node_count_), weights.cols());
    chunks_.for_each([&](int chunk) {
      for_packs(chunk, [&](const PackOf& pack) {
        const PackNodes<N> force =
            element_force(gather(X, pack), gather(x, pack), Pack{} + unit.mu, Pack{} + unit.k);
        for (int l = 0; l < pack.lanes; ++l)
          for (SparseRows::InnerIterator it(weights, pack.element[l]); it; ++it) {
            double* column = out.col(it.col()).data();
            for (int a = 0; a < N; ++a)
              for (int i = 0; i < 3; ++i) column[3 * pack.node[a][l] + i] += it.value() * force.p[a][i][l];
          }
      });
    });
    return out;
  }

  VectorXd element_work(const Positions& X, const Positions& x, const Moduli& unit,
                        const Positions& lambda) const override {
    VectorXd out(elements_.rows());
    chunks_.for_each([&](int chunk) {
      for_packs(chunk, [&](const PackOf& pack) {
        const PackNodes<N> force =
            element_force(gather(X, pack), gather(x, pack), Pack{} + unit.mu, Pack{} + unit.k);
        const PackNodes<N> along = gather(lambda, pack);
        Pack work{};
        for (int a = 0; a < N; ++a)
          for (int i = 0; i < 3; ++i) work += force.p[a][i] * along.p[a][i];
        for (int l = 0; l < pack.lanes; ++l) out[pack.element[l]] = work[l];
      });
    });
    return out;
  }

  VectorXd nodal_volume(const Positions& X) const override {
    VectorXd volume = VectorXd::Zero(node_count_);
    chunks_.for_each([&](int chunk) {
      for_packs(chunk, [&](const PackOf& pack) {
        const PackNodes<N> rest = gather(X, pack);
        for (int q = 0; q < Q; ++q) {
          const Pack weight = table_.weight[q] * determinant(jacobian<N>(rest, table_.gradient[q]));
          for (int a = 0; a < N; ++a)
            for (int l = 0; l < pack.lanes; ++l) volume[pack.node[a][l]] += weight[l] * table_.value[q][a];
        }
      });
    });
    return volume;
  }

 private:
  /// Four elements; lanes beyond `lanes` repeat the last element and are never scattered.
  struct PackOf {
    int lanes;
    int element[kLanes];
    int node[N][kLanes];
  };

  void make_packs() {
    first_pack_.push_back(0);
    for (int chunk = 0; chunk < chunks_.count(); ++chunk) {
      for (int first = chunks_.start[chunk]; first < chunks_.start[chunk + 1]; first += kLanes) {
        PackOf pack;
        pack.lanes = std::min(kLanes, chunks_.start[chunk + 1] - first);
        for (int l = 0; l < kLanes; ++l) {
          pack.element[l] = chunks_.order[first + std::min(l, pack.lanes - 1)];
          for (int a = 0; a < N; ++a) pack.node[a][l] = elements_(pack.element[l], a);
        }
        packs_.push_back(pack);
      }
      first_pack_.push_back(static_cast<int>(packs_.size()));
    }
  }

  template <class Work>
  void for_packs(int chunk, const Work& work) const {
    for (int k = first_pack_[chunk]; k < first_pack_[chunk + 1]; ++k) work(packs_[k]);
  }

  static PackNodes<N> gather(const Positions& p, const PackOf& pack) {
    PackNodes<N> nodes;
    for (int a = 0; a < N; ++a) {
      const double *p0 = p.data() + 3 * pack.node[a][0], *p1 = p.data() + 3 * pack.node[a][1];
      const double *p2 = p.data() + 3 * pack.node[a][2], *p3 = p.data() + 3 * pack.node[a][3];
      for (int i = 0; i < 3; ++i) nodes.p[a][i] = Pack{p0[i], p1[i], p2[i], p3[i]};
    }
    return nodes;
  }
  static void scatter_nodes(const PackOf& pack, const PackNodes<N>& values, Positions& out) {
    for (int a = 0; a < N; ++a)
      for (int l = 0; l < kLanes; ++l) {
        if (l == pack.lanes) break;
        double* row = out.data() + 3 * pack.node[a][l];
        for (int i = 0; i < 3; ++i) row[i] += values.p[a][i][l];
      }
  }
  static Pack work_of(const PackNodes<N>& lambda, const Vec3& rho_g, const double* value) {
    Pack work{};
    for (int a = 0; a < N; ++a)
      for (int i = 0; i < 3; ++i) work += lambda.p[a][i] * (rho_g[i] * value[a]);
    return work;
  }
  static Pack gather(const VectorXd& v, const PackOf& pack) {
    return Pack{v[pack.element[0]], v[pack.element[1]], v[pack.element[2]], v[pack.element[3]]};
  }

  PackNodes<N> element_force(const PackNodes<N>& X, const PackNodes<N>& x, Pack mu, Pack k) const {
    PackNodes<N> force{};
    for (int q = 0; q < Q; ++q) {
      const TetPoint<N> point = tet_point<N>(X, x, table_.weight[q], table_.gradient[q]);
      const PackMat3 P = stress(point, LawOf<Pack>::response(mu, k, squared_norm(point.F), point.j));
      for (int a = 0; a < N; ++a) {
        const PackVec3 f = P * point.grad[a];
        for (int i = 0; i < 3; ++i) force.p[a][i] += point.weight * f.v[i];
      }
    }
    return force;
  }

  void element_hessian(const PackNodes<N>& X, const PackNodes<N>& x, Pack mu, Pack k,
                       PackMat3* blocks) const {
    for (int q = 0; q < Q; ++q) {
      const TetPoint<N> point = tet_point<N>(X, x, table_.weight[q], table_.gradient[q]);
      const auto r = LawOf<Pack>::response(mu, k, squared_norm(point.F), point.j);
      PackVec3 a_of[N], b_of[N];
      for (int a = 0; a < N; ++a) {
        a_of[a] = point.F * point.grad[a];
        b_of[a] = point.F_inverse_transposed * point.grad[a];
      }
      for (int a = 0, index = 0; a < N; ++a)
        for (int b = 0; b <= a; ++b, ++index) {
          const PackMat3 block =
              tangent_block(r, dot(point.grad[a], point.grad[b]), a_of[a], b_of[a], a_of[b], b_of[b]);
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) blocks[index].m[i][j] += point.weight * block.m[i][j];
        }
    }
  }

  void element_rest_derivative(const PackNodes<N>& X, const PackNodes<N>& x, Pack mu, Pack k,
                               const Vec3& rho_g, PackMat3* blocks) const {
    for (int q = 0; q < Q; ++q) {
      const TetPoint<N> point = tet_point<N>(X, x, table_.weight[q], table_.gradient[q]);
      const auto r = LawOf<Pack>::response(mu, k, squared_norm(point.F), point.j);
      const PackMat3 P = stress(point, r);
      PackVec3 a_of[N], b_of[N], p_of[N];
      for (int a = 0; a < N; ++a) {
        a_of[a] = point.F * point.grad[a];
        b_of[a] = point.F_inverse_transposed * point.grad[a];
        p_of[a] = P * point.grad[a];
      }
      for (int a = 0; a < N; ++a)
        for (int b = 0; b < N; ++b) {
          const PackMat3 khat =
              tangent_block(r, dot(point.grad[a], point.grad[b]), a_of[a], b_of[a], a_of[b], b_of[b]);
          const PackMat3 khat_F = khat * point.F;
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
              blocks[a * N + b].m[i][j] +=
                  point.weight * ((p_of[a].v[i] - table_.value[q][a] * rho_g[i]) * point.grad[b].v[j] -
                                  p_of[b].v[i] * point.grad[a].v[j] - khat_F.m[i][j]);
        }
    }
  }

  static bool all_free(const int* dof) { return dof[0] >= 0 && dof[1] >= 0 && dof[2] >= 0; }

  static void scatter_symmetric(const PackOf& pack, int l, const PackMat3* blocks, const DofMap& dofs,
                                const SymmetricPattern& pattern, std::vector<double>& values) {
    const int* offset =
        pattern.block_offset.data() + static_cast<std::size_t>(pack.element[l]) * (N * (N + 1) / 2);
    for (int a = 0, index = 0; a < N; ++a)
      for (int b = 0; b <= a; ++b, ++index) {
        const bool swapped = pack.node[a][l] < pack.node[b][l];
        const int* row_dof = &dofs.dof[3 * pack.node[swapped ? b : a][l]];
        const int* column_dof = &dofs.dof[3 * pack.node[swapped ? a : b][l]];
        if (a != b && all_free(row_dof) && all_free(column_dof)) {
          for (int c = 0; c < 3; ++c) {
            double* column = values.data() + pattern.column_start[column_dof[0] + c] + offset[index] - c;
            for (int r = 0; r < 3; ++r)
              column[r] += swapped ? blocks[index].m[c][r][l] : blocks[index].m[r][c][l];
          }
          continue;
        }
        int skipped = 0;  // a lower triangle's column misses the rows of its own block above the diagonal
        for (int c = 0; c < 3; ++c) {
          if (column_dof[c] < 0) continue;
          double* column = values.data() + pattern.column_start[column_dof[c]] + offset[index] - skipped;
          int r_free = 0;
          for (int r = 0; r < 3; ++r) {
            if (row_dof[r] < 0) continue;
            if (a != b || r >= c)
              column[r_free] += swapped ? blocks[index].m[c][r][l] : blocks[index].m[r][c][l];
            ++r_free;
          }
          ++skipped;
        }
      }
  }

  static void scatter_general(const PackOf& pack, int l, const PackMat3* blocks, const DofMap& dofs,
                              const GeneralPattern& pattern, std::vector<double>& values) {
    const int* offset = pattern.block_offset.data() + static_cast<std::size_t>(pack.element[l]) * (N * N);
    for (int a = 0; a < N; ++a) {
      const int* row_dof = &dofs.dof[3 * pack.node[a][l]];
      for (int b = 0; b < N; ++b) {
        const int* column_dof = &dofs.dof[3 * pack.node[b][l]];
        for (int r = 0; r < 3; ++r) {
          if (row_dof[r] < 0) continue;
          double* entry = values.data() + pattern.row_start[row_dof[r]] + offset[a * N + b];
          for (int c = 0; c < 3; ++c)
            if (column_dof[c] >= 0) *entry++ += blocks[a * N + b].m[r][c][l];
        }
      }
    }
  }

  Elements elements_;
  int node_count_;
  const TetTable<N, Q>& table_;
  ElementChunks chunks_;
  std::vector<PackOf> packs_;    ///< of all chunks, in order
  std::vector<int> first_pack_;  ///< per chunk
};

template <template <class> class LawOf>
std::unique_ptr<TetElastic> make_of(const Elements& elements, const Positions& nodes) {
  if (elements.cols() == 4) return std::make_unique<TetElasticOf<LawOf, 4, 1>>(elements, nodes, linear_tet());
  require(elements.cols() == 10, "tetrahedra have 4 or 10 nodes");
  return std::make_unique<TetElasticOf<LawOf, 10, 4>>(elements, nodes, quadratic_tet());
}

}  // namespace

std::unique_ptr<TetElastic> make_tet_elastic(Law law, const Elements& elements, const Positions& nodes) {
  return law == Law::neo_hookean ? make_of<NeoHookean>(elements, nodes)
                                 : make_of<NeoHookeanIsochoric>(elements, nodes);
}

}  // namespace furrow
