#include "inverse/shell_derivative.h"

namespace furrow {

std::vector<std::vector<Positions>> trajectory_tangent(const CompiledShell& shell,
                                                       const Trajectory& trajectory, const ShellTheta& theta,
                                                       const std::vector<ShellTheta>& directions) {
  std::vector<std::vector<Positions>> out(
      directions.size(),
      std::vector<Positions>(trajectory.frames.size(), Positions::Zero(shell.mesh().nodes.rows(), 3)));
  std::vector<ShellState> d(directions.size(), shell.rest_state().zero());
  std::map<int, std::vector<int>> frames_of_step;
  for (std::size_t f = 0; f < trajectory.frames.size(); ++f)
    frames_of_step[trajectory.frames[f].last_step].push_back(static_cast<int>(f));
  for (std::size_t k = 0; k < trajectory.tape.size(); ++k) {
    const TapeEntry& entry = trajectory.tape[k];
    d = entry.step->jvp(*entry.from, *entry.to, theta, d, directions);
    if (const auto found = frames_of_step.find(static_cast<int>(k)); found != frames_of_step.end())
      for (const int f : found->second)
        for (std::size_t c = 0; c < d.size(); ++c) out[c][f] = d[c].x;
  }
  return out;
}

ShellTheta trajectory_adjoint(const CompiledShell& shell, const Trajectory& trajectory,
                              const ShellTheta& theta, const std::map<int, Positions>& frame_bars) {
  std::map<int, Positions> bar_of_step;
  for (const auto& [f, bar] : frame_bars) {
    const int step = trajectory.frames[f].last_step;
    const auto [it, fresh] = bar_of_step.try_emplace(step, bar);
    if (!fresh) it->second += bar;
  }
  ShellState bar = shell.rest_state().zero();
  VectorXd theta_bar = VectorXd::Zero(theta.size());
  for (int k = static_cast<int>(trajectory.tape.size()) - 1; k >= 0; --k) {
    if (const auto found = bar_of_step.find(k); found != bar_of_step.end()) bar.x += found->second;
    const TapeEntry& entry = trajectory.tape[k];
    StepPullback p = entry.step->vjp(*entry.from, *entry.to, theta, bar);
    bar = std::move(p.state);
    theta_bar += p.theta.flat();
  }
  return theta.like(theta_bar);
}

}  // namespace furrow
