// The penalty of a gap g < 0, depth d = -g: published phi = kappa d^2 (C1: its second derivative jumps at
// contact), or with a ramp of width w the C2 function
//
//   phi = kappa d^3 / (3 w)                 d < w
//   phi = kappa (d^2 - w d + w^2/3)         d >= w
//
// kappa [MPa/mm]; the contact stiffness is 2 kappa (THEORY 0.3). Linear in kappa.
#pragma once

namespace furrow {

struct PenaltyValue {
  double energy = 0, first = 0, second = 0;  ///< phi, dphi/dd (the pressure f_n), d2phi/dd2, by the depth d
};

struct ContactPenalty {
  double kappa = 0;                     ///< [MPa/mm]
  double ramp = 0;                      ///< w [mm]; 0: the published penalty
  PenaltyValue at_gap(double g) const;  ///< zero for g >= 0
};

}  // namespace furrow
