#include "calibrate/run_record.h"

#include <nlohmann/json.hpp>

#include "forward/base/error.h"

namespace furrow {

namespace fs = std::filesystem;

void write_run_record(const fs::path& folder, const RunRecord& record) {
  fs::create_directories(folder);
  nlohmann::ordered_json json{{"furrow", 1},
                              {"project", fs::absolute(record.project).lexically_normal().string()}};
  if (!record.rules.data_folder.empty())
    json["data"] = fs::absolute(record.rules.data_folder).lexically_normal().string();
  if (record.rules.allow_outside) json["allow_outside"] = true;
  if (!record.layout.empty()) json["layout"] = record.layout.string();
  write_json(folder / "run.json", json);
}

RunRecord read_run_record(const fs::path& folder) {
  const fs::path file = folder / "run.json";
  if (!fs::exists(file))
    throw InputError(folder.string(),
                     "holds no fit (run.json is missing); name the folder that `furrow fit ... -o` wrote");
  const JsonNode root = JsonNode::read(file);
  root.only({"furrow", "project", "data", "allow_outside", "layout"});
  RunRecord record{root.at("project").text(), {}, {}};
  if (const auto data = root.find("data")) record.rules.data_folder = data->text();
  if (const auto layout = root.find("layout")) record.layout = layout->text();
  if (const auto outside = root.find("allow_outside")) record.rules.allow_outside = outside->boolean();
  if (!fs::exists(record.project))
    root.at("project").fail("\"" + record.project.string() +
                            "\" is no longer there; name the project after the folder");
  return record;
}

}  // namespace furrow
