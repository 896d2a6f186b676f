// scene.json of "model": "shell": what is read, what is refused, and that what is written reads back.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "forward/base/error.h"
#include "forward/scene_io.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using Json = nlohmann::ordered_json;

class ShellSceneFile : public ::testing::Test {
 protected:
  ShellSceneFile() {
    folder_.write("finger.csv", "time_s,x,y,z,radius,present\n0,,,,6,0\n1,0,0,5,6,1\n");
    folder_.write("moves.csv", "time_s,x_mm\n0,0\n1,1\n");
    for (const char* name : {"mesh.vtu", "layout.txt", "names.json", "b.csv", "nodes.txt"})
      folder_.write(name, "\n");
  }

  /// The least that says something.
  static Json small() {
    return Json::parse(R"({
      "furrow": 1, "model": "shell",
      "mesh": {"patch": {"cells": [4, 2], "size": ["28 mm", "18 mm"]}, "thickness": "2 mm"},
      "layers": [{"name": "epidermis", "thickness": "0.1 mm", "young": "4 MPa"}, {"name": "soft", "young": "20 kPa"}],
      "boundary": [{"nodes": "rim", "fix": "xyz"}]
    })");
  }

  /// Every key of a patch.
  static Json full() {
    return Json::parse(R"({
      "furrow": 1, "model": "shell",
      "mesh": {"patch": {"cells": [4, 3], "size": ["28 mm", "1.8 cm"], "curvature": ["1/80 /mm", "-1/70 /mm"]},
               "order": [3, 1], "thickness": "2.5 mm", "stack": ["epidermis", 0.4, "rest"], "rule": "exact",
               "contact_subdivision": 3},
      "layers": [{"name": "epidermis", "thickness": "0.1 mm", "young": "4 MPa", "poisson": 0.45, "stiffening": 1.5,
                  "steady_fraction": 0.2, "relaxation_times": ["1/12 s", "0.5 s"], "branch_weights": [0.3, 0.7],
                  "prestretch": [1.1, 0.95], "prestretch_axis": [1, 0.5, 0]},
                 {"name": "soft", "thickness": "2.4 mm", "young": "1/30 kPa", "steady_fraction": 0.3,
                  "relaxation_times": ["1/7 s", "0.3 s", "2 s"]}],
      "volumetric": "logarithmic", "density": "1070 kg/m^3", "gravity": ["0 m/s^2", "-9.81 m/s^2", "0 m/s^2"],
      "ligaments": {"variant": "smoothed", "stiffness": "2.1 kPa", "smoothing": "0.04 mm",
                    "field": {"sources": [{"vertex": 12, "b": "2 /mm"}, {"vertex": 3, "b": "0 /mm"}], "blend": "3.3 mm",
                              "background": "0.2 /mm"}},
      "skull": {"kernel": "r2_quartic", "radius": "6 mm", "penalty": "10 MPa/mm", "ramp": "0.02 mm", "rest_gap": "seed"},
      "colliders": [{"name": "index", "shape": "sphere", "radius": "8 mm", "penalty": {"per_scale": "400 /mm"},
                     "ramp": "0.01 mm", "friction": 0.6, "slip_speed": "0.7 mm/s", "path": "finger.csv"},
                    {"name": "thumb", "friction": 0, "path": "finger.csv"}],
      "boundary": [{"nodes": "rim", "fix": "yz"}, {"file": "nodes.txt", "fix": "x", "path": "moves.csv"},
                   {"box": [["-1 mm", "-9 mm", "-3 mm"], ["1 mm", "9 mm", "3 mm"]], "fix": "z"}],
      "time": {"step": "1/24 s", "frames": 48, "viscous": "seed", "friction_lag": 4, "settle": false,
               "step_limit": "30 s"},
      "solver": {"method": "pcg", "tolerance": "1e-9 N", "max_iterations": 77}
    })");
  }

  Scene read(const Json& json) { return read_scene(folder_.write("scene.json", json.dump(2))); }
  /// `json` read, written and read again.
  void expect_same_again(const Json& json) {
    const Scene first = read(json);
    write_scene(folder_.path() / "again.json", first);
    Scene second = read_scene(folder_.path() / "again.json");
    second.file = first.file;
    EXPECT_TRUE(first == second) << json.dump(2);
  }
  void refused(const Json& json, std::initializer_list<const char*> parts) {
    try {
      read(json);
      ADD_FAILURE() << "accepted, where it should say: " << *parts.begin();
    } catch (const InputError& e) {
      for (const char* part : parts)
        EXPECT_NE(std::string(e.what()).find(part), std::string::npos)
            << "\"" << part << "\" missing in: " << e.what();
    }
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ShellSceneFile, Defaults) {
  const Scene scene = read(small());
  ASSERT_TRUE(scene.shell);
  const ShellScene& shell = *scene.shell;
  EXPECT_EQ(scene.model, "shell");
  EXPECT_TRUE(scene.surface.file.empty());
  EXPECT_TRUE(scene.gravity.isZero(0));
  EXPECT_EQ(shell.mesh.order, (PrismOrder{4, 2}));
  EXPECT_EQ(shell.mesh.stack, StackKind::stack);
  EXPECT_EQ(shell.mesh.rule, RuleKind::tensor);
  EXPECT_EQ(shell.mesh.patch->curvature_x, 0);
  ASSERT_EQ(shell.layers.size(), 2u);
  EXPECT_EQ(shell.layers[0].thickness, 0.1);
  EXPECT_EQ(shell.layers[1].thickness, 0);
  EXPECT_EQ(shell.layers[1].young, 0.02);
  EXPECT_EQ(shell.layers[1].poisson, 0.49);
  EXPECT_EQ(shell.layers[1].steady_fraction, 1);
  EXPECT_FALSE(shell.ligaments || shell.skull);
  EXPECT_EQ(shell.time, TimeOptions{});
  EXPECT_EQ(scene.solver.force_tolerance, 0);
  EXPECT_TRUE(scene_warnings(scene).empty());
}

