#include "trainer/checkpoint/shard_exchange.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

// What ranks that write a checkpoint together say of each other. All of them are in this thread.
namespace ddp::trainer {
namespace {

class ExchangeOfShards : public testing::Test {
 protected:
  using Ranks = std::vector<std::unique_ptr<ShardExchange>>;

  /// Of a run that has failed: none of them waits for another one.
  [[nodiscard]] Ranks hurried(int count) const {
    Ranks ranks;
    for (int rank = 0; rank < count; ++rank) {
      ranks.push_back(
          std::make_unique<ShardExchange>(store_, rank, count, std::chrono::milliseconds::zero()));
      ranks.back()->hurry();
    }
    return ranks;
  }

  /// The next checkpoint, of which each rank has ten bytes.
  static void begin(const Ranks& ranks) {
    for (const auto& rank : ranks) rank->begin(10);
  }

  /// What `wait` says of ranks that have stalled; empty: nothing.
  template <class Wait>
  static std::string silence(Wait wait) {
    try {
      (void)wait();
    } catch (const RankSilent& silent) {
      return silent.what();
    }
    return {};
  }

  static std::string silence_of(const std::string& ranks, const char* whose) {
    return "the run has failed before " + ranks + " had done " + whose + " part of the checkpoint";
  }

  c10::intrusive_ptr<c10d::Store> store_ = c10::make_intrusive<c10d::HashStore>();
};

TEST_F(ExchangeOfShards, NamesTheRanksThatHaveStalledAndNoOther) {
  const Ranks ranks = hurried(4);
  begin(ranks);
  EXPECT_EQ(ranks[0]->total_bytes(), 40U);
  ranks[0]->open();
  for (std::size_t rank = 1; rank < 4; ++rank) EXPECT_TRUE(ranks[rank]->await_folder());
  const auto collect = [&] { return ranks[0]->collect(); };
  EXPECT_EQ(silence(collect), silence_of("ranks 1, 2 and 3", "their"));
  ranks[2]->report({});
  EXPECT_EQ(silence(collect), silence_of("ranks 1 and 3", "their"));
  ranks[1]->report_failure("no room");  // has answered, too
  EXPECT_EQ(silence(collect), silence_of("rank 3", "its"));
  ranks[3]->report({{"shard", {7, 8}}});
  const auto reports = ranks[0]->collect();
  EXPECT_THAT(reports.faults, testing::ElementsAre("rank 1: no room"));
  EXPECT_EQ(reports.sums, (FileSums{{"shard", {7, 8}}}));
}

// Rank 1 has done its part, rank 0 and rank 2 have not: who waits for whom decides who is named.
TEST_F(ExchangeOfShards, EachRankNamesThoseThatItWaitsFor) {
  const Ranks ranks = hurried(3);
  ranks[1]->begin(10);
  EXPECT_EQ(silence([&] { return ranks[1]->await_folder(); }), silence_of("rank 0", "its"));
  ranks[0]->begin(10);
  EXPECT_EQ(silence([&] { return ranks[0]->total_bytes(); }), silence_of("rank 2", "its"));
  ranks[2]->begin(10);
  EXPECT_EQ(ranks[0]->total_bytes(), 30U);
  EXPECT_EQ(silence([&] { return ranks[2]->await_folder(); }), silence_of("rank 0", "its"));
  ranks[0]->open();
  EXPECT_TRUE(ranks[1]->await_folder());
  ranks[1]->report({});
  EXPECT_EQ(silence([&] { return ranks[0]->collect(); }), silence_of("rank 2", "its"));
}

TEST_F(ExchangeOfShards, AnAnswerOfTheCheckpointBeforeDoesNotCount) {
  const Ranks ranks = hurried(3);
  begin(ranks);
  EXPECT_EQ(ranks[0]->total_bytes(), 30U);
  ranks[0]->open();
  for (std::size_t rank = 1; rank < 3; ++rank) ranks[rank]->report({});
  EXPECT_EQ(silence([&] { return ranks[0]->collect(); }), "");
  ranks[0]->begin(10);
  ranks[1]->begin(10);
  EXPECT_EQ(silence([&] { return ranks[0]->total_bytes(); }), silence_of("rank 2", "its"));
  EXPECT_EQ(silence([&] { return ranks[1]->await_folder(); }), silence_of("rank 0", "its"));
  ranks[2]->begin(10);
  EXPECT_EQ(ranks[0]->total_bytes(), 30U);
  ranks[0]->open();
  ranks[2]->report({});
  EXPECT_EQ(silence([&] { return ranks[0]->collect(); }), silence_of("rank 1", "its"));
}

TEST_F(ExchangeOfShards, NumbersOfRanksAreNotComparedAsText) {
  const Ranks ranks = hurried(12);
  begin(ranks);
  EXPECT_EQ(ranks[0]->total_bytes(), 120U);
  ranks[0]->open();
  for (std::size_t rank = 1; rank < 12; ++rank)
    if (rank != 2 && rank != 10 && rank != 11) ranks[rank]->report({});
  EXPECT_EQ(silence([&] { return ranks[0]->collect(); }), silence_of("ranks 2, 10 and 11", "their"));
}

}  // namespace
}  // namespace ddp::trainer
