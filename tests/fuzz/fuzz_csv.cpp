// The first byte chooses the reader: tables, columns of integers, masks, index lists.
#include "forward/base/mesh_io.h"
#include "tests/fuzz/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  return furrow::fuzz::run(".csv", data + 1, size - 1, [which = data[0] % 5](const auto& file) {
    if (which < 2) furrow::read_csv(file, which == 1);
    if (which == 2) furrow::read_int_column(file, -1);
    if (which == 3) furrow::read_mask(file, 5);
    if (which == 4) furrow::read_index_list(file, 100);
  });
}