TEST_F(ShellSceneFile, EveryKeyOfAPatch) {
  const Scene scene = read(full());
  const ShellScene& shell = *scene.shell;
  EXPECT_EQ(shell.mesh.patch->curvature_x, 1.0 / 80);
  EXPECT_EQ(shell.mesh.patch->curvature_y, -1.0 / 70);
  EXPECT_EQ(shell.mesh.patch->size_y, 18);
  ASSERT_EQ(shell.mesh.stack_cuts.size(), 2u);
  EXPECT_DOUBLE_EQ(shell.mesh.stack_cuts[0], 0.04);
  EXPECT_DOUBLE_EQ(shell.mesh.stack_cuts[1], 0.04 + 0.4 * 0.96);
  EXPECT_EQ(shell.layers[0].relaxation_times[0], 1.0 / 12);
  EXPECT_EQ(shell.layers[0].branch_weights[1], 0.7);
  EXPECT_EQ(shell.layers[1].branch_weights, std::vector<double>(3, 1.0 / 3));
  EXPECT_EQ(shell.layers[1].thickness, 0);  // what is left
  EXPECT_EQ(shell.layers[0].prestretch_axis, Vec3(1, 0.5, 0));
  EXPECT_EQ(shell.ligaments->field.sources[0].b, 2);
  EXPECT_EQ(shell.ligaments->field.background, 0.2);
  EXPECT_EQ(shell.skull->penalty.absolute, 10);
  EXPECT_EQ(shell.skull->penalty.ramp, 0.02);
  EXPECT_FALSE(shell.skull->subtract_rest_gap);
  EXPECT_EQ(shell.colliders[0].penalty.per_scale, 400);
  EXPECT_EQ(shell.colliders[1].penalty.per_scale, 500);
  EXPECT_EQ(shell.colliders[1].radius, 8);
  EXPECT_EQ(shell.colliders[1].friction, 0);
  EXPECT_EQ(shell.time.step, 1.0 / 24);
  EXPECT_EQ(shell.time.settle, false);
  EXPECT_EQ(scene.solver.force_tolerance, 1e-9);
  EXPECT_EQ(scene.boundary[1].path.filename(), "moves.csv");
}

