// What a JSON file holds, for json_file.cpp and json_parse.cpp only.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace furrow {

struct ParsedJson {
  nlohmann::json value;
  std::map<std::string, std::vector<std::string>>
      key_order;  ///< of each object, by its path ("tissue.clusters")
};

/// "tissue" + "young" = "tissue.young"; the root's path is empty.
std::string child_path(const std::string& path, const std::string& key);
std::string child_path(const std::string& path, std::size_t index);

/// Parses with comments allowed. Throws InputError with file and line: syntax, duplicate keys, numbers out of
/// range, deep nesting.
ParsedJson parse_json(const std::filesystem::path& file);

}  // namespace furrow
