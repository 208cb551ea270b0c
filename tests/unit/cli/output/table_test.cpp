#include "cli/output/table.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(Table, AlignsColumnsAndLeavesNoTrailingSpace) {
  EXPECT_EQ(render_table({{"A", "B", "C"}, {"long", "", "x"}, {"y", "zz"}, {"", "", ""}}),
            "A     B   C\n"
            "long      x\n"
            "y     zz\n"
            "\n");
}

TEST(Table, OfNothingIsNothing) {
  EXPECT_EQ(render_table({}), "");
}

}  // namespace
}  // namespace ddp::cli
