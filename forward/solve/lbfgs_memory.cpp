#include "forward/solve/lbfgs_memory.h"

namespace furrow {

void LbfgsMemory::add(VectorXd s, VectorXd y) {
  const double curvature = s.dot(y);
  if (!(curvature > 1e-14 * s.norm() * y.norm())) return;
  if (static_cast<int>(pairs_.size()) == capacity_) pairs_.pop_front();
  pairs_.push_back({std::move(s), std::move(y), 1 / curvature, 0});
}

VectorXd LbfgsMemory::before(const VectorXd& gradient) {
  VectorXd q = gradient;
  for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
    pair->alpha = pair->rho * pair->s.dot(q);
    q -= pair->alpha * pair->y;
  }
  return q;
}

VectorXd LbfgsMemory::after(const VectorXd& h0_q) const {
  VectorXd d = h0_q;
  for (const Pair& pair : pairs_) d += (pair.alpha - pair.rho * pair.y.dot(d)) * pair.s;
  return d;
}

}  // namespace furrow
