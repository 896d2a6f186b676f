// `furrow fit`: from a project to values with honest error bars.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "calibrate/head_fit.h"
#include "calibrate/project.h"
#include "inverse/identifiability.h"

namespace furrow {

struct FitProgress {
  std::string stage;
  int iteration = 0;
  double cost = 0;
  double rms = 0;  ///< of the misfit over all observed coordinates [mm]
  bool accepted = true;
  double seconds = 0;        ///< since the start
  double seconds_left = -1;  ///< estimate; < 0 unknown
  std::string note;          ///< a line instead of an iteration: "meshing", "model part: mesh"
};

struct FitRun {
  std::filesystem::path output;  ///< folder; checkpoint/ inside it
  bool resume = false;
  std::function<bool(const FitProgress&)> progress;  ///< false: stop cleanly
};

struct ParameterEstimate {
  std::string name;
  double value = 0;    ///< in `unit`
  std::string unit;    ///< "kPa", or "" for ratios
  double log_std = 0;  ///< total: noise and model part (plain standard deviation for Poisson's ratio)
  double noise_log_std = 0;
  double model_log_std = 0;
  double prior_share = 0;
  double effect_mm = 0;  ///< rms of d(surface)/d log parameter over the fitted observations
  bool determined = false, at_bound = false, weak = false, dead = false, held = false;
  std::array<double, 2> interval95() const;
};

/// One change of the model and how far it moves the parameters (one Gauss-Newton step at the solution).
struct ModelShift {
  std::string name;    ///< "mesh 0.8", "labels 1", "law neo-hookean-isochoric"
  double weight = 1;   ///< its square enters the covariance with this factor
  VectorXd log_shift;  ///< per free parameter
};

struct ObservationFit {
  std::string name, use;
  int count = 0;                                ///< observed vertices
  double rms = 0;                               ///< per coordinate [mm]
  double sigma = 0;                             ///< [mm]
  double mean_error = 0;                        ///< mean vertex distance [mm]
  double rotation_deg = 0, translation_mm = 0;  ///< of the nuisance motion
};

struct FitResult {
  std::string subject;
  Termination termination = Termination::failed;
  std::string message;
  std::vector<ParameterEstimate> parameters;
  std::vector<std::string> free_names;  ///< order of covariance and shifts
  MatrixXd covariance;                  ///< of log parameters, model part included
  MatrixXd noise_covariance;
  std::vector<WeakCombination> undetermined;
  std::vector<ModelShift> model_shifts;
  std::vector<ObservationFit> observations;
  double chi2_per_dof = 0, inflation = 1, n_eff_share = 1;
  int evaluations = 0, iterations = 0, forward_solves = 0, failed_solves = 0;
  VectorXd values;  ///< physical, all parameters
  TissueTheta theta;
  Positions X;  ///< rest shape
  std::vector<std::string> notes, warnings;
  std::vector<std::string> history;  ///< lines of history.csv
  double wall_s = 0;
};

/// Runs all stages, analyses, and writes fit.json, scene.json with its meshes, history.csv and checkpoint/
/// into run.output. InputError for bad input; no convergence is in the result.
FitResult run_fit(const Project& project, const FitRun& run);

/// The word of fit.json: converged, interrupted or not_converged.
const char* status_word(Termination termination);
/// fit.json (DESIGN section 5).
void write_fit_json(const std::filesystem::path& file, const Project& project, const FitResult& result);
/// The calibrated scene and every mesh it needs, in `folder`.
void write_calibrated_scene(const std::filesystem::path& folder, const HeadData& data,
                            const TissueTheta& theta, const Positions& X);

/// Share of independent observations, N_eff / N, from the autocorrelation of the misfits over the surface.
double independent_share(const HeadData& data, const HeadProblem& problem, const VectorXd& p);

/// The changes of the model that `options` ask for, as one Gauss-Newton step each.
std::vector<ModelShift> model_shifts(const Project& project, const HeadData& data, const HeadProblem& problem,
                                     const VectorXd& p, const VectorXd& values, const ResidualValue& at,
                                     const VectorXd& log_derivatives,
                                     const std::function<void(const std::string&)>& tell,
                                     std::vector<std::string>& notes);

}  // namespace furrow
