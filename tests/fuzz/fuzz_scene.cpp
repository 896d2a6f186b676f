// A scene that is accepted must come back the same from the file that is written of it.
#include "forward/scene_io.h"
#include "tests/fuzz/input_file.h"
#include "tests/fuzz/scene_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const furrow::PathRules rules = furrow::fuzz::scene_folder();
  return furrow::fuzz::run(".json", data, size, [&](const auto& file) {
    const furrow::Scene scene = furrow::read_scene(file, rules);
    const auto written = rules.data_folder / "written.json";
    furrow::write_scene(written, scene);
    furrow::Scene again = furrow::read_scene(written, rules);
    again.file = scene.file;
    if (!(again == scene)) __builtin_trap();
  });
}
