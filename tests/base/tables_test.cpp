#include <gtest/gtest.h>

#include "forward/base/mesh_io.h"
#include "tests/base/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace furrow {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

TEST(Columns, IntegersMasksAndIndices) {
  const TemporaryFolder folder;
  const auto file = folder.write("layout.txt", "# labels\n3\r\n-1 # a comment\n\n  7");
  EXPECT_EQ(read_int_column(file, 3), (std::vector<int>{3, -1, 7}));
  EXPECT_EQ(read_int_column(file, -1).size(), 3u);
  EXPECT_EQ(read_mask(folder.write("mask.txt", "0\n1\n1\n"), 3), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(read_index_list(folder.write("nodes.txt", "0\n4\n2\n"), 5), (std::vector<int>{0, 4, 2}));
  EXPECT_TRUE(read_index_list(folder.write("none.txt", ""), 5).empty());
}

TEST(Columns, Refusals) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.txt", "0\n1\n2\n");
  expect_error([&] { read_int_column(file, 5); }, {"a.txt", "has 3 values where 5 are expected"});
  expect_error([&] { read_mask(file, 3); }, {"a.txt:3", "0 or 1", "\"2\""});
  expect_error([&] { read_index_list(file, 2); }, {"a.txt:3", "index 2 is outside 0 to 1"});
  expect_error([&] { read_int_column(folder.path() / "none.txt", 3); }, {"no such file"});
  expect_error([&] { read_int_column(folder.write("b.txt", "1\nx\n"), 2); }, {"b.txt:2", "\"x\""});
  expect_error([&] { read_int_column(folder.write("b.txt", "1\n1.5\n"), 2); }, {"b.txt:2", "whole number"});
  expect_error([&] { read_int_column(folder.write("b.txt", "1 2\n"), 2); }, {"b.txt:1", "\"1 2\""});
  expect_error([&] { read_int_column(folder.write("b.txt", "99999999999\n"), 1); },
               {"b.txt:1", "out of range"});
  expect_error([&] { read_index_list(folder.write("b.txt", "-1\n"), 2); }, {"b.txt:1", "index -1"});
}

TEST(Csv, NumbersLabelsAndEmptyCells) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("finger.csv", "# format 1\r\ntime_s, x_mm ,present\r\n0,,0\r\n\r\n0.5,-1.25e1,1\r\n");
  const CsvTable table = read_csv(file, false);
  EXPECT_EQ(table.columns, (std::vector<std::string>{"time_s", "x_mm", "present"}));
  ASSERT_EQ(table.values.rows(), 2);
  EXPECT_TRUE(std::isnan(table.values(0, 1)));
  EXPECT_EQ(table.values(1, 1), -12.5);
  EXPECT_TRUE(table.labels.empty());

  const CsvTable named = read_csv(folder.write("poses.csv", "frame,gx,gy\nleft,1,2\nright,3,4\n"), true);
  EXPECT_EQ(named.columns, (std::vector<std::string>{"gx", "gy"}));
  EXPECT_EQ(named.labels, (std::vector<std::string>{"left", "right"}));
  EXPECT_EQ(named.values(1, 0), 3);
  EXPECT_EQ(read_csv(folder.write("header.csv", "a,b\n"), false).values.rows(), 0);
}

TEST(Csv, Refusals) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text, std::initializer_list<const char*> parts) {
    expect_error([&] { read_csv(folder.write("t.csv", text), false); }, parts);
  };
  refused("", {"t.csv", "is empty"});
  refused("a,b\n1,2\n1\n", {"t.csv:3", "1 cells", "header 2"});
  refused("a,b\n1,2,3\n", {"t.csv:2", "3 cells"});
  refused("a,b\n1,x\n", {"t.csv:2", "column \"b\"", "\"x\""});
  refused("a,b\n1,nan\n", {"t.csv:2", "not a finite number"});
  refused("0,1\n2,3\n", {"t.csv:1", "add a header line"});
  refused("a,,b\n", {"t.csv:1", "has no name"});
  refused("a,b,a\n", {"t.csv:1", "\"a\" is there twice"});
  refused("a;b\n1;2\n", {"t.csv:1", "separate cells by commas"});
  refused("a,\"b\"\n", {"t.csv:1", "quoted"});
  expect_error([&] { read_csv(folder.path() / "none.csv", false); }, {"no such file"});
}

}  // namespace
}  // namespace furrow