TEST_F(ShellSceneFile, WrittenScenesReadBackTheSame) {
  expect_same_again(small());
  expect_same_again(full());
  Json json = small();
  json["mesh"]["stack"] = "seed";
  expect_same_again(json);
  json["mesh"]["stack"] = {0.05, 0.3};
  json["solver"] = {{"tolerance", "auto"}};
  json["skull"] = Json::object();
  expect_same_again(json);
  for (
      const char* field :
      {R"("0.3 /mm")",
       R"({"clusters": {"layout": "layout.txt", "names": "names.json", "b": {"cheek": "1 /mm", "*": "2 /mm"}}})",
       R"({"clusters": {"layout": "layout.txt", "b": {"3": "0.1 /cm"}}})", R"({"nodal": "b.csv"})"}) {
    json["ligaments"] = {{"variant", "seed"}, {"stiffness", "3 kPa"}, {"field", Json::parse(field)}};
    expect_same_again(json);
  }
  json["ligaments"] = {{"variant", "quadratic"}, {"stiffness", "0.01 MPa/mm"}, {"field", "0.3 /mm^2"}};
  expect_same_again(json);
  json["mesh"] = {{"file", "mesh.vtu"}, {"unit", "cm"}, {"rule", "seed"}};
  json["layers"][0].erase("thickness");
  json["ligaments"]["field"] = "mesh";
  json["boundary"] = Json::parse(R"([{"nodes": "fixed", "fix": "x"}])");
  expect_same_again(json);
  json.erase("boundary");
  json.erase("ligaments");
  expect_same_again(json);
}

TEST_F(ShellSceneFile, GatheredFilesMoveWithTheScene) {
  Json json = full();
  json["ligaments"]["field"] = Json::parse(R"({"nodal": "b.csv"})");
  const Scene scene = read(json);
  EXPECT_EQ(scene_files(scene).size(), 4u);  // finger.csv once
  const testing::TemporaryFolder target;
  write_scene(target.path() / "scene.json", gather_files(scene, target.path()));
  const Scene moved = read_scene(target.path() / "scene.json");
  EXPECT_EQ(moved.shell->colliders[1].path.parent_path(), std::filesystem::canonical(target.path()));
}

