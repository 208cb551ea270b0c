#include "ddp/jobenv/terminal.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

TEST(Escapes, CanBeRefused) {
  EXPECT_TRUE(allows_escapes(EnvMap().set("TERM", "xterm").set("NO_COLOR", "")));
  EXPECT_FALSE(allows_escapes(EnvMap().set("TERM", "xterm").set("NO_COLOR", "1")));
  EXPECT_FALSE(allows_escapes(EnvMap().set("TERM", "dumb")));
}

}  // namespace
}  // namespace ddp
