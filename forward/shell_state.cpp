#include "forward/shell_state.h"

namespace furrow {

ShellState ShellState::zero() const {
  ShellState out;
  out.x = Positions::Zero(x.rows(), 3);
  out.frame_start = Positions::Zero(frame_start.rows(), 3);
  ViscousHistory empty;
  for (const VectorXd& branch : history->branch) empty.branch.push_back(VectorXd::Zero(branch.size()));
  out.history = Shared<ViscousHistory>(std::move(empty));
  for (const ContactLag& l : lag)
    out.lag.push_back({VectorXd::Zero(l.pressure.size()), Positions::Zero(l.normal.rows(), 3)});
  return out;
}

void ShellState::add(double factor, const ShellState& other) {
  x += factor * other.x;
  frame_start += factor * other.frame_start;
  if (!history->branch.empty()) {
    ViscousHistory& mine = history.edit();
    for (std::size_t k = 0; k < mine.branch.size(); ++k) mine.branch[k] += factor * other.history->branch[k];
  }
  for (std::size_t c = 0; c < lag.size(); ++c) {
    lag[c].pressure += factor * other.lag[c].pressure;
    lag[c].normal += factor * other.lag[c].normal;
  }
}

double ShellState::dot(const ShellState& other) const {
  double sum = x.cwiseProduct(other.x).sum() + frame_start.cwiseProduct(other.frame_start).sum();
  for (std::size_t k = 0; k < history->branch.size(); ++k)
    sum += history->branch[k].dot(other.history->branch[k]);
  for (std::size_t c = 0; c < lag.size(); ++c)
    sum += lag[c].pressure.dot(other.lag[c].pressure) + lag[c].normal.cwiseProduct(other.lag[c].normal).sum();
  return sum;
}

}  // namespace furrow
