#include "jobenv/agent/own_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "jobenv/record/durable_file.hpp"
#include "jobenv/record/run_folder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;
using remote::ProgramFile;

class HostsOwnFolder : public testing::Test {
 protected:
  static std::string hash(char digit) { return std::string(64, digit); }
  void keep(char digit, const std::string& bytes) {
    std::istringstream source(bytes + "{\"schema\":\"next\"}\n");
    ASSERT_TRUE(folder_.keep({hash(digit), bytes.size()}, source));
    std::string next;
    std::getline(source, next);
    EXPECT_EQ(next, "{\"schema\":\"next\"}");
  }
  [[nodiscard]] fs::path path(const std::string& name) const { return temporary_ / ("own/" + name); }

  TemporaryFolder temporary_;
  OwnFolder folder_{temporary_ / "own"};
  const remote::ReadyPrograms wanted_{{{"ddptrain", hash('a'), 3}, {"lib/libx.so", hash('b'), 5}}};
};

TEST_F(HostsOwnFolder, HasAnIdThatNoOtherHas) {
  const std::string id = folder_.id();
  EXPECT_GE(id.size(), 16U);
  EXPECT_EQ(OwnFolder(temporary_ / "own").id(), id);
  EXPECT_NE(OwnFolder(temporary_ / "other").id(), id);
  EXPECT_EQ(OwnFolder("").id(), "");
}

TEST_F(HostsOwnFolder, SaysWhichContentsAreMissing) {
  keep('a', "abc");
  const auto ready = folder_.ready(wanted_);
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->missing, std::vector{hash('b')});
  EXPECT_EQ(ready->folder, "");
}

TEST_F(HostsOwnFolder, AProgramIsAFolderOfLinksToContents) {
  keep('a', "abc");
  keep('b', "bytes");
  const auto ready = folder_.ready(wanted_);
  ASSERT_TRUE(ready);
  EXPECT_TRUE(ready->missing.empty());
  EXPECT_EQ(load_file(fs::path(ready->folder) / "lib/libx.so"), "bytes");
  EXPECT_EQ(fs::hard_link_count(fs::path(ready->folder) / "ddptrain"), 2U);
  EXPECT_NE(fs::status(fs::path(ready->folder) / "ddptrain").permissions() & fs::perms::owner_exec,
            fs::perms::none);
  EXPECT_EQ(folder_.ready(wanted_)->folder, ready->folder);
  EXPECT_NE(folder_.ready({{{"ddptrain", hash('b'), 5}}})->folder, ready->folder);
}

TEST_F(HostsOwnFolder, AContentOfAnotherSizeIsNotTheOne) {
  keep('a', "ab");  // as a crash leaves it
  EXPECT_EQ(folder_.ready(wanted_)->missing.size(), 2U);
}

TEST_F(HostsOwnFolder, BytesThatDoNotAllComeAreNotKept) {
  std::istringstream source("ab");
  EXPECT_FALSE(folder_.keep({hash('a'), 3}, source));
  EXPECT_TRUE(fs::is_empty(path("content")));
}

TEST_F(HostsOwnFolder, BytesThatCannotBeWrittenAreTakenAllTheSame) {
  std::ofstream(temporary_ / "own") << "a file in its place";
  std::istringstream source("abcnext");
  EXPECT_FALSE(folder_.keep({hash('a'), 3}, source));
  std::string rest;
  source >> rest;
  EXPECT_EQ(rest, "next");
}

TEST_F(HostsOwnFolder, NamesDoNotLeaveIt) {
  std::istringstream source("abc");
  EXPECT_FALSE(folder_.keep({"../" + hash('a').substr(3), 3}, source));
  EXPECT_FALSE(folder_.ready({{{"../ddptrain", hash('a'), 3}}}));
  EXPECT_FALSE(folder_.write({"../run", {}, {}}));
  EXPECT_FALSE(folder_.write({"run", {{"../plan.json", ""}}, {}}));
}

