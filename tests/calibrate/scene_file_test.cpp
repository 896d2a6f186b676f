#include "forward/base/mesh_io.h"
#include "forward/scene_io.h"
#include "tests/calibrate/small_project.h"

namespace furrow {
namespace {

using testing::expect_refused;
using testing::Json;

class SceneFile : public testing::SmallProject {
 protected:
  Scene read(const Json& json) { return read_scene(write("scene.json", json)); }
  void refused(const Json& json, std::initializer_list<const char*> parts) {
    expect_refused([&] { read(json); }, parts);
  }
};

TEST_F(SceneFile, DefaultsAndUnits) {
  const Scene scene = read(scene_json());
  EXPECT_EQ(scene.surface.file.filename(), "skin.obj");
  EXPECT_TRUE(scene.surface.file.is_absolute());
  EXPECT_EQ(scene.volume->mesh.unit, "mm");
  EXPECT_DOUBLE_EQ(scene.tet.size, 5);
  EXPECT_DOUBLE_EQ(scene.tissue.young.at("nose"), 0.003);
  EXPECT_DOUBLE_EQ(scene.density, 1e-9);
  EXPECT_DOUBLE_EQ(scene.gravity[1], -9810);
  EXPECT_EQ(scene.rest, RestShape::inverse);
  EXPECT_DOUBLE_EQ(scene.tissue.poisson, 0.47);
}

TEST_F(SceneFile, CommentsAreAllowed) {
  folder_.write("scene.json", "// a head\n" + scene_json().dump());
  EXPECT_NO_THROW(read_scene(folder_.path() / "scene.json"));
}

TEST_F(SceneFile, WrittenScenesReadBackTheSame) {
  Json json = scene_json();
  json["surface"]["unit"] = "cm";
  json["tissue"]["law"] = "neo-hookean-isochoric";
  json["tissue"]["clusters"]["blend"] = "2.5 mm";
  json["tissue"]["clusters"]["young"]["chin"] = "1/3 kPa";
  json["tissue"]["poisson"] = 0.45;
  json["density"] = "1070.1 kg/m^3";
  json["gravity"] = {"0.1 m/s^2", "-9.8065 m/s^2", "3 mm/s^2"};
  json["rest"] = "scan";
  folder_.write("nodes.txt", "0\n2\n");
  json["boundary"] = Json::parse(R"([{"nodes": "wall", "fix": "xz"}, {"file": "nodes.txt", "fix": "y"},
                                     {"box": [["-1 mm", "0 mm", "0 mm"], ["1/3 cm", "1 mm", "2 mm"]], "fix": "xyz"}])");
  json["poses"] = Json::parse(R"([{"name": "left", "gravity": ["9.81 m/s^2", "0 m/s^2", "0 m/s^2"]}])");
  json["solver"] = Json::parse(
      R"({"method": "newton", "tolerance": 1e-9, "max_iterations": 7, "inversion_thresholding": true})");
  for (const char* name : {"again.json", "deeper/again.json"}) {
    std::filesystem::create_directories(folder_.path() / "deeper");
    const Scene first = read(json);
    write_scene(folder_.path() / name, first);
    Scene second = read_scene(folder_.path() / name, {.data_folder = {}, .allow_outside = true});
    second.file = first.file;
    EXPECT_TRUE(first == second) << name;
  }
}

TEST_F(SceneFile, BonesReadyMadeMeshesAndOneCluster) {
  Json json = scene_json();
  json.erase("volume");
  json["bones"] = Json::parse(R"([{"mesh": "skull.obj", "unit": "cm"}])");
  json["tissue"] = Json::parse(R"({"young": "5 kPa"})");
  Scene scene = read(json);
  EXPECT_EQ(scene.bones.at(0).unit, "cm");
  EXPECT_FALSE(scene.tissue.clustered);
  write_scene(folder_.path() / "again.json", scene);
  EXPECT_TRUE(read_scene(folder_.path() / "again.json").tissue == scene.tissue);

  folder_.write("head.vtu", "");
  folder_.write("fixed.txt", "0\n");
  json.erase("bones");
  json["tet"] = Json::parse(R"({"mesh": "head.vtu", "fixed_nodes": "fixed.txt", "order": 1})");
  json["tissue"] = Json::parse(R"({"clusters": {"young": "5 kPa"}})");
  scene = read(json);
  EXPECT_TRUE(scene.tissue.clustered);
  write_scene(folder_.path() / "again.json", scene);
  EXPECT_TRUE(read_scene(folder_.path() / "again.json").tet == scene.tet);
  json["tet"]["size"] = "4 mm";
  refused(json, {"tet.size", "no effect"});
}

TEST_F(SceneFile, GatheredFilesMoveWithTheScene) {
  std::filesystem::create_directories(folder_.path() / "other");
  folder_.write("other/skin.obj", std::string(testing::kTetrahedronObj) + "# another\n");
  Json json = scene_json();
  json["volume"]["mesh"] = "other/skin.obj";
  const Scene scene = read(json);
  EXPECT_EQ(scene_files(scene).size(), 4u);
  const testing::TemporaryFolder target;
  write_scene(target.path() / "out/scene.json", gather_files(scene, target.path() / "out"));
  const Scene moved = read_scene(target.path() / "out/scene.json");
  EXPECT_EQ(moved.volume->mesh.file.filename(), "skin-2.obj");
  EXPECT_EQ(read_surface(moved.volume->mesh.file).vertex_count(), 4);
}

TEST_F(SceneFile, PosesFromATable) {
  Json json = scene_json();
  json["poses"] = "poses.csv";
  folder_.write("poses.csv", "frame,gx,gy,gz\nleft,9.81,0,0\nprone,0,0,9.81\n");
  const Scene scene = read(json);
  ASSERT_EQ(scene.poses.size(), 2u);
  EXPECT_EQ(scene.poses[1].name, "prone");
  EXPECT_DOUBLE_EQ(scene.poses[1].gravity[2], 9810);
  folder_.write("poses.csv", "frame,gx,gy,gz\nleft,0,0,0\n");
  refused(json, {"poses.csv", "left", "zero"});
  folder_.write("poses.csv", "frame,gx,gy\nleft,0,1\n");
  refused(json, {"poses.csv", "missing"});
  folder_.write("poses.csv", "frame,gx,gy,g\nleft,0,1,1\n");
  refused(json, {"poses.csv", "unknown column"});
}

TEST_F(SceneFile, RefusesWithKeyPath) {
  struct Case {
    const char* pointer;
    Json value;
    std::initializer_list<const char*> parts;
  };
  const Case cases[] = {
      {"/furrow", 2, {"scene.json", "furrow", "1"}},
      {"/model", "shell", {"volume", "belongs to \"model\": \"tet\""}},
      {"/model", "shel", {"model", "shell"}},
      {"/layers", Json::array(), {"layers", "belongs to \"model\": \"shell\""}},
      {"/surface/region", "all", {"surface.region", "whole scan"}},
      {"/densty", "1000 kg/m^3", {"densty", "density"}},
      {"/density", 1000, {"density"}},
      {"/density", "1000 kPa", {"density"}},
      {"/density", "0 kg/m^3", {"density", "zero"}},
      {"/gravity", {"0 m/s^2", "0 m/s^2", "0 m/s^2"}, {"gravity", "zero"}},
      {"/gravity", {"0 m/s^2", "1 m/s^2"}, {"gravity"}},
      {"/surface/mesh", "gone.obj", {"surface.mesh", "gone.obj"}},
      {"/surface/mesh", "../skin.obj", {"surface.mesh", "allow-outside"}},
      {"/surface/unit", "inch", {"surface.unit"}},
      {"/tet/size", "-1 mm", {"tet.size", "zero"}},
      {"/tet/order", 3, {"tet.order"}},
      {"/tet/unit", "mm", {"tet.unit", "ready-made"}},
      {"/bones", Json::parse(R"([{"mesh": "skull.obj"}])"), {"volume", "bones"}},
      {"/tissue/law", "neohookean", {"tissue.law", "neo-hookean"}},
      {"/tissue/poisson", 0.5, {"tissue.poisson", "0.5"}},
      {"/tissue/young", "3 kPa", {"tissue.young", "clusters"}},
      {"/tissue/clusters/young", Json::object(), {"tissue.clusters.young"}},
      {"/tissue/clusters/young", {{"nose", "0 kPa"}}, {"tissue.clusters.young.nose", "zero"}},
      {"/tissue/clusters/blend", "-1 mm", {"tissue.clusters.blend"}},
      {"/boundary", Json::parse(R"([{"nodes": "wall", "fix": "xx"}])"), {"boundary[0].fix"}},
      {"/boundary", Json::parse(R"([{"fix": "x"}])"), {"boundary[0]", "nodes"}},
      {"/poses", Json::array(), {"poses"}},
      {"/poses",
       Json::parse(R"([{"name": "a/b", "gravity": ["1 m/s^2", "0 m/s^2", "0 m/s^2"]}])"),
       {"poses", "slash"}},
      {"/solver", {{"tolerance", 2}}, {"solver.tolerance"}},
      {"/boundary",
       Json::parse(R"([{"nodes": "wall", "fix": "x", "path": "mask.txt"}])"),
       {"boundary[0].path", "unknown"}},
      {"/solver", {{"method", "pcg"}}, {"solver.method", "newton"}},
      {"/solver", {{"max_iterations", 0}}, {"solver.max_iterations"}},
      {"/rest", "inverted", {"rest", "inverse"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.pointer) + " = " + c.value.dump());
    Json json = scene_json();
    json[Json::json_pointer(c.pointer)] = c.value;
    refused(json, c.parts);
  }
}

TEST_F(SceneFile, RefusesWhatIsMissing) {
  for (const char* key : {"furrow", "model", "surface", "tissue"}) {
    Json json = scene_json();
    json.erase(key);
    refused(json, {"scene.json", key});
  }
  Json json = scene_json();
  json["surface"].erase("unit");
  refused(json, {"surface", "unit"});
  json = scene_json();
  json.erase("volume");
  refused(json, {"bones", "volume", "tet.mesh"});
  expect_refused([&] { read_scene(folder_.path() / "gone.json"); }, {"gone.json"});
  folder_.write("scene.json", "[]");
  expect_refused([&] { read_scene(folder_.path() / "scene.json"); }, {"scene.json", "object"});
}

TEST_F(SceneFile, Warnings) {
  Json json = scene_json();
  EXPECT_EQ(scene_warnings(read(json)).size(), 1u);  // linear tetrahedra
  json["tet"]["order"] = 2;
  EXPECT_TRUE(scene_warnings(read(json)).empty());
  json["gravity"] = {"0 m/s^2", "-9.81 mm/s^2", "0 m/s^2"};
  EXPECT_EQ(scene_warnings(read(json)).size(), 1u);
}

TEST_F(SceneFile, SizeOfAHead) {
  Positions points = Positions::Zero(2, 3);
  points(1, 1) = 240;
  EXPECT_EQ(size_warning(points, "a.obj", "mm"), "");
  points(1, 1) = 0.24;
  EXPECT_NE(size_warning(points, "a.obj", "mm").find("\"unit\": \"m\""), std::string::npos);
  points(1, 1) = 2400;
  EXPECT_NE(size_warning(points, "a.obj", "cm").find("\"unit\": \"mm\""), std::string::npos);
}

TEST_F(SceneFile, StiffnessOfEachCluster) {
  const Scene scene = read(scene_json());
  const VectorXd young = young_of_clusters(scene, {"nose", "chin"});
  EXPECT_DOUBLE_EQ(young[0], 0.003);
  EXPECT_DOUBLE_EQ(young[1], 0.0071);
  expect_refused([&] { young_of_clusters(scene, {"noses", "chin"}); }, {"young.nose", "noses"});
  Json json = scene_json();
  json["tissue"]["clusters"]["young"].erase("*");
  const Scene partial = read(json);
  expect_refused([&] { young_of_clusters(partial, {"nose", "chin"}); }, {"chin", "\"*\""});
}

}  // namespace
}  // namespace furrow