TEST_F(ShellSceneFile, RefusesWithKeyPath) {
  struct Case {
    const char* pointer;
    const char* value;
    std::initializer_list<const char*> parts;
  };
  const Case cases[] = {
      {"/colour", "1", {"colour", "colliders"}},
      {"/surface", R"({"mesh": "b.csv", "unit": "mm"})", {"surface", "mesh.patch", "mesh.file"}},
      {"/tissue", "{}", {"tissue", "belongs to \"model\": \"tet\""}},
      {"/rest", R"("scan")", {"rest", "belongs to"}},
      {"/mesh/edge_length", R"("2 mm")", {"mesh.edge_length", "not part of this version", "patch"}},
      {"/mesh/file", R"("mesh.vtu")", {"mesh", "exactly one"}},
      {"/mesh/unit", R"("mm")", {"mesh.unit", "ready-made"}},
      {"/mesh/order", "[5, 2]", {"mesh.order[0]", "1, 2, 3 or 4"}},
      {"/mesh/order", "[4, 3]", {"mesh.order[1]", "1 or 2"}},
      {"/mesh/order", "4", {"mesh.order", "list"}},
      {"/mesh/thickness", R"("0 mm")", {"mesh.thickness", "zero"}},
      {"/mesh/thickness", R"("0.09 mm")", {"layers", "0.1 mm", "0.09 mm"}},
      {"/mesh/thickness", R"("0.1 mm")", {"layers", "0.1 mm"}},
      {"/mesh/patch/cells", "[0, 1]", {"mesh.patch.cells[0]", "at least 1"}},
      {"/mesh/patch/cells", "[2000000, 2000000]", {"mesh.patch.cells", "1000000"}},
      {"/mesh/patch/curvature", R"(["80 mm", "80 mm"])", {"curvature[0]", "inverse length"}},
      {"/mesh/stack", R"("seeds")", {"mesh.stack", "seed"}},
      {"/mesh/stack", R"(["soft", 0.25, "rest"])", {"mesh.stack", "epidermis"}},
      {"/mesh/stack", R"(["epidermis", 1.25, "rest"])", {"mesh.stack[1]", "between 0 and 1"}},
      {"/mesh/stack", "[0.3, 0.2]", {"mesh.stack[1]", "ascending"}},
      {"/mesh/stack", "[]", {"mesh.stack", "seed"}},
      {"/mesh/rule", R"("exactly")", {"mesh.rule", "exact"}},
      {"/mesh/contact_subdivision", "0", {"mesh.contact_subdivision", "at least 1"}},
      {"/layers", "[]", {"layers", "at least one"}},
      {"/layers/0/thickness", R"("3 mm")", {"layers", "3 mm", "2 mm"}},
      {"/layers/1/thickness", R"("1.5 mm")", {"layers", "1.6 mm", "2 mm", "what is left"}},
      {"/layers/1/name", R"("epidermis")", {"layers[1].name", "two layers"}},
      {"/layers/1/name", R"("a.b")", {"layers[1].name", "parameters"}},
      {"/layers/0/young", R"("0 MPa")", {"layers[0].young", "zero"}},
      {"/layers/0/poisson", "0.5", {"layers[0].poisson", "0.49"}},
      {"/layers/0/poisson", "-1", {"layers[0].poisson"}},
      {"/layers/0/stiffening", "-1", {"layers[0].stiffening", "negative"}},
      {"/layers/0/steady_fraction", "0.2", {"layers[0].steady_fraction", "relaxation_times"}},
      {"/layers/0/steady_fraction", "0", {"layers[0].steady_fraction", "above 0"}},
      {"/layers/0/relaxation_times", R"(["1/12 s"])", {"layers[0]", "steady_fraction"}},
      {"/layers/0/branch_weights", "[1]", {"layers[0].branch_weights", "relaxation_times"}},
      {"/layers/0/prestretch", "[3, 1]", {"layers[0].prestretch[0]", "0.5 to 2"}},
      {"/layers/0/prestretch_axis", "[1, 0, 0]", {"layers[0].prestretch_axis", "prestretch"}},
      {"/ligaments", R"({"field": "1 /mm"})", {"ligaments", "stiffness"}},
      {"/ligaments", R"({"stiffness": "2 kPa", "field": "-1 /mm"})", {"ligaments.field", "negative"}},
      {"/ligaments", R"({"stiffness": "2 kPa", "field": 1})", {"ligaments.field", "inverse length"}},
      {"/ligaments", R"({"stiffness": "2 kPa", "field": "mesh"})", {"ligaments.field", "mesh.file"}},
      {"/ligaments", R"({"stiffness": "2 kPa", "field": {}})", {"ligaments.field", "exactly one"}},
      {"/ligaments",
       R"({"stiffness": "2 kPa", "field": {"nodal": "b.csv", "blend": "1 mm"}})",
       {"ligaments.field.blend", "sources"}},
      {"/ligaments",
       R"({"stiffness": "2 kPa", "field": {"sources": [{"vertex": 1, "b": "1 /mm"}, {"vertex": 1, "b": "2 /mm"}]}})",
       {"sources[1].vertex", "already"}},
      {"/ligaments",
       R"({"variant": "quadratic", "stiffness": "2 kPa", "field": "1 /mm^2"})",
       {"ligaments.stiffness", "stress per length"}},
      {"/ligaments",
       R"({"variant": "quadratic", "stiffness": "2 kPa/mm", "field": "1 /mm"})",
       {"ligaments.field", "inverse area"}},
      {"/ligaments",
       R"({"variant": "seed", "stiffness": "2 kPa", "smoothing": "1 mm", "field": "1 /mm"})",
       {"ligaments.smoothing", "smoothed"}},
      {"/skull", R"({"kernel": "wendlandt"})", {"skull.kernel", "wendland"}},
      {"/skull", R"({"radius": "automatic"})", {"skull.radius", "length"}},
      {"/skull", R"({"penalty": "0 MPa/mm"})", {"skull.penalty", "zero"}},
      {"/skull",
       R"({"penalty": {"per_scale": "500 /mm", "ramp": "1 mm"}})",
       {"skull.penalty.ramp", "unknown"}},
      {"/colliders", R"([{"name": "a", "path": "gone.csv"}])", {"colliders[0].path", "gone.csv"}},
      {"/colliders",
       R"([{"name": "a", "shape": "box", "path": "finger.csv"}])",
       {"colliders[0].shape", "sphere"}},
      {"/colliders", R"([{"name": "a", "friction": -0.1, "path": "finger.csv"}])", {"friction", "negative"}},
      {"/colliders",
       R"([{"name": "a", "slip_speed": "0 mm/s", "path": "finger.csv"}])",
       {"colliders[0].slip_speed", "zero"}},
      {"/colliders",
       R"([{"name": "a", "path": "finger.csv"}, {"name": "a", "path": "finger.csv"}])",
       {"colliders[1].name", "two colliders"}},
      {"/colliders", R"([{"name": "a", "path": "finger.csv"}])", {"time", "frames"}},
      {"/boundary", "[]", {"nothing holds the skin", "boundary", "ligaments"}},
      {"/boundary", R"([{"nodes": "wall", "fix": "x"}])", {"boundary[0].nodes", "rim"}},
      {"/boundary", R"([{"nodes": "fixed", "fix": "x"}])", {"boundary[0].nodes", "mesh.file"}},
      {"/boundary", R"([{"nodes": "rim", "fix": "x", "path": "moves.csv"}])", {"time"}},
      {"/time", R"({"step": "0 s"})", {"time.step", "zero"}},
      {"/time", R"({"frames": 0})", {"time.frames", "at least 1"}},
      {"/time", R"({"friction_lag": 9})", {"time.friction_lag", "8"}},
      {"/time", R"({"viscous": "euler"})", {"time.viscous", "strang"}},
      {"/solver", R"({"tolerance": 1e-9})", {"solver.tolerance", "force"}},
      {"/solver", R"({"inversion_thresholding": true})", {"inversion_thresholding", "tet"}},
      {"/solver", R"({"method": "bfgs"})", {"solver.method", "lbfgs"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.pointer) + " = " + c.value);
    Json json = small();
    json[Json::json_pointer(c.pointer)] = Json::parse(c.value);
    refused(json, c.parts);
  }
}

