// JSON files that people write: comments allowed, every error names file and key path (or line), unknown keys
// are refused with the nearest known one. A node is a cheap handle into a document that stays alive as long
// as any node of it.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "forward/base/nearest.h"
#include "forward/base/text_file.h"
#include "forward/base/types.h"
#include "forward/base/units.h"

namespace furrow {

/// Where relative paths of a file are looked up, and whether they may leave that folder (`--data DIR`,
/// `--allow-outside`).
struct PathRules {
  std::filesystem::path data_folder;  ///< empty: the JSON file's own folder
  bool allow_outside = false;
};

class JsonNode {
 public:
  /// Reads a whole file. Throws InputError (missing file, syntax error with its line, duplicate key).
  static JsonNode read(const std::filesystem::path& file, const PathRules& rules = {});

  std::string where() const;  ///< "head.json: tissue.clusters.young"
  [[noreturn]] void fail(const std::string& what) const;

  bool is_object() const;
  bool is_array() const;
  bool is_text() const;
  bool is_number() const;
  bool is_boolean() const;

  JsonNode at(const std::string& key) const;                      ///< fails when the key is missing
  std::optional<JsonNode> find(const std::string& key) const;     ///< nothing when missing
  std::vector<JsonNode> items() const;                            ///< of an array
  std::vector<std::pair<std::string, JsonNode>> members() const;  ///< of an object, in the file's order

  /// Refuses keys of this object that are not listed, naming the nearest listed one.
  void only(std::initializer_list<const char*> keys) const;

  double number() const;  ///< dimensionless, finite
  int integer() const;
  bool boolean() const;
  std::string text() const;
  std::string one_of(std::initializer_list<const char*> choices) const;  ///< text, nearest choice suggested
  double quantity(const Dimension& expected) const;                      ///< "4 MPa" in internal units
  double quantity(const Dimension& expected, double low, double high) const;  ///< also in [low, high]
  Vec3 vector(const Dimension& expected) const;                               ///< three quantities
  /// The text as an absolute path, resolved by the rules (symbolic links followed); fails when it leaves the
  /// folder.
  std::filesystem::path resolved_path() const;
  /// The same of a file that must exist.
  std::filesystem::path existing_file() const;

  const nlohmann::json& raw() const;
  std::filesystem::path file() const;  ///< of the document

 private:
  struct Document;
  JsonNode(std::shared_ptr<const Document> document, const nlohmann::json* value, std::string path)
      : document_(std::move(document)), value_(value), path_(std::move(path)) {}
  std::shared_ptr<const Document> document_;
  const nlohmann::json* value_;
  std::string path_;
};

/// Writes through a temporary file in the same folder and a rename, so that nothing half-written stays
/// behind. Numbers that are not finite become null: keep them out.
void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& value);

/// SHA-256 of a file's bytes in hex.
std::string sha256_of(const std::filesystem::path& file);

}  // namespace furrow
