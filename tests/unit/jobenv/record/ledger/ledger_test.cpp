#include "jobenv/record/ledger/ledger.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp {
namespace {

using nlohmann::json;

class Ledger : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(run_.create()); }

  void write(const std::string& writer, const std::string& text) {
    std::ofstream(run_.ledger_of(writer), std::ios::app) << text;
  }

  /// "name n" of each event.
  std::vector<std::string> story() {
    std::vector<std::string> story;
    const auto events = load_ledger(run_);
    EXPECT_TRUE(events) << events.error().message;
    for (const LedgerEvent& event : events.value_or(std::vector<LedgerEvent>{})) {
      story.push_back(event.event + " " + event.fields.value("n", json()).dump());
    }
    return story;
  }

  static std::string line(const std::string& time, const std::string& event, int n) {
    return json{{"time", time}, {"event", event}, {"n", n}}.dump() + "\n";
  }

  TemporaryFolder home_;
  RunFolder run_{home_ / "run"};
};

using Story = std::vector<std::string>;

TEST_F(Ledger, WhatIsWrittenAfterAnEventIsLaterThanIt) {
  write("head-0", line("2200-01-01T00:00:00.000Z", "of a clock that is fast", 1));
  auto submit = LedgerWriter::open(run_, "submit");
  ASSERT_TRUE(submit && submit->append("then", {{"n", 2}}));
  auto head = LedgerWriter::open(run_, "head-1");
  ASSERT_TRUE(head && head->append("at last", {{"n", 3}}));
  EXPECT_EQ(story(), (Story{"of a clock that is fast 1", "then 2", "at last 3"}));
}

TEST_F(Ledger, KeepsEventsWithTheirFields) {
  auto writer = LedgerWriter::open(run_, "head-0");
  ASSERT_TRUE(writer);
  const auto before = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  ASSERT_TRUE(writer->append("rank_exited", {{"rank", 3}, {"host", "node\"1\"\n"}, {"code", nullptr}}));
  const auto events = load_ledger(run_);
  ASSERT_EQ(events->size(), 1U);
  EXPECT_EQ(events->front().event, "rank_exited");
  EXPECT_EQ(events->front().fields, (json{{"rank", 3}, {"host", "node\"1\"\n"}, {"code", nullptr}}));
  EXPECT_GE(events->front().time, before);
  EXPECT_LE(events->front().time, std::chrono::system_clock::now());
  const std::string text = *load_file(run_.ledger_of("head-0"));
  EXPECT_TRUE(text.starts_with("{\"time\":\"2")) << text;
  EXPECT_TRUE(text.ends_with("}\n")) << text;
}

TEST_F(Ledger, IsOrderedByTimeThenWriterThenLine) {
  write("submit", line("2026-01-01T00:00:00.000Z", "a", 1) + line("2026-01-01T00:00:05.000Z", "b", 2));
  write("head-0", line("2026-01-01T00:00:05.000Z", "c", 3) + line("2026-01-01T00:00:05.000Z", "d", 4) +
                      line("2026-01-01T00:00:06.000Z", "e", 5));
  write("cancel-7", line("2026-01-01T00:00:05.500Z", "f", 6));
  EXPECT_EQ(story(), (Story{"a 1", "c 3", "d 4", "b 2", "f 6", "e 5"}));
}

TEST_F(Ledger, IsEmptyAtFirstAndAbsentWithoutARun) {
  EXPECT_EQ(story(), Story{});
  const auto none = load_ledger(RunFolder(home_ / "none"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ExitCode::not_found);
}

TEST_F(Ledger, SkipsALineThatIsNotYetWhole) {
  const std::string whole = line("2026-01-01T00:00:00.000Z", "a", 1);
  const std::string next = line("2026-01-01T00:00:01.000Z", "b", 2);
  for (std::size_t cut = 0; cut < next.size(); ++cut) {
    std::ofstream(run_.ledger_of("head-0")) << whole << next.substr(0, cut);
    ASSERT_EQ(story(), Story{"a 1"}) << cut;
  }
}

TEST_F(Ledger, ANewWriterCutsOffATornLine) {
  write("head-0", line("2026-01-01T00:00:00.000Z", "a", 1) + "{\"time\":\"2026-01-01T00:0");
  auto writer = LedgerWriter::open(run_, "head-0");
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append("b", {{"n", 2}}));
  EXPECT_EQ(story(), (Story{"a 1", "b 2"}));
  write("only-torn", "{\"time");
  ASSERT_TRUE(LedgerWriter::open(run_, "only-torn")->append("c", {{"n", 3}}));
  EXPECT_EQ(story(), (Story{"a 1", "b 2", "c 3"}));
}

