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

TEST_F(TerminalText, WordsOfOthersControlNothing) {
  EXPECT_EQ(neutralize("a\tb\nö\n"), "a\tb\nö\n");
  EXPECT_EQ(neutralize("\x1b]52;c;QQ==\a \x1b[2J\r \u009b1m"),
            "\\x1b]52;c;QQ==\\x07 \\x1b[2J\\x0d \\u{9b}1m");
  EXPECT_EQ(neutralize("\xff\t\x7f"), "\\xff\t\\x7f");
  EXPECT_EQ(neutralize("a\r\nb\r"), "a\r\nb\\x0d") << "CSV, and a diff of a file of DOS";
}

TEST_F(TerminalText, ALineKeepsItsColoursAndWhatAProgressBarNeeds) {
  const std::string tqdm = "\r 50%|\x1b[32m█████\x1b[0m| 5/10\x1b[A\x1b[1B\x1b[2K\x1b[12G\x1b[K\b\t";
  EXPECT_EQ(keep_line_controls(tqdm), tqdm);
  EXPECT_EQ(keep_line_controls("two\nlines \xff\n"), "two\nlines \xff\n");
}

TEST_F(TerminalText, AColourEndsWithItsLine) {
  EXPECT_EQ(keep_line_controls("\x1b[31mred\n\x1b[32mx\x1b[0m\n\x1b[8m"),
            "\x1b[31mred\x1b[0m\n\x1b[32mx\x1b[0m\n\x1b[8m\x1b[0m");
  EXPECT_EQ(keep_line_controls("\x1b[1mx\x1b[m\n"), "\x1b[1mx\x1b[m\n");
}

TEST_F(TerminalText, ALineLosesWhatGoesBeyondIt) {
  for (const std::string control : {"\x1b]52;c;QQ==\a", "\x1b]0;title\x1b\\", "\x1bP1;2|x\x1b\\", "\x1b[2J",
                                    "\x1b[H", "\x1b[3;4H", "\x1b[?1049h", "\x1b[?25l", "\x1b[6n", "\x1b[>c",
                                    "\x1b"
                                    "c",
                                    "\x1b(0", "\a", "\x0e", "\x7f", "\x9b", "\u009b", "\x1b[1\x1b["}) {
    EXPECT_EQ(keep_line_controls("a" + control + "z"), control == "\x1b(0" ? "a0z" : "az")
        << neutralize(control);
  }
  EXPECT_EQ(keep_line_controls("a\x1b]8;;http://x\anot ended: \x1b]52;c;QQ==\nb\x1b"), "anot ended: \nb");
  EXPECT_EQ(keep_line_controls("one\x1b[\ntwo\x1b[1;3\nthree\x1b\nfour"), "one\ntwo\nthree\nfour");
}

TEST_F(TerminalText, IsMadeInLinearTime) {
  std::string line;
  for (int part = 0; part < 500'000; ++part) line += "\x1b]x\x1b[";
  EXPECT_EQ(keep_line_controls(line), "");
}

}  // namespace
}  // namespace ddp::cli
