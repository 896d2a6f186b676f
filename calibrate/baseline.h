// The head with one stiffness for all tissue: what a calibration has to beat.
#pragma once

#include <string>

#include "calibrate/fitted_head.h"

namespace furrow {

struct Baseline {
  double young = 0;  ///< best on the observations to fit [MPa]; 0 when there is none
  HeadData data;     ///< the head with one cluster
  Positions X;       ///< rest shape, nodes x 3 [mm]
  std::string failure;
};

/// RestMode::known: the neutral scan is the rest shape; RestMode::inverse: the rest shape follows from the
/// stiffness. The mesh is the calibrated head's own.
Baseline fit_one_stiffness(const FittedHead& head, RestMode rest);

}  // namespace furrow
