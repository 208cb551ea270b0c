#include "jobenv/agent/controller/stalled_ranks.hpp"

#include <gtest/gtest.h>

#include "jobenv/agent/controller/first_failure.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Four ranks, two on each node, of which some are stalled.
class Stalled : public testing::Test {
 protected:
  static RankStalled waiting(int rank, std::uint64_t step = 120) {
    return {rank, Phase::step, step, seconds(61), milliseconds(200), ProcessState::sleeping, true};
  }
  static RankStalled busy(int rank, std::uint64_t step = 120) {
    RankStalled report = waiting(rank, step);
    report.waits_for_peers = false;
    return report;
  }
  static RankStalled with(RankStalled report, ProcessState process) {
    report.process = process;
    return report;
  }
  void add(const RankStalled& report) { ranks_.add({report.rank < 2 ? "node1" : "node2", report}); }
  void add_waiting(const std::vector<int>& ranks) {
    for (const int rank : ranks) add(waiting(rank));
  }
  /// What the run's message would begin with.
  [[nodiscard]] std::string cause(std::size_t living = 4) const {
    const auto found = ranks_.find_cause(living);
    return found ? render_cause(*found, ProgramKind::command) : "none";
  }

  StalledRanks ranks_;
};

TEST_F(Stalled, AStoppedProcessIsNamedFirst) {
  add_waiting({0, 3});
  add(with(busy(1, 119), ProcessState::in_kernel));
  add(with(waiting(2), ProcessState::stopped));
  EXPECT_EQ(
      cause(),
      "rank 2 on node2 made no progress for 61 s in step 121 (the longest earlier step took 0.2 s): its "
      "process is "
      "stopped");
  EXPECT_EQ(ranks_.find_cause(4)->rank->last_step, 120U);
  EXPECT_EQ(ranks_.find_cause(4)->recurrence, Recurrence::possible);
}

TEST_F(Stalled, ThenOneThatHangsInTheKernel) {
  add_waiting({0, 1});
  add(busy(2, 119));
  add(with(busy(3), ProcessState::in_kernel));
  EXPECT_EQ(
      cause(),
      "rank 3 on node2 made no progress for 61 s in step 121 (the longest earlier step took 0.2 s): its "
      "process is blocked in the kernel (uninterruptible sleep)");
}

TEST_F(Stalled, ThenOneThatDoesNotWaitForItsPeers) {
  add_waiting({0, 1, 3});
  add(with(busy(2), ProcessState::running));
  EXPECT_EQ(
      cause(),
      "rank 2 on node2 made no progress for 61 s in step 121 (the longest earlier step took 0.2 s): its "
      "process is running while the other ranks wait for it");
}

TEST_F(Stalled, ThenTheOneOfTheLowestStep) {
  add_waiting({0, 1, 3});
  add(waiting(2, 119));
  EXPECT_EQ(
      cause(),
      "rank 2 on node2 made no progress for 61 s in step 120 (the longest earlier step took 0.2 s): its "
      "process is sleeping while the other ranks are further ahead");
}

TEST_F(Stalled, ThenOneThatRunsWhileTheOthersSleep) {
  add_waiting({0, 1, 3});
  add(with(waiting(2), ProcessState::running));
  EXPECT_EQ(
      cause(),
      "rank 2 on node2 made no progress for 61 s in step 121 (the longest earlier step took 0.2 s): its "
      "process is running while the other ranks sleep");
}

TEST_F(Stalled, NobodyIsNamedWhenAllWaitInTheSameStep) {
  add_waiting({0, 1, 2, 3});
  EXPECT_EQ(
      cause(),
      "no rank advances: ranks 0-3 made no progress for 61 s in step 121 (the longest earlier step took "
      "0.2 s), and "
      "wait for each other");
  EXPECT_FALSE(ranks_.find_cause(4)->rank);
}

TEST_F(Stalled, NobodyIsNamedWhenNoneSaysWhetherItWaits) {
  for (const int rank : {0, 1, 2, 3}) add(busy(rank));
  EXPECT_EQ(
      cause(),
      "no rank advances: ranks 0-3 made no progress for 61 s in step 121 (the longest earlier step took "
      "0.2 s)");
}

TEST_F(Stalled, ThoseThatWaitMayWaitForOneThatIsAtWork) {
  add_waiting({0, 1, 2});
  EXPECT_EQ(cause(), "none");
  EXPECT_NE(cause(3), "none") << "the fourth has ended";
}

TEST_F(Stalled, OneThatAdvancesAgainIsNotCounted) {
  add_waiting({0, 1, 2, 3});
  ranks_.remove(3);
  EXPECT_EQ(cause(), "none");
  ranks_ = {};
  EXPECT_EQ(cause(0), "none");
}

TEST_F(Stalled, OneAloneNeedsNoReason) {
  add(with(busy(0), ProcessState::running));
  EXPECT_EQ(
      cause(1),
      "rank 0 on node1 made no progress for 61 s in step 121 (the longest earlier step took 0.2 s): its "
      "process is running");
}

TEST_F(Stalled, OthersLikeItAreCounted) {
  add_waiting({0, 1});
  for (const int rank : {2, 3}) add(with(waiting(rank), ProcessState::stopped));
  EXPECT_EQ(
      cause(),
      "rank 2 on node2 made no progress for 61 s in step 121 (the longest earlier step took 0.2 s): its "
      "process is "
      "stopped; the same is true for 1 more rank");
}

TEST_F(Stalled, ThePlaceIsTold) {
  const auto place = [this](Phase phase, std::optional<std::uint64_t> step, milliseconds longest) {
    RankStalled report = with(waiting(0), ProcessState::stopped);
    report.phase = phase;
    report.last_step = step;
    report.longest = longest;
    report.silent = milliseconds(2340);
    ranks_ = {};
    add(report);
    const std::string text = cause();
    const auto begin = text.find("2.3 s ") + 6;
    return text.substr(begin, text.find(": its") - begin);
  };
  EXPECT_EQ(place(Phase::start, std::nullopt, seconds(3)), "while starting");
  EXPECT_EQ(place(Phase::step, std::nullopt, seconds(0)), "in step 1");
  EXPECT_EQ(place(Phase::step, 7, milliseconds(12)),
            "in step 8 (the longest earlier step took less than 0.1 s)");
  EXPECT_EQ(place(Phase::checkpoint, 7, seconds(42)),
            "in the checkpoint after step 7 (the longest earlier part of this phase took 42 s)");
  EXPECT_EQ(place(Phase::evaluate, 7, seconds(1)),
            "in the evaluation after step 7 (the longest earlier batch took 1.0 s)");
  EXPECT_EQ(place(Phase::evaluate, std::nullopt, seconds(0)), "in the evaluation");
}

}  // namespace
}  // namespace ddp::agent
