// `furrow validate`: held-out observations as the calibrated head predicts them, beside two baselines.
//
//   fit      calibrated stiffnesses and rest shape
//   naive    the neutral scan is the rest shape, with the one stiffness that then fits best (what people do
//   without calibration) uniform  one stiffness for all tissue, with the rest shape that belongs to it
//
// Two errors of a vertex: that of its position, |W x - observed|, and that of its motion from the neutral,
// |(W x - W x_neutral) - (observed - neutral)|. They differ where `validation.neutral` gives a better neutral
// scan than the scene's.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/fitted_head.h"

namespace furrow {

/// Of distances between corresponding vertices [mm].
struct ErrorSummary {
  double mean = 0, rms = 0, p95 = 0, max = 0;
};
ErrorSummary summarise(const VectorXd& distances);

struct VertexErrors {
  VectorXd position, motion;  ///< over the mask [mm]
};

struct HeldOutPose {
  std::string name;
  std::vector<int> vertices;  ///< the mask
  std::optional<VertexErrors> fit, naive, uniform;
  Positions surface, naive_surface;  ///< predicted, scan vertices x 3 [mm]; no rows without a prediction
};

struct Validation {
  std::vector<HeldOutPose> poses;
  VertexErrors total(std::optional<VertexErrors> HeldOutPose::*of) const;  ///< over all held-out observations
  double naive_young = 0, uniform_young = 0;                               ///< [MPa]; 0: no such fit
  std::vector<std::string> notes;  ///< what could not be predicted, and why
  bool complete() const;           ///< the calibrated head predicts every pose
};

/// Throws InputError when nothing is held out. `tell` hears what comes next.
Validation validate(const FittedHead& head, const std::function<void(const std::string&)>& tell);

/// validation.json, validation/mean_error.ply (the neutral coloured by the mean), and validation/<pose>.ply
/// and <pose>_naive.ply coloured by the position's error, all in one range. Returns the JSON file.
std::filesystem::path write_validation(const std::filesystem::path& folder, const FittedHead& head,
                                       const Validation& validation);

}  // namespace furrow
