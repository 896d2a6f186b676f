#include "forward/assembly/sparsity.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "forward/base/error.h"

namespace furrow {

DofMap DofMap::from_fixed(const Eigen::Matrix<bool, Eigen::Dynamic, 3, Eigen::RowMajor>& fixed) {
  DofMap map;
  map.dof.resize(3 * fixed.rows());
  for (Eigen::Index i = 0; i < fixed.rows(); ++i)
    for (int c = 0; c < 3; ++c) map.dof[3 * i + c] = fixed(i, c) ? -1 : map.free_count++;
  return map;
}

VectorXd DofMap::gather(const Positions& full) const {
  VectorXd out(free_count);
  for (std::size_t k = 0; k < dof.size(); ++k)
    if (dof[k] >= 0) out[dof[k]] = full.data()[k];
  return out;
}

void DofMap::scatter(const Eigen::Ref<const VectorXd>& free, Positions& full) const {
  for (std::size_t k = 0; k < dof.size(); ++k)
    if (dof[k] >= 0) full.data()[k] = free[dof[k]];
}

Positions DofMap::spread(const Eigen::Ref<const VectorXd>& free) const {
  Positions full = Positions::Zero(static_cast<Eigen::Index>(dof.size() / 3), 3);
  scatter(free, full);
  return full;
}

namespace {

struct NodeGraph {
  std::vector<int> start, neighbour;
};

/// Neighbours of every node, itself included, ascending.
NodeGraph node_graph(const Elements& elements, int node_count, bool upper_only) {
  const int n = static_cast<int>(elements.cols());
  std::vector<int> count(node_count + 1, 0), member;
  for (Eigen::Index e = 0; e < elements.rows(); ++e)
    for (int a = 0; a < n; ++a) ++count[elements(e, a) + 1];
  for (int i = 0; i < node_count; ++i) count[i + 1] += count[i];
  member.resize(count.back());
  std::vector<int> fill(count.begin(), count.end() - 1);
  for (Eigen::Index e = 0; e < elements.rows(); ++e)
    for (int a = 0; a < n; ++a) member[fill[elements(e, a)]++] = static_cast<int>(e);

  NodeGraph graph;
  graph.start.assign(node_count + 1, 0);
  std::vector<int> mark(node_count, -1), found;
  for (int i = 0; i < node_count; ++i) {
    found.clear();
    for (int k = count[i]; k < count[i + 1]; ++k)
      for (int a = 0; a < n; ++a) {
        const int j = elements(member[k], a);
        if (mark[j] == i || (upper_only && j < i)) continue;
        mark[j] = i;
        found.push_back(j);
      }
    std::sort(found.begin(), found.end());
    graph.neighbour.insert(graph.neighbour.end(), found.begin(), found.end());
    graph.start[i + 1] = static_cast<int>(graph.neighbour.size());
  }
  return graph;
}

int free_components(const DofMap& dofs, int node) {
  int n = 0;
  for (int c = 0; c < 3; ++c) n += dofs.dof[3 * node + c] >= 0;
  return n;
}

/// Offsets, in scalars, of each neighbour's block within a row (or column) of the node.
std::vector<int> block_starts(const NodeGraph& graph, const DofMap& dofs, std::vector<int>& width) {
  const int node_count = static_cast<int>(graph.start.size()) - 1;
  std::vector<int> offset(graph.neighbour.size());
  width.assign(node_count, 0);
  for (int i = 0; i < node_count; ++i)
    for (int k = graph.start[i]; k < graph.start[i + 1]; ++k) {
      offset[k] = width[i];
      width[i] += free_components(dofs, graph.neighbour[k]);
    }
  return offset;
}

int find_block(const NodeGraph& graph, int i, int j) {
  const auto first = graph.neighbour.begin() + graph.start[i],
             last = graph.neighbour.begin() + graph.start[i + 1];
  return static_cast<int>(std::lower_bound(first, last, j) - graph.neighbour.begin());
}

}  // namespace

SymmetricPattern make_symmetric_pattern(const Elements& elements, int node_count, const DofMap& dofs) {
  const NodeGraph graph = node_graph(elements, node_count, true);
  std::vector<int> width;
  const std::vector<int> offset = block_starts(graph, dofs, width);

  SymmetricPattern pattern;
  pattern.size = dofs.free_count;
  pattern.column_start.assign(1, 0);
  for (int j = 0; j < node_count; ++j) {
    int local = 0;
    for (int c = 0; c < 3; ++c) {
      if (dofs.dof[3 * j + c] < 0) continue;
      for (int k = graph.start[j]; k < graph.start[j + 1]; ++k)
        for (int d = 0; d < 3; ++d) {
          const int row = dofs.dof[3 * graph.neighbour[k] + d];
          if (row >= dofs.dof[3 * j + c]) pattern.row.push_back(row);
        }
      pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
      ++local;
    }
  }
  const int n = static_cast<int>(elements.cols());
  pattern.block_offset.reserve(elements.rows() * n * (n + 1) / 2);
  for (Eigen::Index e = 0; e < elements.rows(); ++e)
    for (int a = 0; a < n; ++a)
      for (int b = 0; b <= a; ++b) {
        const auto [low, high] = std::minmax(elements(e, a), elements(e, b));
        pattern.block_offset.push_back(offset[find_block(graph, low, high)]);
      }
  pattern.node_start = graph.start;
  pattern.node_neighbour = graph.neighbour;
  return pattern;
}

GeneralPattern make_general_pattern(const Elements& elements, int node_count, const DofMap& dofs) {
  const NodeGraph graph = node_graph(elements, node_count, false);
  std::vector<int> width;
  const std::vector<int> offset = block_starts(graph, dofs, width);

  GeneralPattern pattern;
  pattern.size = dofs.free_count;
  pattern.row_start.assign(1, 0);
  for (int i = 0; i < node_count; ++i)
    for (int c = 0; c < 3; ++c) {
      if (dofs.dof[3 * i + c] < 0) continue;
      for (int k = graph.start[i]; k < graph.start[i + 1]; ++k)
        for (int d = 0; d < 3; ++d)
          if (const int column = dofs.dof[3 * graph.neighbour[k] + d]; column >= 0)
            pattern.column.push_back(column);
      pattern.row_start.push_back(static_cast<int>(pattern.column.size()));
    }
  const int n = static_cast<int>(elements.cols());
  pattern.block_offset.reserve(elements.rows() * n * n);
  for (Eigen::Index e = 0; e < elements.rows(); ++e)
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        pattern.block_offset.push_back(offset[find_block(graph, elements(e, a), elements(e, b))]);
  return pattern;
}

MatrixXd multiply_symmetric(const SymmetricPattern& pattern, const std::vector<double>& values,
                            const MatrixXd& x) {
  require(x.rows() == pattern.size, "multiply_symmetric: x has another size");
  MatrixXd y(x.rows(), x.cols());
  tbb::parallel_for(Eigen::Index{0}, x.cols(), [&](Eigen::Index column) {
    const double* in = x.col(column).data();
    double* out = y.col(column).data();
    std::fill(out, out + pattern.size, 0.0);
    for (int j = 0; j < pattern.size; ++j) {
      int k = pattern.column_start[j];
      const double xj = in[j];
      double sum = values[k] * xj;
      for (++k; k < pattern.column_start[j + 1]; ++k) {
        out[pattern.row[k]] += values[k] * xj;
        sum += values[k] * in[pattern.row[k]];
      }
      out[j] += sum;
    }
  });
  return y;
}

MatrixXd multiply_general(const GeneralPattern& pattern, const std::vector<double>& values,
                          const MatrixXd& x) {
  require(x.rows() == pattern.size, "multiply_general: x has another size");
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor in = x;  // a matrix entry meets all columns at once
  RowMajor out(x.rows(), x.cols());
  tbb::parallel_for(tbb::blocked_range<int>(0, pattern.size, 256), [&](const tbb::blocked_range<int>& range) {
    for (int i = range.begin(); i < range.end(); ++i) {
      double* row = out.data() + i * x.cols();
      std::fill(row, row + x.cols(), 0.0);
      for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
        const double* from = in.data() + pattern.column[k] * x.cols();
        for (Eigen::Index c = 0; c < x.cols(); ++c) row[c] += values[k] * from[c];
      }
    }
  });
  return out;
}

MatrixXd multiply_general_transposed(const GeneralPattern& pattern, const std::vector<double>& values,
                                     const MatrixXd& x) {
  require(x.rows() == pattern.size, "multiply_general_transposed: x has another size");
  MatrixXd y = MatrixXd::Zero(x.rows(), x.cols());
  tbb::parallel_for(Eigen::Index{0}, x.cols(), [&](Eigen::Index c) {
    for (int i = 0; i < pattern.size; ++i)
      for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
        y(pattern.column[k], c) += values[k] * x(i, c);
  });
  return y;
}

}  // namespace furrow
