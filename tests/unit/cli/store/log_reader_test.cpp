#include "cli/store/log_reader.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

class LogReaderTest : public testing::Test {
 protected:
  void print(int attempt, int rank, const std::string& text, LogStream stream = LogStream::out) {
    const auto path = stream == LogStream::out ? run.out(attempt, rank) : run.err(attempt, rank);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::app) << text;
  }
  LogReader reader(LogReader::Attempts attempts = LogReader::Attempts::onward,
                   std::optional<std::uint64_t> last_lines = {}) const {
    return {run,
            {.attempt = 0,
             .attempts = attempts,
             .ranks = {0, 1},
             .streams = {LogStream::out, LogStream::err},
             .last_lines = last_lines}};
  }
  std::vector<std::string> last_lines(std::uint64_t count) const {
    auto logs = reader(LogReader::Attempts::only, count);
    return texts(logs.take_rest());
  }
  static std::vector<std::string> texts(const std::vector<LogLine>& lines) {
    std::vector<std::string> texts;
    for (const auto& line : lines) texts.push_back(line.text);
    return texts;
  }
  using Texts = std::vector<std::string>;

  TemporaryFolder folder;
  RunFolder run{folder / "job-1"};
};

TEST_F(LogReaderTest, BeginsWithTheLastLinesOfEachRank) {
  print(0, 0, "a\nb\nc\n");
  print(0, 1, "A\nB\nC");
  EXPECT_EQ(last_lines(2), (Texts{"b", "c", "B", "C"}));
  EXPECT_EQ(last_lines(1), (Texts{"c", "C"}));
  EXPECT_EQ(last_lines(7), (Texts{"a", "b", "c", "A", "B", "C"}));
  EXPECT_EQ(last_lines(0), Texts{});
}

TEST_F(LogReaderTest, FindsTheLastLinesOfALongFile) {
  std::string text;
  for (int line = 0; line < 100'000; ++line) text += std::to_string(line) + "\n";
  print(0, 0, text);
  EXPECT_EQ(last_lines(2), (Texts{"99998", "99999"}));
  EXPECT_EQ(last_lines(50'000).front(), "50000");
}

TEST_F(LogReaderTest, AfterTheLastLinesComesAllThatFollows) {
  print(0, 0, "a\nb\n");
  auto logs = reader(LogReader::Attempts::onward, 1);
  print(0, 0, "c\nd\n");
  print(0, 1, "A\nB\n");
  print(1, 0, "e\nf\n");
  EXPECT_EQ(texts(logs.take_lines({})), (Texts{"b", "c", "d", "A", "B"}));
  EXPECT_EQ(texts(logs.take_lines({})), (Texts{"e", "f"}));
}

TEST_F(LogReaderTest, WaitsForFilesAndForWholeLines) {
  auto logs = reader();
  EXPECT_TRUE(logs.take_lines({}).empty());
  print(0, 0, "one\ntw");
  EXPECT_EQ(texts(logs.take_lines({})), Texts{"one"});
  EXPECT_TRUE(logs.take_lines({}).empty());
  print(0, 0, "o\n\nthree");
  EXPECT_EQ(texts(logs.take_lines({})), (Texts{"two", ""}));
  EXPECT_EQ(texts(logs.take_rest()), Texts{"three"});
  EXPECT_TRUE(logs.take_rest().empty());
}

TEST_F(LogReaderTest, TellsRankAndStream) {
  auto logs = reader();
  print(0, 1, "a\n", LogStream::err);
  print(0, 1, "b\n");
  EXPECT_EQ(logs.take_rest(),
            (std::vector<LogLine>{{0, 1, LogStream::out, "b"}, {0, 1, LogStream::err, "a"}}));
}

TEST_F(LogReaderTest, GoesOnWithTheNextAttempt) {
  auto logs = reader();
  print(0, 0, "old\nunfinished");
  EXPECT_EQ(texts(logs.take_lines({})), Texts{"old"});
  print(1, 0, "new\n");
  print(0, 0, " line");
  EXPECT_EQ(logs.take_lines({}), (std::vector<LogLine>{{0, 0, LogStream::out, "unfinished line"}}));
  EXPECT_EQ(logs.take_lines({}), (std::vector<LogLine>{{1, 0, LogStream::out, "new"}}));
}

TEST_F(LogReaderTest, PassesOverAnAttemptWithoutRanks) {
  auto logs = reader();
  print(0, 0, "old\n");
  print(2, 0, "new\n");
  EXPECT_EQ(texts(logs.take_lines({})), Texts{"old"});
  EXPECT_EQ(logs.take_lines({}), (std::vector<LogLine>{{2, 0, LogStream::out, "new"}}));
}

TEST_F(LogReaderTest, StaysWithOneAttempt) {
  auto logs = reader(LogReader::Attempts::only);
  print(0, 0, "old\n");
  print(1, 0, "new\n");
  EXPECT_EQ(texts(logs.take_lines({})), Texts{"old"});
  EXPECT_TRUE(logs.take_lines({}).empty());
}

TEST_F(LogReaderTest, HandsOnALineThatNeverEndsInPieces) {
  auto logs = reader();
  print(0, 0, std::string(3u << 20, 'x'));
  std::size_t size = 0;
  for (auto lines = logs.take_lines({}); !lines.empty(); lines = logs.take_lines({})) {
    for (const auto& line : lines) size += line.text.size();
  }
  EXPECT_GT(size, 2u << 20);
  for (const auto& line : logs.take_rest()) size += line.text.size();
  EXPECT_EQ(size, 3u << 20);
}

TEST_F(LogReaderTest, TakesMuchInSeveralCallsAndLosesNothing) {
  auto logs = reader();
  std::string text;
  constexpr int kLines = 300'000;
  for (int line = 0; line < kLines; ++line) text += std::to_string(line) + "\n";
  print(0, 0, text);
  int next = 0;
  int calls = 0;
  for (auto lines = logs.take_lines({}); !lines.empty(); lines = logs.take_lines({}), ++calls) {
    for (const auto& line : lines) ASSERT_EQ(line.text, std::to_string(next++));
  }
  EXPECT_EQ(next, kLines);
  EXPECT_GT(calls, 1);
}

}  // namespace
}  // namespace ddp::cli