TEST_F(Ledger, GarbageInsideAFileIsPassedOverAndHasItsPlace) {
  const std::string good = line("2026-01-01T00:00:00.000Z", "a", 1);
  for (const std::string& bad :
       {std::string("garbage"), std::string(), std::string(300, '\0'), std::string("[]"), std::string("{}"),
        std::string(R"({"time":"2026-01-01T00:00:00.000Z"})"), std::string(R"({"time":5,"event":"a"})"),
        std::string(R"({"time":"yesterday","event":"a"})"),
        std::string(R"({"time":"2026-01-01T00:00:00.000Z","event":1})"),
        std::string(R"({"time":"2026-01-01T00:00:00.000Z","event":"damaged_lines"})")}) {
    std::ofstream(run_.ledger_of("head-0")) << good << bad << '\n' << bad << '\n' << good;
    ASSERT_EQ(story(), (Story{"a 1", "damaged_lines null", "a 1"})) << bad;
    const auto events = load_ledger(run_);
    EXPECT_EQ(events->at(1).fields, (json{{"writer", "head-0"},
                                          {"place", run_.ledger_of("head-0").string() + ":2"},
                                          {"lines", 2},
                                          {"after", "2026-01-01T00:00:00.000Z"}}));
  }
}

TEST_F(Ledger, ZerosWithoutAnEndOfALineAreDamage) {
  write("submit", line("2026-01-01T00:00:00.000Z", "a", 1) + std::string(150, '\0'));
  EXPECT_EQ(story(), (Story{"a 1", "damaged_lines null"}));
}

TEST_F(Ledger, ACancelOfWhichNothingIsLeftIsDamage) {
  write("cancel-1-1", "");
  write("cancel-1-2", std::string(150, '\0'));
  write("cancel-1-3", R"({"time":"2026-01-0)");
  write("head-0", "");
  EXPECT_EQ(story(), (Story{"damaged_lines null", "damaged_lines null", "damaged_lines null"}));
}

TEST_F(Ledger, AnEventThatIsNestedDeepIsDamage) {
  const std::string deep(2'000'000, '[');
  write("head-0", R"({"time":"2026-01-01T00:00:00.000Z","event":"a","n":)" + deep +
                      std::string(2'000'000, ']') + "}\n");
  EXPECT_EQ(story(), (Story{"damaged_lines null"}));
  write("head-1", R"({"time":"2026-01-01T00:00:00.000Z","event":"b","n":")" + deep + "\"}\n");
  EXPECT_EQ(story().size(), 2U);
}

TEST_F(Ledger, DamageIsAsYoungAsItCanBe) {
  write("submit", "garbage\n" + line("2026-01-01T00:00:00.000Z", "a", 1) + "garbage\n");
  const auto events = load_ledger(run_);
  ASSERT_EQ(events->size(), 3U);
  EXPECT_EQ(events->at(0).time, events->at(1).time) << "it was written before what follows";
  EXPECT_GT(events->at(2).time, std::chrono::system_clock::now() - std::chrono::minutes(1))
      << "nothing follows: it may have been written last";
  std::filesystem::last_write_time(run_.ledger_of("submit"),
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1000));
  const auto time = load_ledger(run_)->at(2).time;
  EXPECT_LE(time, std::chrono::system_clock::now());
}

