#include "cli/store/rank_logs.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Texts = std::vector<std::string>;

class LogsOfARank : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(run.logs(0)); }
  static void append(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::app) << text;
  }
  void out(const std::string& text) {
    append(run.out(0, 0), text);
    sizes.out += text.size();
  }
  void err(const std::string& text) {
    append(run.err(0, 0), text);
    sizes.err += text.size();
  }
  /// As an agent would that has looked just now.
  void note() const { append(run.log_order(0, 0), render_log_point({}, sizes)); }
  static Texts texts(const std::vector<LogLine>& lines) {
    Texts texts;
    for (const auto& line : lines) texts.push_back((line.stream == LogStream::err ? "! " : "") + line.text);
    return texts;
  }
  Texts rest() {
    Texts all;
    for (std::vector<LogLine> lines;; lines.clear()) {
      logs.read_rest(lines);
      if (lines.empty()) return all;
      const auto more = texts(lines);
      all.insert(all.end(), more.begin(), more.end());
    }
  }
  Texts read(milliseconds at) {
    std::vector<LogLine> lines;
    logs.read(RankLogs::Time(at), lines);
    return texts(lines);
  }

  TemporaryFolder folder;
  RunFolder run{folder / "job-1"};
  LogSizes sizes;
  RankLogs logs{run, 0, 0, {LogStream::out, LogStream::err}};
};

TEST_F(LogsOfARank, ComeInTheOrderOfTheirTurns) {
  err("one\n");
  note();
  out("two\n");
  err("three\n");
  note();
  out("four\n");
  EXPECT_EQ(rest(), (Texts{"! one", "two", "! three", "four"}));
}

TEST_F(LogsOfARank, WithoutNotesStdoutComesFirst) {
  err("one\n");
  out("two\n");
  EXPECT_EQ(rest(), (Texts{"two", "! one"}));
}

TEST_F(LogsOfARank, OfOneStreamAloneNeedNoOrder) {
  err("one\n");
  out("two\n");
  logs = RankLogs(run, 0, 0, {LogStream::err});
  EXPECT_EQ(read({}), Texts{"! one"});
  logs = RankLogs(run, 0, 0, {LogStream::out});
  EXPECT_EQ(rest(), Texts{"two"});
}

TEST_F(LogsOfARank, ALineStandsWholeWhereItBegan) {
  out("loading... ");
  err("warn");
  note();
  out("done\nnext\n");
  err("ing\nlast\n");
  EXPECT_EQ(rest(), (Texts{"loading... done", "! warning", "next", "! last"}));
}

TEST_F(LogsOfARank, ALineWithoutAnEndStandsWhereItBegan) {
  err("begun");
  note();
  out("line\n");
  err(" and gone on");
  EXPECT_EQ(rest(), (Texts{"! begun and gone on", "line"}));
}

TEST_F(LogsOfARank, ABarIsItsLastStateWhereItBegan) {
  err("\r 0%");
  note();
  out("epoch 1\n");
  err("\r50%");
  note();
  out("epoch 2\n");
  err("\r100%\ndone\n");
  EXPECT_EQ(rest(), (Texts{"! 100%", "epoch 1", "epoch 2", "! done"}));
}

