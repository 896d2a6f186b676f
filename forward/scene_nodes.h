// What the readers of scenes share: nodes of a scene.json that mean a file or a bounded quantity.
#pragma once

#include <filesystem>
#include <initializer_list>

#include "forward/base/json_file.h"

namespace furrow {

using KeyList = std::initializer_list<const char*>;

/// A file that exists, as an absolute path.
inline std::filesystem::path file_of(const JsonNode& node) {
  return std::filesystem::absolute(node.existing_file()).lexically_normal();
}

inline double positive(const JsonNode& node, const Dimension& expected) {
  const double value = node.quantity(expected);
  if (!(value > 0)) node.fail("must be greater than zero");
  return value;
}

inline double not_negative(const JsonNode& node, const Dimension& expected) {
  const double value = node.quantity(expected);
  if (!(value >= 0)) node.fail("cannot be negative");
  return value;
}

}  // namespace furrow
