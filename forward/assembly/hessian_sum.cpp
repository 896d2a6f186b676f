#include "forward/assembly/hessian_sum.h"

namespace furrow {

namespace {

bool all_free(const int* dof) {
  return dof[0] >= 0 && dof[1] >= 0 && dof[2] >= 0;
}

}  // namespace

void HessianSum::add(int element, int first, const Eigen::Ref<const MatrixXd>& k) {
  const std::size_t n = static_cast<std::size_t>(elements_.cols());
  const int* offsets = pattern_.block_offset.data() + element * (n * (n + 1) / 2);
  const int count = static_cast<int>(k.rows()) / 3;
  for (int a = 0; a < count; ++a)
    for (int b = 0; b <= a; ++b) {
      const int la = first + a, lb = first + b;
      const int offset = offsets[la * (la + 1) / 2 + lb];
      const int na = elements_(element, la), nb = elements_(element, lb);
      const bool swapped = na < nb;  // columns belong to the smaller node number
      const int* row_dof = &dofs_.dof[3 * (swapped ? nb : na)];
      const int* column_dof = &dofs_.dof[3 * (swapped ? na : nb)];
      const int row0 = swapped ? b : a, column0 = swapped ? a : b;
      if (a != b && all_free(row_dof) && all_free(column_dof)) {
        for (int c = 0; c < 3; ++c) {
          double* column = values_.data() + pattern_.column_start[column_dof[0] + c] + offset - c;
          for (int r = 0; r < 3; ++r) column[r] += k(r * count + row0, c * count + column0);
        }
        continue;
      }
      int skipped = 0;  // a lower triangle's column misses the rows of its own block above the diagonal
      for (int c = 0; c < 3; ++c) {
        if (column_dof[c] < 0) continue;
        double* column = values_.data() + pattern_.column_start[column_dof[c]] + offset - skipped;
        int r_free = 0;
        for (int r = 0; r < 3; ++r) {
          if (row_dof[r] < 0) continue;
          if (a != b || r >= c) column[r_free] += k(r * count + row0, c * count + column0);
          ++r_free;
        }
        ++skipped;
      }
    }
}

}  // namespace furrow