TEST_F(LogsOfARank, ALongBarIsOneLine) {
  std::string bar;
  for (int state = 0; state < 400'000; ++state) bar += "\r" + std::to_string(state);
  err(bar);
  note();
  out("line\n");
  err("\n");
  EXPECT_EQ(rest(), (Texts{"! 399999", "line"}));
}

TEST_F(LogsOfARank, NotesThatAreAheadOfTheLogsHoldNothingBack) {
  append(run.log_order(0, 0), "1 0 4\n2 40 40\n3 50 60\n");
  err("one\nthree\n");
  out("two\n");
  EXPECT_EQ(rest(), (Texts{"! one", "two", "! three"}));
  EXPECT_EQ(rest(), Texts{});
  out("more\n");
  EXPECT_EQ(rest(), Texts{"more"});
}

TEST_F(LogsOfARank, NotesThatComeLateChangeNothingThatWasShown) {
  err("one\n");
  const auto noted = sizes;
  out("two\n");
  EXPECT_EQ(rest(), (Texts{"two", "! one"}));
  append(run.log_order(0, 0), render_log_point({}, noted));
  err("three\n");
  EXPECT_EQ(rest(), Texts{"! three"});
}

TEST_F(LogsOfARank, ALogThatWasCutOffEndsThere) {
  err("one\n");
  note();
  out("two\nthree\n");
  std::filesystem::resize_file(run.err(0, 0), 2);
  EXPECT_EQ(rest(), (Texts{"! on", "two", "three"}));
  std::filesystem::resize_file(run.out(0, 0), 0);
  EXPECT_EQ(rest(), Texts{});
}

TEST_F(LogsOfARank, OneLogThatGrowsIsReadAtOnce) {
  out("one\n");
  EXPECT_EQ(read(seconds(1)), Texts{"one"});
  err("two\nthr");
  EXPECT_EQ(read(seconds(1)), Texts{"! two"});
  EXPECT_EQ(read(seconds(1)), Texts{});
  err("ee\n");
  EXPECT_EQ(read(seconds(1)), Texts{"! three"});
}

TEST_F(LogsOfARank, WhenBothHaveGrownTheirOrderIsWaitedFor) {
  err("one\n");
  const auto noted = sizes;
  out("two\n");
  EXPECT_EQ(read(milliseconds(1000)), Texts{});
  append(run.log_order(0, 0), render_log_point({}, noted));
  EXPECT_EQ(read(milliseconds(1100)), Texts{});
  err("three\n");
  EXPECT_EQ(read(milliseconds(1200)), (Texts{"! one", "two"}));
  EXPECT_EQ(read(milliseconds(1200)), Texts{"! three"}) << "it alone has come";
}

TEST_F(LogsOfARank, ALineWithoutAnEndKeepsNothingWaiting) {
  out("loading... ");
  EXPECT_EQ(read({}), Texts{});
  err("warning\n");
  EXPECT_EQ(read({}), Texts{"! warning"});
  out("done\n");
  EXPECT_EQ(read({}), Texts{"loading... done"});
}

TEST_F(LogsOfARank, ALineThatHadBegunComesBeforeWhatIsNewer) {
  err("\r10%");
  EXPECT_EQ(read({}), Texts{});
  out("done\n");
  err("\r100%\n");
  EXPECT_EQ(read({}), Texts{"! 100%"});
  EXPECT_EQ(read({}), Texts{"done"});
}

TEST_F(LogsOfARank, TellALineThatIsBeingRewritten) {
  out("plain");
  EXPECT_EQ(read({}), Texts{});
  EXPECT_FALSE(logs.rewritten());
  err("\r10%\r20%");
  EXPECT_EQ(read({}), Texts{});
  EXPECT_EQ(logs.rewritten(), (LogLine{0, 0, LogStream::err, "20%"}));
  err("\r30%\n");
  EXPECT_EQ(read({}), Texts{"! 30%"});
  EXPECT_FALSE(logs.rewritten());
}

TEST_F(LogsOfARank, TheLastLinesAreThoseOfBothTogether) {
  err("one\n");
  note();
  out("two\nthree\n");
  err("four\n");
  for (const auto& [count, last] :
       std::vector<std::pair<std::uint64_t, Texts>>{{1, {"! four"}},
                                                    {2, {"three", "! four"}},
                                                    {3, {"two", "three", "! four"}},
                                                    {9, {"! one", "two", "three", "! four"}},
                                                    {0, {}}}) {
    logs = RankLogs(run, 0, 0, {LogStream::out, LogStream::err});
    logs.skip_to_last(count);
    EXPECT_EQ(rest(), last) << count;
  }
  out("five\n");
  EXPECT_EQ(rest(), Texts{"five"});
}

}  // namespace
}  // namespace ddp::cli
