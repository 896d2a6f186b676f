#include "calibrate/cli/console.h"

#include <gtest/gtest.h>

namespace furrow::cli {
namespace {

TEST(Console, Durations) {
  EXPECT_EQ(format_duration(12.4), "12 s");
  EXPECT_EQ(format_duration(200), "3 min 20 s");
  EXPECT_EQ(format_duration(3900), "1 h 05 min");
  EXPECT_EQ(format_duration(-1), "0 s");
}

TEST(Console, BarFitsTheTerminal) {
  EXPECT_EQ(format_bar(0.45, 200, "stage all", 80),
            "[#########-----------]  45 %  3 min 20 s left  stage all");
  EXPECT_EQ(format_bar(2, -1, "x", 80), "[####################] 100 %  x");
  EXPECT_EQ(format_bar(0, -1, std::string(200, 'x'), 40).size(), 39u);
}

}  // namespace
}  // namespace furrow::cli
