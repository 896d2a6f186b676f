#include "calibrate/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "forward/base/error.h"
#include "forward/scene_io.h"

namespace furrow {
namespace fs = std::filesystem;
namespace {

using Keys = std::initializer_list<const char*>;
constexpr Keys kRootKeys{"$schema",      "furrow",     "subject",     "scene",   "scenes",
                         "observations", "parameters", "stages",      "neutral", "rest",
                         "rigid_motion", "smoothness", "model_error", "fit",     "validation"};
constexpr Keys kObservationKeys{"name",  "scene",  "kind", "mesh",  "unit", "gravity",
                                "frame", "stable", "mask", "sigma", "use",  "robust"};
constexpr Keys kRobustKeys{"loss", "scale"};
constexpr Keys kParameterKeys{"name", "start", "range", "prior", "fixed"};
constexpr Keys kPriorKeys{"value", "log_std"};
constexpr Keys kStageKeys{"name", "free", "observations"};
constexpr Keys kNeutralKeys{"sigma"};
constexpr Keys kRestKeys{"scheme"};
constexpr Keys kRigidMotionKeys{"rotation", "translation"};
constexpr Keys kModelErrorKeys{"mesh", "labels", "law"};
constexpr Keys kFitKeys{"max_iterations", "tolerance", "solver"};
constexpr Keys kValidationKeys{"neutral", "unit"};

constexpr std::array<double, 2> kYoungRange{1e-4, 1};  // 0.1 kPa to 1 MPa
constexpr std::array<double, 2> kPoissonRange{0.3, 0.499};

fs::path file_of(const JsonNode& node) {
  return fs::absolute(node.existing_file()).lexically_normal();
}

double positive_number(const JsonNode& node) {
  const double value = node.number();
  if (!(value > 1e-9 && value < 1e9)) node.fail("must be greater than zero, between 1e-9 and 1e9");
  return value;
}

double not_negative(const JsonNode& node, const Dimension& expected) {
  const double value = node.quantity(expected);
  if (value < 0) node.fail("is a standard deviation and cannot be negative");
  return value;
}

std::string name_of(const JsonNode& node) {
  const std::string name = node.at("name").text();
  if (name.empty()) node.at("name").fail("is empty");
  return name;
}

template <class Named>
void refuse_twice(const std::vector<Named>& before, const std::string& name, const JsonNode& node) {
  for (const Named& other : before)
    if (other.name == name) node.fail(fmt::format("\"{}\" is listed twice; every name may occur once", name));
}

std::map<std::string, Scene> read_scenes(const JsonNode& root, const PathRules& rules) {
  const auto one = root.find("scene"), many = root.find("scenes");
  if (one.has_value() == many.has_value())
    root.fail("needs either \"scene\": \"scene.json\" or \"scenes\": {\"head\": \"head.json\"}");
  const auto read = [&](const JsonNode& node) {
    Scene scene = read_scene(file_of(node), rules);
    if (scene.model == "shell")
      node.fail(
          "is a scene of model \"shell\", which simulates but is not fitted by this version; name a \"tet\" "
          "scene");
    return scene;
  };
  if (one) return {{"scene", read(*one)}};
  std::map<std::string, Scene> scenes;
  for (const auto& [name, file] : many->members()) scenes.emplace(name, read(file));
  if (scenes.empty()) many->fail("names no scene");
  return scenes;
}

const std::pair<const std::string, Scene>& scene_of(const JsonNode& node,
                                                    const std::map<std::string, Scene>& scenes) {
  const auto key = node.find("scene");
  if (!key) {
    if (scenes.size() > 1) node.fail("needs \"scene\": the project has several");
    return *scenes.begin();
  }
  const auto found = scenes.find(key->text());
  if (found != scenes.end()) return *found;
  std::vector<std::string> names;
  for (const auto& [name, scene] : scenes) names.push_back(name);
  const std::string meant = suggestion(key->text(), names);
  key->fail(fmt::format("\"{}\" is no scene of this project{}", key->text(),
                        meant.empty() ? fmt::format("; its first is \"{}\"", names[0]) : meant));
}

RobustLoss read_robust(const JsonNode& node) {
  const bool detailed = node.is_object();
  if (detailed) node.only(kRobustKeys);
  const JsonNode loss = detailed ? node.at("loss") : node;
  const std::string text = loss.one_of({"none", "huber", "cauchy"});
  RobustLoss robust;  // scales: 95 % efficient for normal noise
  if (text == "huber") robust = {RobustLoss::Kind::huber, 1.345};
  if (text == "cauchy") robust = {RobustLoss::Kind::cauchy, 2.385};
  if (detailed)
    if (const auto scale = node.find("scale")) robust.scale = positive_number(*scale);
  return robust;
}

void check_kind(const JsonNode& kind) {
  if (const std::string text = kind.one_of({"mesh", "mesh_sequence", "tracks2d", "wrinkles", "force"});
      text != "mesh")
    kind.fail(fmt::format("\"{}\" observations come with a later version; use \"mesh\"", text));
}

ObservationSource read_observation(const JsonNode& node, const std::map<std::string, Scene>& scenes) {
  check_kind(node.at("kind"));
  node.only(kObservationKeys);
  ObservationSource source;
  source.where = node.where();
  source.name = name_of(node);
  if (source.name.find_first_of("*/\\") != std::string::npos || source.name[0] == '.')
    node.at("name").fail(
        "must not hold \"*\" or a slash, nor start with a dot: it names files and is named by stages");
  const auto& [scene_name, scene] = scene_of(node, scenes);
  source.scene = scene_name;
  source.mesh = {file_of(node.at("mesh")), scene.surface.unit};
  if (const auto unit = node.find("unit")) source.mesh.unit = unit->one_of({"mm", "cm", "m"});
  source.gravity = read_gravity(node.at("gravity"));
  if (const auto frame = node.find("frame"))
    source.frame = frame->one_of({"head", "world"}) == "head" ? Frame::head : Frame::world;
  if (const auto stable = node.find("stable")) {
    if (source.frame == Frame::head)
      stable->fail("has no effect in the head frame; add \"frame\": \"world\" or leave it out");
    source.stable = file_of(*stable);
  }
  if (const auto mask = node.find("mask")) source.mask = file_of(*mask);
  if (const JsonNode sigma = node.at("sigma"); !(sigma.is_text() && sigma.text() == "auto")) {
    source.sigma = sigma.quantity(dimension::length);
    if (!(*source.sigma >= 1e-6 && *source.sigma <= 100))
      sigma.fail("must be greater than zero: between 1e-6 mm and 100 mm (or \"auto\")");
  }
  if (const auto use = node.find("use"))
    source.use = use->one_of({"fit", "holdout"}) == "fit" ? Use::fit : Use::holdout;
  if (const auto robust = node.find("robust")) source.robust = read_robust(*robust);
  return source;
}

std::vector<ObservationSource> read_observations(const JsonNode& node,
                                                 const std::map<std::string, Scene>& scenes) {
  std::vector<ObservationSource> observations;
  for (const JsonNode& item : node.items()) {
    ObservationSource source = read_observation(item, scenes);
    refuse_twice(observations, source.name, item.at("name"));
    observations.push_back(std::move(source));
  }
  if (std::none_of(observations.begin(), observations.end(), [](const auto& o) { return o.use == Use::fit; }))
    node.fail("holds no observation to fit; mark at least one with \"use\": \"fit\"");
  return observations;
}

/// The dimension of a parameter, by its name; refuses names that no parameter can have.
Dimension dimension_of(const JsonNode& name) {
  const std::string text = name.text();
  if (text == "tissue.poisson") return dimension::none;
  if (text == "tissue.young") return dimension::stress;
  if (text.starts_with("tissue.young.") && text.size() > 13) return dimension::stress;
  name.fail(fmt::format(
      "\"{}\" is no parameter; there are tissue.young.<cluster>, tissue.young (a factor common to all) and "
      "tissue.poisson, and \"*\" may stand in a cluster's place (tissue.young.*)",
      text));
}

double value_of(const JsonNode& node, const Dimension& unit) {
  const double value = unit == dimension::none ? node.number() : node.quantity(unit);
  if (!(value > 0)) node.fail("must be greater than zero: parameters move in logarithms");
  return value;
}

ParameterSpec read_parameter(const JsonNode& node) {
  node.only(kParameterKeys);
  ParameterSpec spec;
  spec.where = node.where();
  spec.name = name_of(node);
  const Dimension unit = dimension_of(node.at("name"));
  spec.range = unit == dimension::none ? kPoissonRange : kYoungRange;
  if (const auto range = node.find("range")) {
    const auto ends = range->items();
    if (ends.size() != 2) range->fail("must be a list of two values, the lowest and the highest");
    spec.range = {value_of(ends[0], unit), value_of(ends[1], unit)};
    if (!(spec.range[0] < spec.range[1])) range->fail("must rise: the lowest value comes first");
    if (unit != dimension::none && !(spec.range[0] >= 1e-9 && spec.range[1] <= 1e6))
      range->fail("must lie within 1e-6 kPa and 1e9 kPa");
    if (unit == dimension::none && spec.range[1] >= 0.5)
      range->fail("must end below 0.5, where tissue is incompressible");
  }
  if (const auto start = node.find("start")) spec.start = value_of(*start, unit);
  if (const auto fixed = node.find("fixed")) spec.fixed = fixed->boolean();
  if (spec.start && !spec.fixed && !(*spec.start > spec.range[0] && *spec.start < spec.range[1]))
    node.at("start").fail("lies outside the parameter's range, or on its end");
  if (const auto prior = node.find("prior")) {
    if (spec.fixed) prior->fail("has no effect on a fixed parameter; leave one of the two out");
    prior->only(kPriorKeys);
    spec.prior = LogPrior{value_of(prior->at("value"), unit), positive_number(prior->at("log_std"))};
    if (!(spec.prior->value > spec.range[0] && spec.prior->value < spec.range[1]))
      prior->at("value").fail("lies outside the parameter's range");
  }
  return spec;
}

std::vector<ParameterSpec> read_parameters(const JsonNode& root) {
  const auto node = root.find("parameters");
  if (!node) return {ParameterSpec{"tissue.young.*", {}, kYoungRange, {}, false, root.where()}};
  std::vector<ParameterSpec> parameters;
  for (const JsonNode& item : node->items()) {
    ParameterSpec spec = read_parameter(item);
    refuse_twice(parameters, spec.name, item.at("name"));
    parameters.push_back(std::move(spec));
  }
  if (std::all_of(parameters.begin(), parameters.end(), [](const auto& p) { return p.fixed; }))
    node->fail("frees no parameter; leave \"parameters\" out to fit the stiffness of every cluster");
  return parameters;
}

std::vector<std::string> texts_of(const JsonNode& node) {
  std::vector<std::string> texts;
  for (const JsonNode& item : node.items()) texts.push_back(item.text());
  if (texts.empty()) node.fail("is empty; [\"*\"] means all");
  return texts;
}

/// Each name of a stage must stand for an observation that may be fitted.
void check_stage_observations(const JsonNode& node, const std::vector<ObservationSource>& observations) {
  for (const JsonNode& item : node.items()) {
    bool fits = false, held_out = false;
    for (const ObservationSource& o : observations)
      if (matches(item.text(), o.name)) (o.use == Use::fit ? fits : held_out) = true;
    if (fits) continue;
    if (held_out)
      item.fail(fmt::format("\"{}\" is held out (\"use\": \"holdout\") and cannot be fitted", item.text()));
    std::vector<std::string> names;
    for (const ObservationSource& o : observations) names.push_back(o.name);
    item.fail(fmt::format("\"{}\" names no observation{}", item.text(), suggestion(item.text(), names)));
  }
}

std::vector<Stage> read_stages(const JsonNode& root, const std::vector<ObservationSource>& observations) {
  const auto node = root.find("stages");
  if (!node) return {Stage{"all", {"*"}, {"*"}, root.where()}};
  std::vector<Stage> stages;
  for (const JsonNode& item : node->items()) {
    item.only(kStageKeys);
    Stage stage{name_of(item), texts_of(item.at("free")), texts_of(item.at("observations")), item.where()};
    refuse_twice(stages, stage.name, item.at("name"));
    check_stage_observations(item.at("observations"), observations);
    stages.push_back(std::move(stage));
  }
  if (stages.empty()) node->fail("is empty; leave it out to fit everything at once");
  return stages;
}

RestScheme read_rest(const JsonNode& node) {
  if (node.is_object()) node.only(kRestKeys);
  const JsonNode scheme = node.is_object() ? node.at("scheme") : node;
  return scheme.one_of({"inverse", "seed"}) == "inverse" ? RestScheme::inverse : RestScheme::seed;
}

RigidMotionPrior read_rigid_motion(const JsonNode& node) {
  node.only(kRigidMotionKeys);
  return {not_negative(node.at("rotation"), dimension::angle),
          not_negative(node.at("translation"), dimension::length)};
}

ModelError read_model_error(const JsonNode& node) {
  node.only(kModelErrorKeys);
  ModelError error;
  if (const auto mesh = node.find("mesh")) error.mesh = mesh->boolean();
  if (const auto labels = node.find("labels")) error.labels = labels->boolean();
  if (const auto law = node.find("law")) error.law = law->boolean();
  return error;
}

FitOptions read_fit(const JsonNode& node) {
  node.only(kFitKeys);
  FitOptions fit;
  if (const auto limit = node.find("max_iterations")) {
    fit.max_iterations = limit->integer();
    if (fit.max_iterations < 1) limit->fail("must be at least 1");
  }
  if (const auto tolerance = node.find("tolerance")) {
    fit.tolerance = positive_number(*tolerance);
    if (fit.tolerance >= 1) tolerance->fail("is a relative decrease and must be below 1");
  }
  if (const auto solver = node.find("solver"))
    fit.solver = solver->one_of({"lm", "lbfgs"}) == "lm" ? FitOptions::Solver::levenberg_marquardt
                                                         : FitOptions::Solver::lbfgs;
  return fit;
}

MeshFile read_validation(const JsonNode& node, const std::string& unit) {
  node.only(kValidationKeys);
  MeshFile neutral{file_of(node.at("neutral")), unit};
  if (const auto given = node.find("unit")) neutral.unit = given->one_of({"mm", "cm", "m"});
  return neutral;
}

/// The keys that only colour how a fit is done.
void read_options(const JsonNode& root, Project& project) {
  if (const auto neutral = root.find("neutral")) {
    neutral->only(kNeutralKeys);
    project.neutral_sigma = not_negative(neutral->at("sigma"), dimension::length);
  }
  if (const auto rest = root.find("rest")) project.rest = read_rest(*rest);
  if (const auto motion = root.find("rigid_motion")) project.rigid_motion = read_rigid_motion(*motion);
  if (const auto smoothness = root.find("smoothness")) project.smoothness = positive_number(*smoothness);
  if (const auto error = root.find("model_error")) project.model_error = read_model_error(*error);
  if (const auto fit = root.find("fit")) project.fit = read_fit(*fit);
  if (const auto validation = root.find("validation"))
    project.validation_neutral = read_validation(*validation, project.scenes.begin()->second.surface.unit);
}

}  // namespace

Project read_project(const fs::path& file, const PathRules& rules) {
  const JsonNode root = JsonNode::read(file, rules);
  if (!root.is_object())
    root.fail("a project is a JSON object: { \"furrow\": 1, \"scene\": \"scene.json\", ... }");
  if (root.at("furrow").integer() != 1)
    root.at("furrow").fail("is a format version that this furrow does not read; write 1");
  root.only(kRootKeys);
  Project project;
  project.file = fs::absolute(file).lexically_normal();
  if (const auto subject = root.find("subject")) project.subject = subject->text();
  project.scenes = read_scenes(root, rules);
  project.observations = read_observations(root.at("observations"), project.scenes);
  project.parameters = read_parameters(root);
  project.stages = read_stages(root, project.observations);
  read_options(root, project);
  return project;
}

std::optional<RigidMotionPrior> rigid_motion_of(const Project& project,
                                                const ObservationSource& observation) {
  if (project.rigid_motion) return project.rigid_motion;
  if (observation.frame == Frame::head) return {};
  return RigidMotionPrior{0.1 * std::numbers::pi / 180, 0.05};
}

std::vector<fs::path> project_files(const Project& project) {
  std::vector<fs::path> files{project.file};
  auto add = [&](const fs::path& file) {
    if (!file.empty() && std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  };
  for (const auto& [name, scene] : project.scenes) {
    add(scene.file);
    for (const fs::path& file : scene_files(scene)) add(file);
  }
  for (const ObservationSource& o : project.observations)
    for (const fs::path& file : {o.mesh.file, o.stable, o.mask}) add(file);
  if (project.validation_neutral) add(project.validation_neutral->file);
  return files;
}

std::map<std::string, std::vector<std::string>> project_keys() {
  auto list = [](Keys keys) { return std::vector<std::string>(keys.begin(), keys.end()); };
  return {{"", list(kRootKeys)},
          {"observations[]", list(kObservationKeys)},
          {"observations[].robust", list(kRobustKeys)},
          {"parameters[]", list(kParameterKeys)},
          {"parameters[].prior", list(kPriorKeys)},
          {"stages[]", list(kStageKeys)},
          {"neutral", list(kNeutralKeys)},
          {"rest", list(kRestKeys)},
          {"rigid_motion", list(kRigidMotionKeys)},
          {"model_error", list(kModelErrorKeys)},
          {"fit", list(kFitKeys)},
          {"validation", list(kValidationKeys)}};
}

std::string input_name(const Project& project, const std::filesystem::path& file) {
  const auto folder = std::filesystem::absolute(project.file).parent_path();
  const auto relative =
      std::filesystem::absolute(file).lexically_normal().lexically_relative(folder.lexically_normal());
  return relative.empty() ? file.filename().string() : relative.generic_string();
}

}  // namespace furrow
