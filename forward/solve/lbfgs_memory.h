// The two-loop recursion of L-BFGS, split at the point where the initial inverse Hessian is applied, so that
// several problems can share one application (Nocedal & Wright, algorithm 7.4).
#pragma once

#include <deque>

#include "forward/base/types.h"

namespace furrow {

class LbfgsMemory {
 public:
  explicit LbfgsMemory(int capacity = 8) : capacity_(capacity) {}

  void clear() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }
  /// s = x_new - x, y = g_new - g; pairs without curvature are dropped.
  void add(VectorXd s, VectorXd y);
  /// First loop: what H0 is to be applied to.
  VectorXd before(const VectorXd& gradient);
  /// Second loop: the search direction is minus this.
  VectorXd after(const VectorXd& h0_q) const;

 private:
  struct Pair {
    VectorXd s, y;
    double rho, alpha;
  };
  int capacity_;
  std::deque<Pair> pairs_;
};

}  // namespace furrow
