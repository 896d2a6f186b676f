// project.json: what `furrow fit` runs. Scenes, observations, the parameters that may move and the stages
// that move them. The schema that editors complete from is data/schema/project.schema.json; a test keeps both
// in step.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/observation.h"
#include "forward/base/json_file.h"
#include "forward/scene.h"

namespace furrow {

/// Normal distribution of the logarithm around that of `value`.
struct LogPrior {
  double value = 0;  ///< in the parameter's internal unit
  double log_std = 0;
};

/// A line of `parameters`. Names: tissue.young.<cluster> [MPa], tissue.young (a factor common to all, as the
/// geometric mean of the clusters [MPa]), tissue.poisson. `*` stands for any characters of a cluster's name.
struct ParameterSpec {
  std::string name;
  std::optional<double> start;        ///< nothing: what the scene says
  std::array<double, 2> range{0, 0};  ///< internal units
  std::optional<LogPrior> prior;
  bool fixed = false;  ///< held at `start`
  std::string where;   ///< file and key path, for messages
};

/// Which parameters move, on which observations. Names may hold `*`.
struct Stage {
  std::string name;
  std::vector<std::string> free;
  std::vector<std::string> observations;
  std::string where;
};

/// Rest shape: by inverse elastostatics, or free at every node with an elastic prior as the inversion paper
/// has it (`seed`).
enum class RestScheme { inverse, seed };

/// Standard deviations of the small rigid motion that a pose keeps after stabilisation.
struct RigidMotionPrior {
  double rotation = 0;     ///< [rad]
  double translation = 0;  ///< [mm]
};

/// What adds to the stated standard deviations beside the noise.
struct ModelError {
  bool mesh = true;
  bool labels = true;
  bool law = true;
};

struct FitOptions {
  int max_iterations = 50;
  double tolerance = 1e-6;  ///< relative decrease of the misfit that ends a stage
  enum class Solver { levenberg_marquardt, lbfgs } solver = Solver::levenberg_marquardt;
};

struct Project {
  std::filesystem::path file;
  std::string subject;
  std::map<std::string, Scene> scenes;  ///< `"scene"` alone is called "scene"
  std::vector<ObservationSource> observations;
  std::vector<ParameterSpec> parameters;  ///< as given; all of tissue.young.* when nothing is
  std::vector<Stage> stages;              ///< as given; one that frees everything when nothing is
  double neutral_sigma = 0;  ///< noise of the neutral scan per coordinate, shared by all poses [mm]
  RestScheme rest = RestScheme::inverse;
  std::optional<RigidMotionPrior> rigid_motion;  ///< as given; see rigid_motion_of
  std::optional<double> smoothness;  ///< standard deviation of log E between neighbouring clusters
  ModelError model_error;
  FitOptions fit;
  std::optional<MeshFile> validation_neutral;  ///< noise-free neutral: held-out motion is measured from it
};

/// Scenes are read too. Throws InputError with file and key path.
Project read_project(const std::filesystem::path& file, const PathRules& rules = {});

/// A parameter of a scene, wildcards resolved. The order is that of the project, clusters in the layout's
/// order.
struct ResolvedParameter {
  std::string name;
  double start = 0;
  std::array<double, 2> range{0, 0};
  std::optional<LogPrior> prior;
  bool fixed = false;
};

/// Needs the names of the layout's clusters, and their values in the scene [MPa]. A name without wildcard
/// wins over one with it. InputError: a name or wildcard that stands for nothing, a cluster under two
/// wildcards, a start outside its range, a stage that frees nothing.
std::vector<ResolvedParameter> resolve_parameters(const Project& project,
                                                  const std::vector<std::string>& clusters,
                                                  const VectorXd& young, double poisson);

/// Indices of the parameters that a stage frees (fixed ones never), and of the observations to fit that it
/// uses.
std::vector<int> free_parameters(const Stage& stage, const std::vector<ResolvedParameter>& parameters);
std::vector<int> stage_observations(const Stage& stage, const Project& project);

/// The project's prior; where it gives none: 0.1 deg and 0.05 mm for poses in a world frame, nothing in the
/// head frame.
std::optional<RigidMotionPrior> rigid_motion_of(const Project& project, const ObservationSource& observation);

/// `*` stands for any number of characters.
bool matches(const std::string& pattern, const std::string& name);

/// Every file that the project and its scenes name, the project and the scenes included.
std::vector<std::filesystem::path> project_files(const Project& project);

/// How fit.json names one of them: its path from the project's folder (two folders may hold files of one
/// name).
std::string input_name(const Project& project, const std::filesystem::path& file);

/// The keys that the reader accepts, by the object that holds them ("" the file itself, "observations[]" an
/// entry of a list).
std::map<std::string, std::vector<std::string>> project_keys();

}  // namespace furrow
