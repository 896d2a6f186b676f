// glTF files: what is in them (read back independently of tinygltf), Khronos' validator, Blender.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "forward/base/error.h"
#include "forward/output/colour_map.h"
#include "forward/output/gltf.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

// An open bump of 5 x 5 vertices, 40 mm wide, and one loose vertex that no triangle touches.
GltfScene make_scene(int poses) {
  GltfScene scene;
  scene.name = "bump";
  scene.mesh.vertices.resize(26, 3);
  scene.mesh.triangles.resize(32, 3);
  int row = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      scene.mesh.vertices.row(5 * i + j) << 10 * i, 10 * j, 3.7 * std::sin(0.8 * i) * std::sin(0.8 * j);
      if (i == 4 || j == 4) continue;
      const int a = 5 * i + j;
      scene.mesh.triangles.row(row++) << a, a + 5, a + 6;
      scene.mesh.triangles.row(row++) << a, a + 6, a + 1;
    }
  scene.mesh.vertices.row(25) << 20, 20, 50;
  scene.mesh.colours = colours_of_values(scene.mesh.vertices.col(2), 0, 4);
  for (int k = 0; k < poses; ++k) {
    Positions moved = scene.mesh.vertices;
    moved.col(k % 3).array() += 0.1 * (k + 1);
    moved(7, 2) += 2;
    scene.poses.push_back({"pose_" + std::to_string(k), moved});
  }
  return scene;
}

struct Glb {
  nlohmann::json json;
  std::string binary;

  template <typename T>
  std::vector<T> array(int accessor, int components) const {
    const auto& a = json["accessors"][accessor];
    const auto& view = json["bufferViews"][a["bufferView"].get<int>()];
    std::vector<T> values(a["count"].get<std::size_t>() * components);
    std::memcpy(values.data(), binary.data() + view.value("byteOffset", 0), values.size() * sizeof(T));
    return values;
  }
};

Glb read_glb(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(word(4), 2u);
  EXPECT_EQ(word(8), bytes.size());
  const std::uint32_t length = word(12);
  return {nlohmann::json::parse(bytes.substr(20, length)), bytes.substr(20 + length + 8)};
}

struct ProgramResult {
  int status;
  std::string output;
};

ProgramResult run_program(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), count);
  return {::pclose(pipe), output};
}

TEST(Gltf, HoldsTheSurfaceInMetresInItsOrder) {
  const testing::TemporaryFolder folder;
  const GltfScene scene = make_scene(0);
  write_gltf(folder.path() / "a.glb", scene);
  const Glb glb = read_glb(folder.path() / "a.glb");
  EXPECT_EQ(glb.json["asset"]["extras"]["unit"], "m");
  EXPECT_FALSE(glb.json.contains("animations"));
  const auto& primitive = glb.json["meshes"][0]["primitives"][0];
  const auto positions = glb.array<float>(primitive["attributes"]["POSITION"], 3);
  const auto indices = glb.array<std::uint32_t>(primitive["indices"], 1);
  ASSERT_EQ(positions.size(), 78u);
  for (int i = 0; i < 78; ++i)
    EXPECT_EQ(positions[i], static_cast<float>(0.001 * scene.mesh.vertices.data()[i]));
  ASSERT_EQ(indices.size(), 96u);
  for (int i = 0; i < 96; ++i) EXPECT_EQ(static_cast<int>(indices[i]), scene.mesh.triangles.data()[i]);
}

