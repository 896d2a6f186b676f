// The inversion paper's scheme (Kozlov et al. 2019), literally: the rest shape is free at every node with an
// elastic prior, and rest shape and stiffness are found in turns.
//
//   g(X, E) = 1/2 sum_p |W x_p(X, E) + o - observed_p|^2 + alpha R(X),   R(X) = W_elastic(X; X0, E0)     (its
//   eq. 5, squared; THEORY 11)
//
// X0 by reversed gravity from the neutral scan; E0 stays the start (THEORY 11: "keep P0 constant"). First the
// neutral alone, then all poses; X by gradient descent with a Wolfe line search that refuses inverted
// elements, log E by BFGS; stiffness is kept within 0.001-0.5 MPa. The default scheme (inverse elastostatics)
// is better in every respect; this one is here to be compared with.
#pragma once

#include "calibrate/fit.h"

namespace furrow {

struct SeedOptions {
  int rounds = 4;                ///< of (X, E) on all poses
  int rest_iterations = 6;       ///< of gradient descent a round
  int stiffness_iterations = 6;  ///< of BFGS a round
  double prior_share =
      0.05;  ///< a rest shape moved by as much as the neutral sags costs as much as misfits of this size [mm]
};

/// Fits by turns; fills values, theta, X, observations and what its posterior determines.
FitResult run_seed_fit(const Project& project, const FitRun& run, const SeedOptions& options = {});

}  // namespace furrow
