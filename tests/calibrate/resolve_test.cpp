#include <cmath>

#include "calibrate/project.h"
#include "tests/calibrate/small_project.h"

namespace furrow {
namespace {

using testing::expect_refused;
using testing::Json;

TEST(Matches, Wildcards) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("tissue.young.*", "tissue.young.nose"));
  EXPECT_FALSE(matches("tissue.young.*", "tissue.young"));
  EXPECT_TRUE(matches("*ear*n", "left_ear_down"));
  EXPECT_FALSE(matches("*ear*m", "left_ear_down"));
  EXPECT_TRUE(matches("a*b*ab", "aabbaab"));
  EXPECT_FALSE(matches("abc", "abcd"));
  EXPECT_TRUE(matches("abc**", "abc"));
}

class Resolve : public testing::SmallProject {
 protected:
  Resolve() { write("scene.json", scene_json()); }
  std::vector<ResolvedParameter> resolve(const char* parameters, const char* stages = nullptr) {
    Json json = project_json();
    if (parameters) json["parameters"] = Json::parse(parameters);
    if (stages) json["stages"] = Json::parse(stages);
    project_ = read_project(write("project.json", json));
    return resolve_parameters(project_, {"nose", "chin"}, Eigen::Vector2d(0.002, 0.008), 0.45);
  }
  Project project_;
};

TEST_F(Resolve, EveryClusterFromTheScene) {
  const auto parameters = resolve(nullptr);
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[1].name, "tissue.young.chin");
  EXPECT_DOUBLE_EQ(parameters[1].start, 0.008);
}

TEST_F(Resolve, AnExactNameWinsOverAWildcard) {
  const auto parameters =
      resolve(R"([{"name": "tissue.young.*", "start": "3 kPa"}, {"name": "tissue.young.nose", "fixed": true},
                                      {"name": "tissue.young"}])",
              R"([{"name": "a", "free": ["tissue.young.*"], "observations": ["*"]}])");
  ASSERT_EQ(parameters.size(), 3u);
  EXPECT_EQ(parameters[0].name, "tissue.young.chin");
  EXPECT_DOUBLE_EQ(parameters[0].start, 0.003);
  EXPECT_TRUE(parameters[1].fixed);
  EXPECT_DOUBLE_EQ(parameters[2].start, 0.004);  // geometric mean
  EXPECT_EQ(free_parameters(project_.stages[0], parameters), std::vector<int>{0});
}

TEST_F(Resolve, Refuses) {
  expect_refused([&] { resolve(R"([{"name": "tissue.young.node"}])"); },
                 {"parameters[0].name", "tissue.young.nose"});
  expect_refused([&] { resolve(R"([{"name": "tissue.young.cheek*"}])"); },
                 {"parameters[0].name", "stands for no parameter"});
  expect_refused([&] { resolve(R"([{"name": "tissue.young.*"}, {"name": "tissue.young.n*"}])"); },
                 {"parameters[1].name", "nose"});
  expect_refused([&] { resolve(R"([{"name": "tissue.young.*", "range": ["3 kPa", "9 kPa"]}])"); },
                 {"parameters[0]", "nose", "start"});
  expect_refused(
      [&] { resolve(nullptr, R"([{"name": "a", "free": ["tissue.poisson"], "observations": ["*"]}])"); },
      {"stages[0].free", "tissue.poisson"});
  expect_refused(
      [&] {
        resolve(R"([{"name": "tissue.young.nose", "fixed": true}, {"name": "tissue.young.chin"}])",
                R"([{"name": "a", "free": ["tissue.young.nose"], "observations": ["*"]}])");
      },
      {"stages[0].free", "fixed"});
}

}  // namespace
}  // namespace furrow
