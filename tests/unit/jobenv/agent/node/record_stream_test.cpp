#include "jobenv/agent/node/record_stream.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/unit/jobenv/agent/run_fixture.hpp"

namespace ddp::agent {
namespace {

using std::chrono::seconds;

/// A stream to a folder here, over a connection that takes what comes while it is `connected_`.
class LogsOnTheirWay : public testing::Test {
 protected:
  void SetUp() override {
    loop_ = EventLoop::create({}, [](int) {}).value();
    stream_.emplace(*loop_, run_.folder(), [this](FilePiece piece) { send(std::move(piece)); });
    std::filesystem::create_directories(run_.folder().logs(0));
  }
  void send(FilePiece piece) {
    ++sent_;
    paths_.push_back(piece.path);
    if (!connected_) return;
    ASSERT_TRUE(save_piece(target_.path(), piece));
    loop_->after({}, [this] { stream_->on_taken(); });
  }
  void print(int rank, const std::string& text) {
    std::ofstream(run_.folder().out(0, rank), std::ios::app) << text;
  }
  [[nodiscard]] std::string arrived(int rank) const {
    return load_file(target_.path() / run_.folder().out(0, rank).lexically_relative(run_.path()))
        .value_or("");
  }
  void run_until_finished(std::chrono::milliseconds patience = seconds(60)) {
    stream_->finish(patience, [this] { loop_->quit(); });
    loop_->run();
  }

  RunFixture run_;
  TemporaryFolder target_;
  std::unique_ptr<EventLoop> loop_;
  std::optional<RecordStream> stream_;
  bool connected_ = true;
  int sent_ = 0;
  std::vector<std::string> paths_;
};

TEST_F(LogsOnTheirWay, AllArrivesBeforeTheEnd) {
  const std::string much(3 * kMostPieceBytes + 1, 'x');
  print(0, "line\n");
  stream_->restart();
  print(0, "another\n");
  print(1, much);
  run_until_finished();
  EXPECT_EQ(arrived(0), "line\nanother\n");
  EXPECT_EQ(arrived(1), much);
}

TEST_F(LogsOnTheirWay, OneIsUnderWayAtATime) {
  connected_ = false;
  print(0, "line\n");
  print(1, "line\n");
  stream_->restart();
  EXPECT_EQ(sent_, 1);
}

TEST_F(LogsOnTheirWay, EachFileHasItsTurn) {
  print(0, std::string(10 * kMostPieceBytes, 'x'));
  print(1, "line\n");
  stream_->restart();
  run_until_finished();
  const std::string second = run_.folder().out(0, 1).lexically_relative(run_.path());
  EXPECT_EQ(paths_.at(1), second);
}

TEST_F(LogsOnTheirWay, WhatWasLostWithAConnectionIsSentAgain) {
  connected_ = false;
  print(0, "line\n");
  stream_->restart();
  connected_ = true;
  stream_->restart();
  run_until_finished();
  EXPECT_EQ(arrived(0), "line\n");
}

TEST_F(LogsOnTheirWay, TheEndDoesNotWaitForeverForAnAnswer) {
  connected_ = false;
  print(0, "line\n");
  run_until_finished(std::chrono::milliseconds(1));
  EXPECT_EQ(sent_, 1);
}

}  // namespace
}  // namespace ddp::agent
