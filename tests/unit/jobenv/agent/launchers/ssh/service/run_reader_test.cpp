#include "jobenv/agent/launchers/ssh/service/run_reader.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

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

TEST_F(ReadRun, WhatIsWrittenTimeAndAgainComesEachTime) {
  write("live.json", std::string(300, 'x'));
  EXPECT_EQ(read({{"live.json", 300}}), (Pieces{"live.json@0=" + std::string(300, 'x')}));
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
