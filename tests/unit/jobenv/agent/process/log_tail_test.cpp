#include "jobenv/agent/process/log_tail.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::agent {
namespace {

TEST(LogTail, KeepsWhatIsValid) {
  const std::string text = "a\tb\né€\xF0\x9F\x98\x80";
  EXPECT_EQ(to_valid_utf8(text), text);
}

TEST(LogTail, ReplacesWhatIsNot) {
  EXPECT_EQ(to_valid_utf8("x\xFFy"), "x?y");
  EXPECT_EQ(to_valid_utf8(std::string("x\0y", 3)), "x?y");
  EXPECT_EQ(to_valid_utf8("\xC3"), "?") << "cut";
  EXPECT_EQ(to_valid_utf8("\xE2\x82"), "??") << "cut";
  EXPECT_EQ(to_valid_utf8("\xC0\xAF"), "??") << "over-long";
  EXPECT_EQ(to_valid_utf8("\xE0\x80\xAF"), "???") << "over-long";
  EXPECT_EQ(to_valid_utf8("\xED\xA0\x80"), "???") << "surrogate";
  EXPECT_EQ(to_valid_utf8("\xF4\x90\x80\x80"), "????") << "beyond U+10FFFF";
}

TEST(LogTail, EndsWithTheLastLinesAndStartsWithAWholeOne) {
  const TemporaryFolder folder;
  {
    std::ofstream file(folder / "log");
    for (int line = 0; line < 1000; ++line) file << "line " << line << '\n';
  }
  const std::string tail = load_log_tail(folder / "log");
  EXPECT_LE(tail.size(), 4096u);
  EXPECT_GT(tail.size(), 4000u);
  EXPECT_TRUE(tail.starts_with("line "));
  EXPECT_TRUE(tail.ends_with("line 999\n"));
}

TEST(LogTail, KeepsALineThatStartsWhereTheTailDoes) {
  const TemporaryFolder folder;
  const std::string tail = std::string(4095, 'x') + '\n';
  std::ofstream(folder / "log") << "before\n" << tail;
  EXPECT_EQ(load_log_tail(folder / "log"), tail);
}

TEST(LogTail, OneEndlessLineIsCutAnywhere) {
  const TemporaryFolder folder;
  std::ofstream(folder / "log") << std::string(10000, 'x');
  EXPECT_EQ(load_log_tail(folder / "log"), std::string(4096, 'x'));
  std::ofstream(folder / "log") << std::string(10000, 'x') << '\n';
  EXPECT_EQ(load_log_tail(folder / "log"), std::string(4095, 'x') + '\n');
}

TEST(LogTail, AShortLogIsWhole) {
  const TemporaryFolder folder;
  std::ofstream(folder / "log") << "first\nsecond";
  EXPECT_EQ(load_log_tail(folder / "log"), "first\nsecond");
  EXPECT_EQ(load_log_tail(folder / "absent"), "");
}

}  // namespace
}  // namespace ddp::agent
