// Bad starts: ITF04 inversion thresholding (Irving, Teran, Fedkiw 2004). Where J <= 0 the stress is evaluated
// at F with its singular values clamped from below, which pushes inverted elements back; used before a solve,
// never inside a gradient.
#pragma once

#include "forward/assembly/cholmod_solver.h"
#include "forward/compiled_scene.h"

namespace furrow {

/// Positions near `start` without inverted elements; `start` itself (still inverted) when 200 iterations do
/// not get there. `solver` is factorised at the rest shape.
Positions uninvert(const CompiledScene&, const TissueTheta&, const Positions& X, const Positions& force,
                   const Positions& start, CholmodSolver& solver);

}  // namespace furrow
