// Patterns against dense matrices, free dofs, and chunks that may run in parallel.
#include "forward/assembly/sparsity.h"

#include <gtest/gtest.h>

#include <set>

#include "forward/assembly/element_chunks.h"
#include "tests/forward/tet_body.h"

namespace furrow {
namespace {

using testing::random_vector;
using testing::TetBody;

TEST(DofMapTest, GathersAndSpreadsFreeEntries) {
  FixedFlags fixed = FixedFlags::Constant(3, 3, false);
  fixed.row(1) << true, false, true;
  const DofMap dofs = DofMap::from_fixed(fixed);
  EXPECT_EQ(dofs.free_count, 7);
  EXPECT_EQ(dofs.dof, (std::vector<int>{0, 1, 2, -1, 3, -1, 4, 5, 6}));
  Positions p(3, 3);
  p << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  VectorXd free(7);
  free << 1, 2, 3, 5, 7, 8, 9;
  EXPECT_EQ(dofs.gather(p), free);
  Positions spread = p;
  spread(1, 0) = spread(1, 2) = 0;
  EXPECT_EQ(dofs.spread(free), spread);
  dofs.scatter(2 * free, p);
  EXPECT_EQ(p(0, 0), 2);
  EXPECT_EQ(p(1, 0), 4);  // fixed: untouched
  EXPECT_EQ(p(1, 1), 10);
}

/// Free dofs that share an element.
std::set<std::pair<int, int>> coupled(const Elements& elements, const DofMap& dofs) {
  std::set<std::pair<int, int>> pairs;
  for (Eigen::Index e = 0; e < elements.rows(); ++e)
    for (int a = 0; a < 3 * elements.cols(); ++a)
      for (int b = 0; b < 3 * elements.cols(); ++b) {
        const int i = dofs.dof[3 * elements(e, a / 3) + a % 3], j = dofs.dof[3 * elements(e, b / 3) + b % 3];
        if (i >= 0 && j >= 0) pairs.emplace(i, j);
      }
  return pairs;
}

class Patterns : public ::testing::TestWithParam<int> {
 protected:
  TetBody body_ = testing::tet_body(GetParam());
  DofMap dofs_ = DofMap::from_fixed(body_.fixed);
  std::set<std::pair<int, int>> coupled_ = coupled(body_.mesh.elements, dofs_);
  MatrixXd x_ = random_vector(2 * dofs_.free_count, 31).reshaped(dofs_.free_count, 2);
};

TEST_P(Patterns, SymmetricHoldsTheLowerTriangle) {
  const SymmetricPattern pattern =
      make_symmetric_pattern(body_.mesh.elements, body_.mesh.node_count(), dofs_);
  ASSERT_EQ(pattern.size, dofs_.free_count);
  MatrixXd dense = MatrixXd::Zero(pattern.size, pattern.size);
  std::vector<double> values(pattern.row.size());
  std::size_t lower = 0;
  for (const auto& [i, j] : coupled_) lower += i >= j;
  EXPECT_EQ(values.size(), lower);
  for (int j = 0; j < pattern.size; ++j) {
    EXPECT_EQ(pattern.row[pattern.column_start[j]], j);
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const int i = pattern.row[k];
      EXPECT_TRUE(coupled_.count({i, j}));
      if (k > pattern.column_start[j]) {
        EXPECT_GT(i, pattern.row[k - 1]);
      }
      dense(i, j) = dense(j, i) = values[k] = std::sin(1.0 + k);
    }
  }
  EXPECT_LT((multiply_symmetric(pattern, values, x_) - dense * x_).norm(), 1e-12);
}

TEST_P(Patterns, GeneralHoldsBothTriangles) {
  const GeneralPattern pattern = make_general_pattern(body_.mesh.elements, body_.mesh.node_count(), dofs_);
  ASSERT_EQ(pattern.size, dofs_.free_count);
  EXPECT_EQ(pattern.column.size(), coupled_.size());
  MatrixXd dense = MatrixXd::Zero(pattern.size, pattern.size);
  std::vector<double> values(pattern.column.size());
  for (int i = 0; i < pattern.size; ++i)
    for (int k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
      EXPECT_TRUE(coupled_.count({i, pattern.column[k]}));
      dense(i, pattern.column[k]) = values[k] = std::sin(1.0 + k);
    }
  EXPECT_LT((multiply_general(pattern, values, x_) - dense * x_).norm(), 1e-12);
  EXPECT_LT((multiply_general_transposed(pattern, values, x_) - dense.transpose() * x_).norm(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Orders, Patterns, ::testing::Values(1, 2));

TEST(ElementChunksTest, EveryElementOnceAndNoNodeTwiceInAColour) {
  const TetBody body = testing::tet_body(1, 6);
  const ElementChunks chunks = make_chunks(body.mesh.elements, body.mesh.nodes, 32);
  EXPECT_GT(chunks.count(), 30);
  std::vector<int> seen(body.mesh.element_count(), 0);
  for (const int e : chunks.order) ++seen[e];
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
  std::vector<int> visits(chunks.count(), 0);
  for (const auto& colour : chunks.colours) {
    std::vector<int> owner(body.mesh.node_count(), -1);
    for (const int chunk : colour) {
      ++visits[chunk];
      for (int k = chunks.start[chunk]; k < chunks.start[chunk + 1]; ++k)
        for (const int node : body.mesh.elements.row(chunks.order[k])) {
          ASSERT_TRUE(owner[node] == -1 || owner[node] == chunk);
          owner[node] = chunk;
        }
    }
  }
  EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; }));
}

}  // namespace
}  // namespace furrow
