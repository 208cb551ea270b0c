#include "ddp/jobenv/terminal.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

TEST(Escapes, CanBeRefused) {
  EXPECT_TRUE(allows_escapes(EnvMap().set("TERM", "xterm").set("NO_COLOR", "")));
  EXPECT_FALSE(allows_escapes(EnvMap().set("TERM", "xterm").set("NO_COLOR", "1")));
  EXPECT_FALSE(allows_escapes(EnvMap().set("TERM", "dumb")));
}

TEST(Escapes, HaveALength) {
  EXPECT_EQ(length_of_escape("\x1b[1;31mred"), 7u);
  EXPECT_EQ(length_of_escape("\x1b[2K"), 4u);
  EXPECT_EQ(length_of_escape("\x1b[12"), 4u) << "one that is cut off";
  EXPECT_EQ(length_of_escape("\x1b"), 0u);
  EXPECT_EQ(length_of_escape("red\x1b[0m"), 0u);
  EXPECT_EQ(length_of_escape(""), 0u);
}

}  // namespace
}  // namespace ddp
