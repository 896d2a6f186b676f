// The published schemas list exactly the keys that the readers accept, and describe each of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "calibrate/project.h"
#include "forward/scene_io.h"

namespace furrow {
namespace {

using Json = nlohmann::json;
using KeySets = std::map<std::string, std::set<std::string>>;

/// Adds the keys that a schema node lists, under the path of the object that holds them.
void collect(const Json& schema, const std::string& path, KeySets& keys) {
  if (schema.contains("properties"))
    for (const auto& [name, property] : schema["properties"].items()) {
      keys[path].insert(name);
      collect(property, path.empty() ? name : path + "." + name, keys);
    }
  if (schema.contains("items")) collect(schema["items"], path + "[]", keys);
  if (schema.contains("oneOf"))
    for (const Json& choice : schema["oneOf"]) collect(choice, path, keys);
}

void check_described(const Json& schema, const std::string& path) {
  if (schema.contains("properties"))
    for (const auto& [name, property] : schema["properties"].items()) {
      const std::string key = path + "/" + name;
      const std::string text = property.value("description", "");
      EXPECT_FALSE(text.empty()) << key << " has no description";
      EXPECT_TRUE(property.contains("x-unit")) << key << " has no x-unit";
      const bool says = text.find("equired") != std::string::npos || text.find("efault") != std::string::npos;
      EXPECT_TRUE(property.contains("default") || says)
          << key << " says neither its default nor that it is required";
    }
  for (const auto& [name, child] : schema.items())
    if (child.is_structured() && name != "default" && name != "examples")
      check_described(child, path + "/" + name);
}

Json read(const std::string& name) {
  std::ifstream file(std::string(FURROW_SOURCE_DIR) + "/data/schema/" + name);
  return Json::parse(file);
}

KeySets sets_of(const std::map<std::string, std::vector<std::string>>& lists) {
  KeySets sets;
  for (const auto& [path, keys] : lists) sets[path].insert(keys.begin(), keys.end());
  return sets;
}

TEST(Schema, SceneListsTheReadersKeys) {
  const Json schema = read("scene.schema.json");
  KeySets keys;
  collect(schema, "", keys);
  EXPECT_EQ(keys, sets_of(scene_keys()));
  check_described(schema, "");
}

TEST(Schema, ProjectListsTheReadersKeys) {
  const Json schema = read("project.schema.json");
  KeySets keys;
  collect(schema, "", keys);
  EXPECT_EQ(keys, sets_of(project_keys()));
  check_described(schema, "");
}

}  // namespace
}  // namespace furrow