TEST(Gltf, ColoursAreLinearLight) {
  const testing::TemporaryFolder folder;
  GltfScene scene = make_scene(0);
  scene.mesh.colours.row(0) << 0, 188, 255;
  write_gltf(folder.path() / "a.glb", scene);
  const Glb glb = read_glb(folder.path() / "a.glb");
  const auto rgba =
      glb.array<std::uint16_t>(glb.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"], 4);
  EXPECT_EQ(rgba[0], 0);
  EXPECT_NEAR(rgba[1] / 65535.0, 0.5028865, 1e-5);  // ((188/255 + 0.055) / 1.055)^2.4
  EXPECT_EQ(rgba[2], 65535);
  EXPECT_EQ(rgba[3], 65535);
}

TEST(Gltf, PosesAreNamedTargetsThatTheAnimationStepsThrough) {
  const testing::TemporaryFolder folder;
  GltfScene scene = make_scene(3);
  scene.seconds_per_pose = 0.5;
  write_gltf(folder.path() / "a.glb", scene);
  const Glb glb = read_glb(folder.path() / "a.glb");
  const auto& mesh = glb.json["meshes"][0];
  EXPECT_EQ(mesh["extras"]["targetNames"], (nlohmann::json{"pose_0", "pose_1", "pose_2"}));
  ASSERT_EQ(mesh["primitives"][0]["targets"].size(), 3u);
  const auto delta = glb.array<float>(mesh["primitives"][0]["targets"][1]["POSITION"], 3);
  EXPECT_NEAR(delta[0], 0, 1e-9);
  EXPECT_NEAR(delta[1], 0.0002, 1e-9);
  EXPECT_NEAR(delta[3 * 7 + 2], 0.002, 1e-9);
  const auto& sampler = glb.json["animations"][0]["samplers"][0];
  EXPECT_EQ(glb.array<float>(sampler["input"], 1), (std::vector<float>{0, 0.5, 1, 1.5}));
  EXPECT_EQ(glb.array<float>(sampler["output"], 1), (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST(Gltf, PosesMayHaveTheirOwnTimes) {
  const testing::TemporaryFolder folder;
  GltfScene scene = make_scene(2);
  scene.times = {0.25, 1.5};
  write_gltf(folder.path() / "a.glb", scene);
  const Glb glb = read_glb(folder.path() / "a.glb");
  const auto& sampler = glb.json["animations"][0]["samplers"][0];
  EXPECT_EQ(glb.array<float>(sampler["input"], 1), (std::vector<float>{0, 0.25, 1.5}));
  for (const std::vector<double>& wrong : {std::vector<double>{1}, {0, 1}, {2, 2}, {1, std::nan("")}}) {
    scene.times = wrong;
    EXPECT_THROW(write_gltf(folder.path() / "b.glb", scene), std::logic_error);
  }
}

TEST(Gltf, RefusesWhatItCannotWriteAndLeavesNothing) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(write_gltf(folder.path() / "a.gltf", make_scene(0)), InputError);
  EXPECT_THROW(write_gltf(folder.path() / "missing" / "a.glb", make_scene(0)), InputError);
  GltfScene scene = make_scene(1);
  scene.poses[0].vertices(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(write_gltf(folder.path() / "a.glb", scene), std::logic_error);
  scene.poses[0].vertices = scene.mesh.vertices.topRows(4);
  EXPECT_THROW(write_gltf(folder.path() / "a.glb", scene), std::logic_error);
  scene = make_scene(0);
  scene.mesh.triangles(0, 0) = 26;
  EXPECT_THROW(write_gltf(folder.path() / "a.glb", scene), std::logic_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// $FURROW_GLTF_VALIDATOR is the folder of the npm package gltf-validator; without it, where node itself finds
// packages.
TEST(Gltf, PassesKhronosValidator) {
  const char* given = std::getenv("FURROW_GLTF_VALIDATOR");
  const std::string package = given ? given : "gltf-validator";
  if (run_program("node -e \"require('" + package + "')\"").status != 0)
    GTEST_SKIP() << "node or its package gltf-validator is absent (npm install gltf-validator, then set "
                    "FURROW_GLTF_VALIDATOR)";
  const testing::TemporaryFolder folder;
  for (const int poses : {0, 1, 9}) {
    const auto file = folder.path() / ("poses_" + std::to_string(poses) + ".glb");
    write_gltf(file, make_scene(poses));
    const auto script = folder.write(
        "validate.js", "require('" + package +
                           "').validateBytes(new Uint8Array(require('fs').readFileSync(process.argv[2])))"
                           ".then(r => console.log(JSON.stringify(r.issues)))");
    const ProgramResult result = run_program("node " + script.string() + " " + file.string());
    ASSERT_EQ(result.status, 0) << result.output;
    const auto issues = nlohmann::json::parse(result.output);
    EXPECT_EQ(issues["numErrors"], 0) << result.output;
    EXPECT_EQ(issues["numWarnings"], 0) << result.output;
  }
}

// Debian 12's Blender 3.4 meets a NumPy without np.bool, so its importer fails on every glTF file with
// shading set to NORMALS (its default); SMOOTH works.
TEST(Gltf, ImportsInBlender) {
  if (run_program("command -v blender").status != 0)
    GTEST_SKIP() << "blender is absent (Debian package blender)";
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "a.glb";
  write_gltf(file, make_scene(2));
  const auto script = folder.write("import.py", R"(
import bpy, sys
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=sys.argv[-1], merge_vertices=False, import_shading='SMOOTH')
mesh = [o for o in bpy.data.objects if o.type == 'MESH'][0]
keys = [k.name for k in mesh.data.shape_keys.key_blocks]
print('FOUND', len(mesh.data.vertices), len(mesh.data.polygons), ','.join(keys), round(max(mesh.dimensions), 4),
      len(bpy.data.actions))
)");
  const ProgramResult result =
      run_program("blender -b --python-exit-code 3 --python " + script.string() + " -- " + file.string());
  ASSERT_EQ(result.status, 0) << result.output;
  // Vertices of triangles only, 40 mm wide.
  EXPECT_NE(result.output.find("FOUND 25 32 Basis,pose_0,pose_1 0.04"), std::string::npos) << result.output;
}

TEST(ColourMap, LightnessRisesEvenlyAndStaysInGamut) {
  double before = -1;
  for (int i = 0; i <= 100; ++i) {
    const Vec3 srgb = colour_of_fraction(i / 100.0);
    EXPECT_GE(srgb.minCoeff(), 0);
    EXPECT_LE(srgb.maxCoeff(), 1);
    const Vec3 linear = srgb.unaryExpr(
        [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); });
    // CIE lightness from the sRGB luminance, independent of the map's own space.
    const double luminance = Vec3(0.2126, 0.7152, 0.0722).dot(linear);
    const double lightness = 116 * std::cbrt(luminance) - 16;
    if (i > 0) {
      EXPECT_GT(lightness - before, 0.3) << "at " << i;
      EXPECT_LT(lightness - before, 1.3) << "at " << i;
    }
    before = lightness;
  }
}

TEST(ColourMap, ClampsAndMarksNotANumber) {
  VectorXd values(4);
  values << -1, 0, 2, std::numeric_limits<double>::quiet_NaN();
  const VertexColours colours = colours_of_values(values, 0, 1);
  EXPECT_EQ(colours.row(0), colours.row(1));
  EXPECT_EQ(colours(2, 0), static_cast<int>(std::lround(255 * colour_of_fraction(1)[0])));
  EXPECT_EQ(colours(3, 0), 128);
  EXPECT_EQ(colours_of_values(values, 1, 1).row(0), colours.row(0));
}

}  // namespace
}  // namespace furrow