TEST_F(Ledger, AnEventBehindATornLineOrBehindZerosIsRead) {
  const std::string next = R"({"time":"2026-01-01T00:00:01.000Z","event":"b","n":2})"
                           "\n";
  for (const auto& torn : {std::string(4096, '\0'), std::string(R"({"time":"2026-01-01T00:0)")}) {
    std::ofstream(run_.ledger_of("head-0")) << line("2026-01-01T00:00:00.000Z", "a", 1) << torn << next;
    EXPECT_EQ(story(), (Story{"a 1", "damaged_lines null", "b 2"}));
  }
  std::ofstream(run_.ledger_of("head-0"))
      << R"({"time":"2026-01-01T00:00:00.000Z","event":"rank_started","n":)" << next;
  for (const auto ranks : {RankEvents::load, RankEvents::skip})
    EXPECT_EQ(load_ledger(run_, ranks)->back().event, "b") << "it is not taken for an event of a rank";
}

TEST_F(Ledger, IsReadAndWrittenHoweverLargeItIs) {
  write("head-0", line("2026-01-01T00:00:00.000Z", "a", 1));
  std::filesystem::resize_file(run_.ledger_of("head-0"), 100u << 20);  // with zeros
  write("head-0", "\n" + line("2026-01-01T00:00:01.000Z", "b", 2) + "{\"torn");
  auto writer = LedgerWriter::open(run_, "head-0");
  ASSERT_TRUE(writer && writer->append("c", {{"n", 3}}));
  EXPECT_EQ(story(), (Story{"a 1", "damaged_lines null", "b 2", "c 3"}));
  std::filesystem::resize_file(run_.ledger_of("head-0"), 200u << 20);
  ASSERT_TRUE(LedgerWriter::open(run_, "head-0"));
  EXPECT_LT(std::filesystem::file_size(run_.ledger_of("head-0")), 101u << 20) << "its torn end is cut off";
}

TEST_F(Ledger, WhatIsNoFileIsNamedAndKeepsNobodyWaiting) {
  write("submit", line("2026-01-01T00:00:00.000Z", "a", 1));
  ASSERT_EQ(mkfifo(run_.ledger_of("head-0").c_str(), 0600), 0);
  EXPECT_EQ(story(), (Story{"a 1", "damaged_lines null"}));
  EXPECT_EQ(load_ledger(run_)->back().fields.at("reason"),
            "cannot read " + run_.ledger_of("head-0").string() + ": it is a FIFO, not a regular file");
  const auto writer = LedgerWriter::open(run_, "head-0");
  ASSERT_FALSE(writer);
  EXPECT_TRUE(writer.error().message.ends_with("it is a FIFO, not a regular file")) << writer.error().message;
}

TEST_F(Ledger, OtherFilesAreNotRead) {
  write("head-0", line("2026-01-01T00:00:00.000Z", "a", 1));
  std::ofstream(run_.ledger() / "notes.txt") << "garbage\n";
  std::ofstream(run_.ledger() / ".hidden.jsonl") << "garbage\n";
  EXPECT_EQ(story(), Story{"a 1"});
}

TEST_F(Ledger, TextThatIsNotUtf8IsKeptReadable) {
  ASSERT_TRUE(LedgerWriter::open(run_, "head-0")->append("a", {{"tail", "caf\xe9"}}));
  EXPECT_EQ(load_ledger(run_)->front().fields.at("tail"), "caf\xef\xbf\xbd");
}

TEST_F(Ledger, FieldsCannotReplaceTimeAndEvent) {
  auto writer = LedgerWriter::open(run_, "head-0");
  EXPECT_FALSE(writer->append("a", {{"time", "x"}}));
  EXPECT_FALSE(writer->append("a", {{"event", "x"}}));
  EXPECT_FALSE(writer->append("a", json::array()));
  EXPECT_EQ(story(), Story{});
}

TEST_F(Ledger, ManyWritersAtOnceLoseNothing) {
  constexpr int kWriters = 4;
  constexpr int kEvents = 100;
  for (int id = 0; id < kWriters; ++id) {
    if (fork() != 0) continue;
    auto writer = LedgerWriter::open(run_, "writer-" + std::to_string(id));
    bool good = writer.has_value();
    for (int n = 0; good && n < kEvents; ++n)
      good = writer->append("e" + std::to_string(id), {{"n", n}}).has_value();
    _exit(good ? 0 : 1);
  }
  int running = kWriters;
  while (running > 0) {
    const auto while_written = load_ledger(run_);
    ASSERT_TRUE(while_written) << while_written.error().message;
    int status = 0;
    if (waitpid(-1, &status, WNOHANG) <= 0) continue;
    EXPECT_EQ(status, 0);
    --running;
  }
  const auto events = load_ledger(run_);
  ASSERT_TRUE(events);
  EXPECT_EQ(events->size(), static_cast<std::size_t>(kWriters * kEvents));
  std::map<std::string, int> next;
  for (const LedgerEvent& event : *events) EXPECT_EQ(event.fields.at("n"), next[event.event]++);
}

TEST_F(Ledger, AFullDiskLeavesNoTornLineBehind) {
  const pid_t pid = fork();
  if (pid == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    auto writer = LedgerWriter::open(run_, "head-0");
    bool good = writer->append("a", {{"n", 1}}).has_value();
    const rlimit limit = {100, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    good = good && !writer->append("b", {{"n", 2}, {"text", std::string(500, 'x')}});
    const rlimit no_limit = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &no_limit);
    good = good && writer->append("c", {{"n", 3}});
    _exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(story(), (Story{"a 1", "c 3"}));
}

}  // namespace
}  // namespace ddp
