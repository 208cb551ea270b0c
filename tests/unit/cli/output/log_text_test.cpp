#include "cli/output/log_text.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(LogText, MarksTellRankAndStderr) {
  const LogLine out{0, 3, LogStream::out, "text"};
  const LogLine err{0, 3, LogStream::err, "text"};
  const LogMarks both{RankMark::shown, ErrMark::shown};
  const LogMarks rank{.rank = RankMark::shown};
  const LogMarks stream{.err = ErrMark::shown};
  EXPECT_EQ(render_log_line(out, {}), "text");
  EXPECT_EQ(render_log_line(err, {}), "text");
  EXPECT_EQ(render_log_line(out, both), "[r3] text");
  EXPECT_EQ(render_log_line(err, both), "[r3 err] text");
  EXPECT_EQ(render_log_line(err, rank), "[r3] text");
  EXPECT_EQ(render_log_line(out, stream), "text");
  EXPECT_EQ(render_log_line(err, stream), "[err] text");
}

TEST(LogText, OnATerminalTheMarkOfStderrIsColoured) {
  const LogMarks marks{RankMark::shown, ErrMark::shown, Colour::terminal};
  EXPECT_EQ(render_log_line({0, 3, LogStream::err, "text"}, marks), "\x1b[33m[r3 err]\x1b[0m text");
  EXPECT_EQ(render_log_line({0, 3, LogStream::out, "text"}, marks), "[r3] text");
}

TEST(LogText, IsCutToTheColumnsOfATerminal) {
  EXPECT_EQ(cut_to_columns("50% done", 80), "50% done");
  EXPECT_EQ(cut_to_columns("50% done", 3), "50%");
  EXPECT_EQ(cut_to_columns("\u2588\u2588\u2588", 2), "\u2588\u2588");
  EXPECT_EQ(cut_to_columns("\x1b[32m50%\x1b[0m\x1b[A \xff\tdone", 80), "50% done");
  EXPECT_EQ(cut_to_columns("text\x1b[3", 80), "text");
  EXPECT_EQ(cut_to_columns("text", 0), "");
}

}  // namespace
}  // namespace ddp::cli