TEST_F(HostsOwnFolder, HoldsRunsForTheUserAlone) {
  const auto run = folder_.write({"run-1", {{"plan.json", "{}"}, {"secrets.json", "s"}}, {}});
  ASSERT_TRUE(run);
  EXPECT_EQ(*run, path("runs/run-1"));
  struct stat found {};
  ASSERT_EQ(stat((*run / "secrets.json").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  ASSERT_EQ(stat(run->c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0700U);
}

TEST_F(HostsOwnFolder, HistoryDoesNotReplaceWhatTheHostKnowsItself) {
  ASSERT_TRUE(folder_.write({"run-1", {{"plan.json", "old"}}, {{"ledger/head-0.jsonl", "all of it"}}}));
  const auto run = folder_.write(
      {"run-1", {{"plan.json", "new"}}, {{"ledger/head-0.jsonl", "part"}, {"attempts/1/claim.json", "1"}}});
  ASSERT_TRUE(run);
  EXPECT_EQ(load_file(*run / "plan.json"), "new");
  EXPECT_EQ(load_file(*run / "ledger/head-0.jsonl"), "all of it");
  EXPECT_EQ(load_file(*run / "attempts/1/claim.json"), "1");
}

class ReadRun : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  /// "path@offset=bytes" of each piece.
  std::vector<std::string> read(std::map<std::string, std::uint64_t> have = {}) {
    std::vector<std::string> pieces;
    const auto records = read_run({folder_.path(), std::move(have)}).value();
    for (const auto& piece : records.pieces)
      pieces.push_back(piece.path + "@" + std::to_string(piece.offset) + "=" + piece.bytes);
    return pieces;
  }
  using Pieces = std::vector<std::string>;

  TemporaryFolder folder_;
};

TEST_F(ReadRun, TheLedgerComesFirst) {
  write("metrics.jsonl", "m");
  write("ledger/head-0.jsonl", "l");
  write("logs/attempt-0/rank-0.out", "o");
  write("exit/attempt-0/rank-0.json", "{}");
  EXPECT_EQ(read(), (Pieces{"ledger/head-0.jsonl@0=l", "metrics.jsonl@0=m", "logs/attempt-0/rank-0.out@0=o",
                            "exit/attempt-0/rank-0.json@0={}"}));
}

TEST_F(ReadRun, NeitherWhatTheSubmitHostHasWrittenNorTensors) {
  for (const char* path :
       {"plan.json", "spec.yaml", "secrets.json", "ledger/submit.jsonl", "ledger/cancel-1-2.jsonl",
        "checkpoints/step-00000001-a0/model.safetensors", "logs/.hidden"})
    write(path, "x");
  write("checkpoints/step-00000001-a0/manifest.json", "{}");
  EXPECT_EQ(read(), (Pieces{"checkpoints/step-00000001-a0/manifest.json@0={}"}));
}

TEST_F(ReadRun, OnlyWhatIsNew) {
  write("ledger/head-0.jsonl", "one\ntwo\n");
  write("logs/head.log", "log");
  write("exit/attempt-0/rank-0.json", std::string(300, 'x'));
  EXPECT_EQ(read({{"ledger/head-0.jsonl", 4}, {"logs/head.log", 3}, {"exit/attempt-0/rank-0.json", 300}}),
            (Pieces{"ledger/head-0.jsonl@4=two\n"}));
}

TEST_F(ReadRun, WhatWasReplacedComesWhole) {
  write("checkpoints/LATEST", "step-00000200-a0");
  EXPECT_EQ(read({{"checkpoints/LATEST", 16}}), (Pieces{"checkpoints/LATEST@0=step-00000200-a0"}));
  write("metrics.jsonl", "short");
  EXPECT_EQ(read({{"checkpoints/LATEST", 16}, {"metrics.jsonl", 100}}).front(), "metrics.jsonl@0=short");
}

TEST_F(ReadRun, ARunThatIsNotThereIsNoRunWithoutRecords) {
  EXPECT_FALSE(read_run({folder_ / "none", {}}));
}

TEST_F(ReadRun, MuchComesInSeveralAnswers) {
  const std::string text(3u << 20, 'x');
  write("logs/attempt-0/rank-0.out", text);
  std::uint64_t have = 0;
  int answers = 0;
  for (bool more = true; more; ++answers) {
    const auto records = read_run({folder_.path(), {{"logs/attempt-0/rank-0.out", have}}}).value();
    for (const auto& piece : records.pieces) have = piece.offset + piece.bytes.size();
    more = records.more;
  }
  EXPECT_EQ(have, text.size());
  EXPECT_GT(answers, 1);
}

}  // namespace
}  // namespace ddp::agent
