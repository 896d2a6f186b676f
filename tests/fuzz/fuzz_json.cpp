// Walks the whole document and asks every value for everything.
#include "forward/base/json_file.h"
#include "tests/fuzz/input_file.h"

namespace {

template <typename Ask>
void ask(Ask question) {
  try {
    question();
  } catch (const furrow::InputError&) {
  }
}

void walk(const furrow::JsonNode& node) {
  ask([&] { node.only({"furrow", "surface", "tissue", "young"}); });
  ask([&] { node.number(); });
  ask([&] { node.integer(); });
  ask([&] { node.boolean(); });
  ask([&] { node.one_of({"shell", "tet"}); });
  ask([&] { node.quantity(furrow::dimension::stress, 0.001, 0.5); });
  ask([&] { node.vector(furrow::dimension::acceleration); });
  ask([&] { node.existing_file(); });
  if (node.is_object()) {
    for (const auto& [key, value] : node.members()) walk(value);
  }
  if (node.is_array()) {
    for (const furrow::JsonNode& item : node.items()) walk(item);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return furrow::fuzz::run(".json", data, size, [](const auto& file) { walk(furrow::JsonNode::read(file)); });
}