TEST_F(ShellSceneFile, BranchesOfALayer) {
  Json json = small();
  Json& layer = json["layers"][1];
  layer["steady_fraction"] = 0.2;
  layer["relaxation_times"] = {"0.1 s", "0 s"};
  refused(json, {"layers[1].relaxation_times[1]", "zero"});
  layer["relaxation_times"] = {"0.1 s", "1 s"};
  layer["branch_weights"] = {1};
  refused(json, {"layers[1].branch_weights", "1 values for 2"});
  layer["branch_weights"] = {0.5, 0.6};
  refused(json, {"layers[1].branch_weights", "add up to 1"});
  layer.erase("branch_weights");
  layer["steady_fraction"] = 1;
  refused(json, {"layers[1].steady_fraction", "nothing relaxes"});
  layer["steady_fraction"] = 0.2;
  layer["relaxation_times"] = {"1 s", "2 s", "3 s", "4 s", "5 s"};
  refused(json, {"layers[1].relaxation_times", "at most 4"});
}

TEST_F(ShellSceneFile, ReadyMadeMeshesSayTheirOwnLayers) {
  Json json = small();
  json["mesh"] = {{"file", "mesh.vtu"}};
  refused(json, {"mesh", "unit"});
  json["mesh"]["unit"] = "mm";
  refused(json, {"layers[0].thickness", "mesh.file"});
  json["layers"][0].erase("thickness");
  EXPECT_EQ(read(json).shell->mesh.file.filename(), "mesh.vtu");
  for (const char* key : {"order", "thickness", "stack"}) {
    Json more = json;
    more["mesh"][key] = 1;
    refused(more, {key, "no effect"});
  }
}

TEST_F(ShellSceneFile, ThreeLayersAndOne) {
  Json json = small();
  json["layers"].push_back({{"name", "fat"}, {"young", "5 kPa"}});
  refused(json, {"layers[1]", "thickness"});
  json["layers"][1]["thickness"] = "1.2 mm";
  EXPECT_EQ(read(json).shell->layers[2].thickness, 0);
  expect_same_again(json);
  json["mesh"]["stack"] = {"epidermis", 0.25, "rest"};
  refused(json, {"mesh.stack", "two layers", "3"});
  json["mesh"].erase("stack");
  json["layers"] = Json::parse(R"([{"name": "all", "young": "10 kPa", "thickness": "2 mm"}])");
  EXPECT_EQ(read(json).shell->layers[0].thickness, 0);
  expect_same_again(json);
}

TEST_F(ShellSceneFile, WhatHoldsTheSkin) {
  Json json = small();
  json.erase("boundary");
  json["skull"] = Json::object();
  refused(json, {"nothing holds the skin"});
  json["gravity"] = {"0 m/s^2", "0 m/s^2", "-9.81 m/s^2"};
  EXPECT_NO_THROW(read(json));
  json.erase("skull");
  refused(json, {"nothing holds the skin"});
  json["ligaments"] = {{"stiffness", "2 kPa"}, {"field", "1 /mm"}};
  EXPECT_NO_THROW(read(json));
}

TEST_F(ShellSceneFile, Warnings) {
  Json json = small();
  json["layers"][1]["poisson"] = 0.49995;
  json["gravity"] = {"0 m/s^2", "0 m/s^2", "-9.81 mm/s^2"};
  const auto warnings = scene_warnings(read(json));
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("layers.soft.poisson"), std::string::npos);
}

}  // namespace
}  // namespace furrow
