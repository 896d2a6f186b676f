// Derivatives of a shell's history, through every step of the tape: tangent (few parameters, many right-hand
// sides on one factorisation a step) and adjoint (many parameters, one backward pass). Both exact; see
// THEORY 9.
#pragma once

#include <map>

#include "forward/solve/trajectory.h"

namespace furrow {

/// dx of every frame (n x 3) for every direction of theta: [direction][frame]. Throws NoDerivative.
std::vector<std::vector<Positions>> trajectory_tangent(const CompiledShell&, const Trajectory&,
                                                       const ShellTheta&,
                                                       const std::vector<ShellTheta>& directions);

/// Gradient by theta of an objective whose derivatives by the frames' positions are given (frames not named:
/// zero).
ShellTheta trajectory_adjoint(const CompiledShell&, const Trajectory&, const ShellTheta&,
                              const std::map<int, Positions>& frame_bars);

}  // namespace furrow
