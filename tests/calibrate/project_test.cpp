#include "calibrate/project.h"

#include <numbers>

#include "tests/calibrate/small_project.h"

namespace furrow {
namespace {

using testing::expect_refused;
using testing::Json;

class ProjectFile : public testing::SmallProject {
 protected:
  ProjectFile() { write("scene.json", scene_json()); }
  Project read(const Json& json) { return read_project(write("project.json", json)); }
};

TEST_F(ProjectFile, Defaults) {
  const Project project = read(project_json());
  ASSERT_EQ(project.observations.size(), 2u);
  const ObservationSource& left = project.observations[0];
  EXPECT_EQ(left.scene, "scene");
  EXPECT_EQ(left.mesh.unit, "mm");
  EXPECT_DOUBLE_EQ(left.gravity[0], 9810);
  EXPECT_DOUBLE_EQ(left.sigma.value(), 0.05);
  EXPECT_EQ(left.use, Use::fit);
  EXPECT_EQ(project.observations[1].use, Use::holdout);
  EXPECT_FALSE(project.observations[1].sigma.has_value());
  ASSERT_EQ(project.parameters.size(), 1u);
  EXPECT_EQ(project.parameters[0].name, "tissue.young.*");
  EXPECT_DOUBLE_EQ(project.parameters[0].range[0], 1e-4);
  EXPECT_DOUBLE_EQ(project.parameters[0].range[1], 1);
  ASSERT_EQ(project.stages.size(), 1u);
  EXPECT_EQ(stage_observations(project.stages[0], project), std::vector<int>{0});
  EXPECT_TRUE(project.model_error.mesh && project.model_error.labels && project.model_error.law);
  EXPECT_FALSE(rigid_motion_of(project, left).has_value());
  EXPECT_EQ(project_files(project).size(), 6u);  // project, scene, skin, layout, names, left
}

TEST_F(ProjectFile, EveryKey) {
  Json json = project_json();
  json.erase("scene");
  json["scenes"]["head"] = "scene.json";
  json["subject"] = "S01";
  json["observations"][0].update(Json::parse(
      R"({"scene": "head", "unit": "cm", "frame": "world", "stable": "mask.txt", "mask": "mask.txt",
          "robust": {"loss": "huber", "scale": 2}})"));
  json["observations"][1]["robust"] = "cauchy";
  json.update(Json::parse(R"({
    "parameters": [{"name": "tissue.young.nose", "start": "2 kPa", "range": ["1 kPa", "9 kPa"],
                    "prior": {"value": "4 kPa", "log_std": 0.5}},
                   {"name": "tissue.poisson", "start": 0.45, "fixed": true}],
    "stages": [{"name": "one", "free": ["tissue.*"], "observations": ["l*"]}],
    "neutral": {"sigma": "0.05 mm"}, "rest": {"scheme": "seed"},
    "rigid_motion": {"rotation": "0.2 deg", "translation": "0.1 mm"},
    "smoothness": 0.5, "model_error": {"law": false},
    "fit": {"max_iterations": 7, "tolerance": 1e-4, "solver": "lbfgs"},
    "validation": {"neutral": "skin.obj"}})"));
  const Project project = read(json);
  const ObservationSource& left = project.observations[0];
  EXPECT_EQ(left.frame, Frame::world);
  EXPECT_EQ(left.mesh.unit, "cm");
  EXPECT_EQ(left.robust.kind, RobustLoss::Kind::huber);
  EXPECT_DOUBLE_EQ(left.robust.scale, 2);
  EXPECT_DOUBLE_EQ(project.observations[1].robust.scale, 2.385);
  EXPECT_DOUBLE_EQ(project.parameters[0].start.value(), 0.002);
  EXPECT_DOUBLE_EQ(project.parameters[0].prior->value, 0.004);
  EXPECT_TRUE(project.parameters[1].fixed);
  EXPECT_DOUBLE_EQ(project.neutral_sigma, 0.05);
  EXPECT_EQ(project.rest, RestScheme::seed);
  EXPECT_NEAR(rigid_motion_of(project, left)->rotation, 0.2 * std::numbers::pi / 180, 1e-15);
  EXPECT_DOUBLE_EQ(project.smoothness.value(), 0.5);
  EXPECT_FALSE(project.model_error.law);
  EXPECT_EQ(project.fit.solver, FitOptions::Solver::lbfgs);
  EXPECT_EQ(project.validation_neutral->file.filename(), "skin.obj");
}

TEST_F(ProjectFile, WorldFrameHasASmallMotionByDefault) {
  Json json = project_json();
  json["observations"][0]["frame"] = "world";
  const Project project = read(json);
  EXPECT_DOUBLE_EQ(rigid_motion_of(project, project.observations[0])->translation, 0.05);
  EXPECT_FALSE(rigid_motion_of(project, project.observations[1]).has_value());
}

TEST_F(ProjectFile, RefusesWithKeyPath) {
  struct Case {
    const char* pointer;
    Json value;
    std::initializer_list<const char*> parts;
  };
  const Case cases[] = {
      {"/observation", 1, {"observation", "observations"}},
      {"/scenes", {{"head", "scene.json"}}, {"scene", "scenes"}},
      {"/scene", "gone.json", {"scene", "gone.json"}},
      {"/observations/0/kind", "force", {"observations[0].kind", "later version"}},
      {"/observations/0/scene", "hed", {"observations[0].scene", "hed"}},
      {"/observations/0/name", "prone", {"observations[1].name", "twice"}},
      {"/observations/0/name", "a*", {"observations[0].name"}},
      {"/observations/0/gravity", {"0 m/s^2", "0 m/s^2", "0 m/s^2"}, {"observations[0].gravity", "zero"}},
      {"/observations/0/sigma", "0 mm", {"observations[0].sigma", "zero"}},
      {"/observations/0/sigma", "1 kPa", {"observations[0].sigma"}},
      {"/observations/0/stable", "mask.txt", {"observations[0].stable", "world"}},
      {"/observations/0/use", "holdout", {"observations", "no observation to fit"}},
      {"/observations/0/msk", "mask.txt", {"observations[0].msk", "mask"}},
      {"/parameters",
       Json::parse(R"([{"name": "tissue.yung.nose"}])"),
       {"parameters[0].name", "tissue.young"}},
      {"/parameters",
       Json::parse(R"([{"name": "tissue.poisson"}, {"name": "tissue.poisson"}])"),
       {"parameters[1].name", "twice"}},
      {"/parameters",
       Json::parse(R"([{"name": "tissue.young.*", "range": ["2 kPa", "1 kPa"]}])"),
       {"parameters[0].range", "rise"}},
      {"/parameters",
       Json::parse(R"([{"name": "tissue.young.*", "start": "2 MPa"}])"),
       {"parameters[0].start", "range"}},
      {"/parameters", Json::parse(R"([{"name": "tissue.young.*", "start": 2}])"), {"parameters[0].start"}},
      {"/parameters",
       Json::parse(R"([{"name": "tissue.poisson", "range": [0.3, 0.5]}])"),
       {"parameters[0].range", "0.5"}},
      {"/parameters",
       Json::parse(R"([{"name": "tissue.young.*", "fixed": true}])"),
       {"parameters", "frees no"}},
      {"/parameters", Json::array(), {"parameters"}},
      {"/stages",
       Json::parse(R"([{"name": "a", "free": ["*"], "observations": ["lift"]}])"),
       {"stages[0].observations[0]", "left"}},
      {"/stages",
       Json::parse(R"([{"name": "a", "free": ["*"], "observations": ["prone"]}])"),
       {"stages[0].observations[0]", "held out"}},
      {"/stages", Json::parse(R"([{"name": "a", "free": [], "observations": ["*"]}])"), {"stages[0].free"}},
      {"/neutral", {{"sigma", "-1 mm"}}, {"neutral.sigma"}},
      {"/rest", "scan", {"rest", "inverse"}},
      {"/rigid_motion", {{"rotation", "0.1 mm"}, {"translation", "0.1 mm"}}, {"rigid_motion.rotation"}},
      {"/smoothness", 0, {"smoothness", "zero"}},
      {"/fit", {{"solver", "adam"}}, {"fit.solver", "lm"}},
      {"/fit", {{"tolerance", 1}}, {"fit.tolerance"}},
      {"/validation", {{"neutral", "gone.obj"}}, {"validation.neutral", "gone.obj"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.pointer) + " = " + c.value.dump());
    Json json = project_json();
    json[Json::json_pointer(c.pointer)] = c.value;
    expect_refused([&] { read(json); }, c.parts);
  }
}

TEST_F(ProjectFile, ErrorsOfTheSceneNameTheScene) {
  Json scene = scene_json();
  scene["tissue"]["poisson"] = 0.6;
  write("scene.json", scene);
  expect_refused([&] { read(project_json()); }, {"scene.json", "tissue.poisson"});
}

}  // namespace
}  // namespace furrow
