#include "cli/output/terminal_text.hpp"

#include <gtest/gtest.h>

#include <clocale>

namespace ddp::cli {
namespace {

class TerminalText : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(setlocale(LC_CTYPE, "C.UTF-8"), nullptr); }
};

TEST_F(TerminalText, HoldsNothingThatMovesTheCursor) {
  EXPECT_EQ(make_showable("a\x1b[31mb\r\x07", Charset::utf8), "ab??");
  EXPECT_EQ(make_showable("a\tb\nc", Charset::utf8), "a b c");
  EXPECT_EQ(make_showable("a\xff\xc3z", Charset::utf8), "a??z");
  EXPECT_EQ(make_showable("a\u202eb", Charset::utf8), "a?b") << "it reorders text";
}

TEST_F(TerminalText, IsAsciiWhereTheTerminalKnowsNoMore) {
  EXPECT_EQ(make_showable("日本é", Charset::utf8), "日本é");
  EXPECT_EQ(make_showable("日本é", Charset::ascii), "???");
}

TEST_F(TerminalText, IsMeasuredInColumns) {
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("日本"), 4U);
  EXPECT_EQ(columns_of("e\u0301"), 1U) << "an accent stands above its letter";
}

TEST_F(TerminalText, IsCutWhereThereIsNoRoom) {
  EXPECT_EQ(fit_columns("abc", 3, Charset::utf8), "abc");
  EXPECT_EQ(fit_columns("abcd", 3, Charset::utf8), "ab…");
  EXPECT_EQ(fit_columns("abcd", 3, Charset::ascii), "ab~");
  EXPECT_EQ(fit_columns("日本語", 4, Charset::utf8), "日…") << "half of a character has no room";
  EXPECT_EQ(fit_columns("abc", 0, Charset::utf8), "");
  EXPECT_EQ(fit_columns(std::string(10'000, 'x'), 3, Charset::ascii), "xx~");
}

}  // namespace
}  // namespace ddp::cli
