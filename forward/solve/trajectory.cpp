#include "forward/solve/trajectory.h"

#include <cmath>
#include <limits>

namespace furrow {

namespace {

class Simulation {
 public:
  Simulation(const CompiledShell& shell, const ShellTheta& theta, const ShellSchedule& schedule)
      : shell_(shell), theta_(theta), schedule_(schedule) {
    state_ = std::make_shared<ShellState>(shell.rest_state());
    ShellFrame first;
    first.frame = frame_between(0, 0);
    first.from = first.state = state_;
    out_.frames.push_back(first);
  }

  /// Frame 0 at rest: all branches relaxed (alpha = 0).
  bool settle() {
    Frame frame = frame_between(0, 0);
    frame.dt = std::numeric_limits<double>::infinity();
    const std::size_t mark = out_.tape.size();
    StepReport report;
    if (!run(equilibrium(shell_, frame, boundary(0), schedule_.solver), report)) return fail(report, 0);
    run(viscous_relaxation(shell_, frame, 1), report);
    run(refresh_lag(shell_, frame), report);
    out_.frames[0].from = out_.tape[mark].from;
    out_.frames[0].state = state_;
    out_.frames[0].report = report;
    out_.frames[0].last_step = static_cast<int>(mark);
    return true;
  }

  bool advance_to(int index, const std::function<bool(const ShellFrame&)>& progress) {
    ShellFrame frame;
    const double from = (index - 1) * schedule_.dt, to = index * schedule_.dt;
    if (!advance(from, to, 0, frame)) return false;
    frame.time = to;
    frame.from = out_.tape[frame.last_step].from;
    frame.state = state_;
    if (!schedule_.keep_tape) {
      out_.tape.clear();
      out_.frames.back().from = out_.frames.back().state = nullptr;
    }
    out_.frames.push_back(frame);
    return !progress || progress(frame);
  }

  Trajectory result() && { return std::move(out_); }
  Trajectory& out() { return out_; }

 private:
  Frame frame_between(double from, double to) const {
    Frame frame;
    frame.time = to;
    frame.dt = to - from;
    frame.viscous_exponent = schedule_.viscous == ViscousScheme::strang ? 0.5 : 1.0;
    frame.gravity = schedule_.gravity;
    if (schedule_.colliders) {
      frame.before = schedule_.colliders(from);
      frame.now = schedule_.colliders(to);
    }
    return frame;
  }

  std::shared_ptr<const Positions> boundary(double time) const {
    return std::make_shared<Positions>(schedule_.boundary ? schedule_.boundary(time) : shell_.mesh().nodes);
  }

  bool run(std::unique_ptr<Step> step, StepReport& report) {
    Step::Advance next = step->advance(*state_, theta_);
    const int iterations = report.iterations + next.report.iterations,
              factorizations = report.factorizations + next.report.factorizations,
              buckles = report.buckles + next.report.buckles;
    if (next.report.iterations > 0 || next.report.factorizations > 0 ||
        next.report.failure != StepFailure::none)
      report = next.report;
    report.iterations = iterations;
    report.factorizations = factorizations;
    report.buckles = buckles;
    if (next.report.failure != StepFailure::none) return false;
    auto to = std::make_shared<const ShellState>(std::move(next.state));
    out_.tape.push_back({std::shared_ptr<const Step>(std::move(step)), state_, to});
    state_ = to;
    return true;
  }

  /// One (sub)step of the scheme; on failure the tape and the state are as before.
  bool attempt(double from, double to, ShellFrame& frame) {
    const std::size_t mark = out_.tape.size();
    const auto before = state_;
    frame.frame = frame_between(from, to);
    const Frame& f = frame.frame;
    bool ok = run(begin_frame(f), frame.report);
    if (schedule_.viscous == ViscousScheme::strang)
      ok = ok && run(viscous_relaxation(shell_, f, 0.5), frame.report);
    for (int pass = 0; ok && pass < schedule_.friction_lag; ++pass) {
      ok = run(equilibrium(shell_, f, boundary(to), schedule_.solver), frame.report);
      if (ok) frame.last_step = static_cast<int>(out_.tape.size()) - 1;
      ok = ok && run(refresh_lag(shell_, f), frame.report);
      if (f.now.empty()) break;  // nothing to lag behind
    }
    ok = ok && run(viscous_relaxation(shell_, f, schedule_.viscous == ViscousScheme::strang ? 0.5 : 1.0),
                   frame.report);
    if (!ok) {
      out_.tape.resize(mark);
      state_ = before;
    }
    return ok;
  }

  bool advance(double from, double to, int depth, ShellFrame& frame) {
    if (attempt(from, to, frame)) return true;
    if (depth == schedule_.max_halvings || frame.report.failure == StepFailure::time_limit)
      return fail(frame.report, to);
    ++frame.halvings;
    frame.report.failure = StepFailure::none;
    const double middle = (from + to) / 2;
    return advance(from, middle, depth + 1, frame) && advance(middle, to, depth + 1, frame);
  }

  bool fail(const StepReport& report, double time) {
    out_.failure = report.failure;
    out_.failed_at = time;
    return false;
  }

  const CompiledShell& shell_;
  const ShellTheta& theta_;
  const ShellSchedule& schedule_;
  std::shared_ptr<const ShellState> state_;
  Trajectory out_;
};

}  // namespace

Trajectory simulate(const CompiledShell& shell, const ShellTheta& theta, const ShellSchedule& schedule,
                    const std::function<bool(const ShellFrame&)>& progress) {
  Simulation simulation(shell, theta, schedule);
  bool going = !schedule.settle || simulation.settle();
  if (going && progress) going = progress(simulation.out().frames[0]);
  for (int k = 1; going && k <= schedule.frames; ++k) going = simulation.advance_to(k, progress);
  return std::move(simulation).result();
}

}  // namespace furrow
