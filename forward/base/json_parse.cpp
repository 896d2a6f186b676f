// Parsing proper: nlohmann's parser over a position that counts, and a callback that watches keys.
#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include "forward/base/error.h"
#include "forward/base/json_document.h"
#include "forward/base/text_file.h"

namespace furrow {

namespace {

using Event = nlohmann::json::parse_event_t;

/// An input iterator that tells how far the parser has read.
struct TrackedByte {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** furthest;
  reference operator*() const { return *at; }
  TrackedByte& operator++() {
    *furthest = ++at;
    return *this;
  }
  TrackedByte operator++(int) {
    TrackedByte before = *this;
    ++*this;
    return before;
  }
  bool operator==(const TrackedByte& other) const { return at == other.at; }
  bool operator!=(const TrackedByte& other) const { return at != other.at; }
};

/// Follows the parser through the document: key order, duplicates, depth.
class KeyWatcher {
 public:
  /// What is wrong, or an empty text.
  std::string on(Event event, const nlohmann::json& value) {
    switch (event) {
      case Event::key:
        return on_key(value.get<std::string>());
      case Event::object_start:
      case Event::array_start:
        return on_start(event == Event::array_start);
      case Event::object_end:
      case Event::array_end:
        return on_end();
      case Event::value:
        next_item();
        return {};
    }
    return {};
  }
  std::map<std::string, std::vector<std::string>> key_order;

 private:
  struct Level {
    bool is_array;
    std::string path;
    std::size_t index;  ///< of the item being read, arrays only
    std::string key;    ///< being read, objects only
    std::vector<std::string> keys;
    std::set<std::string> seen;
  };

  std::string on_key(const std::string& key) {
    Level& level = levels_.back();
    const std::string path = child_path(level.path, key);
    if (!level.seen.insert(key).second) return "the key " + in_quotes(path) + " is given twice; keep one";
    level.key = key;
    level.keys.push_back(key);
    return {};
  }

  std::string on_start(bool is_array) {
    constexpr std::size_t deepest = 64;
    if (levels_.size() == deepest) return "nested too deeply";
    levels_.push_back({is_array, current_path(), 0, {}, {}, {}});
    return {};
  }

  std::string on_end() {
    Level& level = levels_.back();
    if (!level.is_array) key_order[level.path] = std::move(level.keys);
    levels_.pop_back();
    next_item();
    return {};
  }

  std::string current_path() const {
    if (levels_.empty()) return {};
    const Level& level = levels_.back();
    return level.is_array ? child_path(level.path, level.index) : child_path(level.path, level.key);
  }

  void next_item() {
    if (!levels_.empty()) ++levels_.back().index;
  }

  std::vector<Level> levels_;
};

/// nlohmann's message without its own name and position in front.
std::string reason_of(const nlohmann::json::exception& problem) {
  const std::string text = problem.what();
  for (const char* mark : {": syntax error ", ": "}) {
    const std::size_t at = text.find(mark);
    if (at != std::string::npos) return text.substr(at + 2);
  }
  return text;
}

}  // namespace

std::string child_path(const std::string& path, const std::string& key) {
  const bool plain = !key.empty() && key.find_first_of(".[]\"\\") == std::string::npos;
  if (!plain) return path + "[" + nlohmann::json(key).dump() + "]";  // so that no two paths are the same text
  return path.empty() ? key : path + "." + key;
}

std::string child_path(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

ParsedJson parse_json(const std::filesystem::path& file) {
  const std::string text = read_bytes(file);
  const char* furthest = text.data();
  const auto fail = [&](const std::string& what) {
    const auto read =
        std::min<std::ptrdiff_t>(furthest - text.data(), static_cast<std::ptrdiff_t>(text.size()));
    const auto breaks = std::count(text.data(), text.data() + read, '\n');
    // The parser reads one byte ahead: a line that has just ended is still the one meant.
    const bool just_ended = read > 0 && text[static_cast<std::size_t>(read) - 1] == '\n';
    throw InputError(at_line(file, static_cast<int>(breaks) + (just_ended ? 0 : 1)), what);
  };
  if (trimmed(text).empty()) throw InputError(file.string(), "is empty; expected JSON");

  KeyWatcher watcher;
  const auto watch = [&](int, Event event, nlohmann::json& value) {
    const std::string problem = watcher.on(event, value);
    if (!problem.empty()) fail(problem);
    return true;
  };
  try {
    const TrackedByte begin{text.data(), &furthest}, end{text.data() + text.size(), &furthest};
    ParsedJson parsed;
    parsed.value = nlohmann::json::parse(begin, end, watch, true, true);
    parsed.key_order = std::move(watcher.key_order);
    return parsed;
  } catch (const nlohmann::json::exception& problem) {
    fail(reason_of(problem));
  }
  throw std::logic_error("parse_json: unreachable");
}

}  // namespace furrow
