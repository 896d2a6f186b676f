// A shell scene through time: frames become steps, steps make states; the tape of both is what derivatives
// run on.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "forward/shell_scene.h"
#include "forward/solve/step.h"

namespace furrow {

/// What moves: everything as a function of time, so that a step that fails can be halved.
struct ShellSchedule {
  double dt = 1.0 / 24;  ///< [s]
  int frames = 1;        ///< computed after frame 0
  ViscousScheme viscous = ViscousScheme::strang;
  int friction_lag = 2;  ///< equilibria a frame, with the lag refreshed in between
  bool settle = false;   ///< frame 0 is brought to rest first
  std::function<std::vector<ColliderPose>(double time)> colliders;  ///< empty: none
  std::function<Positions(double time)> boundary;  ///< n x 3, read on the fixed dofs; empty: at rest
  Vec3 gravity = Vec3::Zero();                     ///< [mm/s^2]
  StepSolverOptions solver;
  int max_halvings = 4;  ///< of a frame whose equilibrium fails
  bool keep_tape =
      true;  ///< false: long runs forget what came before the frame at hand (no derivatives then)
};

struct TapeEntry {
  std::shared_ptr<const Step> step;
  std::shared_ptr<const ShellState> from, to;
};

/// A frame as a viewer sees it.
struct ShellFrame {
  double time = 0;
  Frame frame;                              ///< the last (sub)step that led here
  std::shared_ptr<const ShellState> from;   ///< what its last equilibrium started from
  std::shared_ptr<const ShellState> state;  ///< at its end
  int last_step = -1;                       ///< tape entry that produced x; -1: frame 0 at rest
  StepReport report;                        ///< of the last equilibrium, iterations summed
  int halvings = 0;
};

struct Trajectory {
  std::vector<TapeEntry> tape;     ///< empty without keep_tape; then only the last frame has states
  std::vector<ShellFrame> frames;  ///< frame 0 first; shorter than asked for where a step failed
  StepFailure failure = StepFailure::none;
  double failed_at = 0;  ///< [s]
};

/// `progress(frame)` after every frame; returning false stops (the trajectory is then short, without
/// failure).
Trajectory simulate(const CompiledShell&, const ShellTheta&, const ShellSchedule&,
                    const std::function<bool(const ShellFrame&)>& progress = {});

}  // namespace furrow
