#include "cli/output/line_wrap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using testing::ElementsAre;

TEST(LineWrap, BreaksBehindWholeWordsOnly) {
  EXPECT_THAT(break_at_blanks("rank 1 was killed by a signal", 17),
              ElementsAre("rank 1 was killed", "by a signal"));
  EXPECT_THAT(break_at_blanks("in /a/long/path it is", 6), ElementsAre("in", "/a/long/path", "it is"));
  EXPECT_THAT(break_at_blanks("", 6), ElementsAre(""));
}

TEST(LineWrap, IndentsWhatFollowsAndKeepsLinesThatFit) {
  EXPECT_EQ(wrap_lines("error: run a-1 failed: rank 1 exited\n  next: see\n", 30),
            "error: run a-1 failed: rank 1\n"
            "  exited\n"
            "  next: see\n");
  EXPECT_EQ(wrap_lines("  next: ddpsubmit logs a-1 --stderr", 30),
            "  next: ddpsubmit logs a-1\n    --stderr");
}

TEST(LineWrap, LeavesQuotedLinesAndTextForNoTerminalAlone) {
  const std::string quoted = "   | RuntimeError: a line that is wider than this terminal\n";
  EXPECT_EQ(wrap_lines(quoted, 30), quoted);
  EXPECT_EQ(wrap_lines("4 | train: {epochs: 3, and more that is wide}", 30),
            "4 | train: {epochs: 3, and more that is wide}");
  EXPECT_EQ(wrap_lines("a line that is wider than so few columns", std::nullopt),
            "a line that is wider than so few columns");
}

}  // namespace
}  // namespace ddp::cli
