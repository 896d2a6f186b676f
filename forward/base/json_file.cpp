#include "forward/base/json_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "forward/base/error.h"
#include "forward/base/json_document.h"

namespace furrow {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string kind_of(const nlohmann::json& value) {
  if (value.is_string()) return "the text " + in_quotes(value.get_ref<const std::string&>());
  if (value.is_number()) return "the number " + value.dump();
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return value.dump();
}

/// Whether `path` is `folder` or lies below it; both canonical.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [end_of_folder, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end_of_folder == folder.end();
}

}  // namespace

struct JsonNode::Document {
  std::filesystem::path file;
  PathRules rules;
  ParsedJson parsed;
};

JsonNode JsonNode::read(const std::filesystem::path& file, const PathRules& rules) {
  auto document = std::make_shared<const Document>(Document{file, rules, parse_json(file)});
  const nlohmann::json* value = &document->parsed.value;
  return JsonNode(std::move(document), value, "");
}

std::string JsonNode::where() const {
  return document_->file.string() + (path_.empty() ? "" : ": " + path_);
}
void JsonNode::fail(const std::string& what) const {
  throw InputError(where(), what);
}
const nlohmann::json& JsonNode::raw() const {
  return *value_;
}
std::filesystem::path JsonNode::file() const {
  return document_->file;
}

bool JsonNode::is_object() const {
  return value_->is_object();
}
bool JsonNode::is_array() const {
  return value_->is_array();
}
bool JsonNode::is_text() const {
  return value_->is_string();
}
bool JsonNode::is_number() const {
  return value_->is_number();
}
bool JsonNode::is_boolean() const {
  return value_->is_boolean();
}

JsonNode JsonNode::at(const std::string& key) const {
  std::optional<JsonNode> found = find(key);
  if (!found) fail("the key \"" + key + "\" is missing; add it");
  return *std::move(found);
}

std::optional<JsonNode> JsonNode::find(const std::string& key) const {
  if (!is_object()) fail("expected an object in braces, found " + kind_of(*value_));
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return JsonNode(document_, &*found, child_path(path_, key));
}

std::vector<JsonNode> JsonNode::items() const {
  if (!is_array()) fail("expected a list in brackets, found " + kind_of(*value_));
  std::vector<JsonNode> nodes;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    nodes.push_back(JsonNode(document_, &(*value_)[i], child_path(path_, i)));
  }
  return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  if (!is_object()) fail("expected an object in braces, found " + kind_of(*value_));
  std::vector<std::pair<std::string, JsonNode>> nodes;
  for (const std::string& key : document_->parsed.key_order.at(path_)) nodes.emplace_back(key, at(key));
  return nodes;
}

void JsonNode::only(std::initializer_list<const char*> keys) const {
  const std::vector<std::string> known(keys.begin(), keys.end());
  for (const auto& [key, node] : members()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string hint = suggestion(key, known);
    if (hint.empty()) hint = known.empty() ? "; no key is known here" : "; known here: " + joined(known);
    node.fail("unknown key " + in_quotes(key) + hint);
  }
}

double JsonNode::number() const {
  if (!is_number()) fail("expected a plain number, found " + kind_of(*value_));
  const double number = value_->get<double>();
  if (!std::isfinite(number)) fail("expected a finite number");
  return number;
}

int JsonNode::integer() const {
  const double value = number();
  const bool fits = std::abs(value) <= std::numeric_limits<int>::max() && value == std::floor(value);
  if (!fits) fail("expected a whole number, found " + value_->dump());
  return static_cast<int>(value);
}

bool JsonNode::boolean() const {
  if (!is_boolean()) fail("expected true or false, found " + kind_of(*value_));
  return value_->get<bool>();
}

std::string JsonNode::text() const {
  if (!is_text()) fail("expected a text in quotes, found " + kind_of(*value_));
  const std::string text = value_->get<std::string>();
  for (const unsigned char c : text)
    if (c < 0x20 || c == 0x7f)
      fail("holds a control character (a line break, a tab, a NUL); write plain text");
  return text;
}

std::string JsonNode::one_of(std::initializer_list<const char*> choices) const {
  const std::vector<std::string> known(choices.begin(), choices.end());
  const std::string chosen = text();
  if (std::find(known.begin(), known.end(), chosen) == known.end()) {
    fail(in_quotes(chosen) + " is not one of " + joined(known) + suggestion(chosen, known));
  }
  return chosen;
}

double JsonNode::quantity(const Dimension& expected) const {
  if (expected == dimension::none && is_number()) return number();
  if (is_number()) fail("a bare number where a unit belongs; expected " + describe(expected));
  if (!is_text()) fail("expected " + describe(expected) + ", found " + kind_of(*value_));
  try {
    return parse_quantity(text(), expected);
  } catch (const std::invalid_argument& problem) {
    fail(problem.what());
  }
}

double JsonNode::quantity(const Dimension& expected, double low, double high) const {
  const double value = quantity(expected);
  if (value >= low && value <= high) return value;
  const std::string unit = is_text() ? unit_of(text()) : "";
  const auto shown = [&](double bound) { return format_quantity(bound, unit); };
  const std::string given = is_text() ? in_quotes(text()) : value_->dump();
  if (std::isinf(high)) fail(given + " is too small; expected at least " + shown(low));
  if (std::isinf(low)) fail(given + " is too large; expected at most " + shown(high));
  fail(given + " is outside " + shown(low) + " to " + shown(high));
}

Vec3 JsonNode::vector(const Dimension& expected) const {
  const std::vector<JsonNode> parts = items();
  if (parts.size() != 3) fail("expected a list of three, found " + std::to_string(parts.size()));
  return {parts[0].quantity(expected), parts[1].quantity(expected), parts[2].quantity(expected)};
}

std::filesystem::path JsonNode::resolved_path() const {
  const std::string name = text();
  if (name.empty()) fail("expected the path of a file, found an empty text");
  if (name.find('\0') != std::string::npos) fail("a path cannot hold a zero byte");
  const auto& given = document_->rules.data_folder;
  std::filesystem::path own = given.empty() ? document_->file.parent_path() : given;
  if (own.empty()) own = ".";
  std::error_code error;
  const auto folder = std::filesystem::weakly_canonical(std::filesystem::absolute(own), error);
  const auto path = std::filesystem::weakly_canonical(folder / name, error);
  if (error) fail("the path " + in_quotes(name) + " cannot be resolved: " + error.message());
  if (!document_->rules.allow_outside && !is_below(path, folder)) {
    fail(in_quotes(name) + " leaves the folder " + folder.string() +
         "; move the file there, or pass --allow-outside");
  }
  return path;
}

std::filesystem::path JsonNode::existing_file() const {
  const std::filesystem::path path = resolved_path();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) fail("there is no file " + path.string() + "; check the path");
  if (!std::filesystem::is_regular_file(path, error)) fail(path.string() + " is not a file");
  return path;
}

void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& value) {
  write_text_atomically(file,
                        value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace furrow
