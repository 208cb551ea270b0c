#include "jobenv/agent/node/activity_watch.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kWatchedRank = 3;

/// Looks at one rank every two seconds of a clock of its own.
class Watched : public testing::Test {
 protected:
  void look(seconds later = seconds(2)) {
    now_ += later;
    watch_.begin_look(now_);
    watch_.observe(kWatchedRank, activity_, [this] {
      ++counted_;
      return bytes_;
    });
  }
  /// `each` happens before each of the looks.
  template <class Each>
  milliseconds idle_after(int looks, Each each) {
    look();
    for (int i = 0; i < looks; ++i) {
      each();
      look();
    }
    return watch_.idle_for(kWatchedRank);
  }

  ActivityWatch watch_{seconds(2)};
  ActivityWatch::Time now_{};
  Activity activity_;
  std::uint64_t bytes_ = 0;
  int counted_ = 0;
};

TEST_F(Watched, ARankThatDoesNothingIsIdleForAsLong) {
  EXPECT_EQ(idle_after(30, [] {}), seconds(60));
}

TEST_F(Watched, OneThatComputesIsNot) {
  EXPECT_EQ(idle_after(30, [this] { activity_.cpu += milliseconds(300); }), seconds(0));
  EXPECT_EQ(counted_, 0) << "its sockets are of no interest";
}

TEST_F(Watched, ASlowRankIsNot) {
  EXPECT_LE(idle_after(300, [this] { activity_.cpu += milliseconds(40); }), seconds(12)) << "2 % of a CPU";
}

TEST_F(Watched, TimersOfLibrariesAreNoWork) {
  EXPECT_EQ(idle_after(300, [this] { activity_.cpu += milliseconds(10); }), seconds(600)) << "0.5 % of a CPU";
}

TEST_F(Watched, OneThatPrintsIsNot) {
  EXPECT_EQ(idle_after(30, [this] { ++activity_.printed; }), seconds(0));
}

TEST_F(Watched, OneThatReadsIsNot) {
  EXPECT_LE(idle_after(30, [this] { bytes_ += 1 << 20; }), seconds(2));
}

TEST_F(Watched, ADownloadIsNot) {
  EXPECT_LE(idle_after(300, [this] { bytes_ += 10 << 10; }), seconds(16)) << "5 KiB a second";
}

TEST_F(Watched, AHeartbeatIsNoWork) {
  EXPECT_EQ(idle_after(300, [this] { bytes_ += 200; }), seconds(600));
}

TEST_F(Watched, ABusyGpuIsWork) {
  activity_.gpu_percent = 80;
  EXPECT_EQ(idle_after(30, [] {}), seconds(0));
}

TEST_F(Watched, AChildThatHasEndedIsWork) {
  bytes_ = 1 << 20;
  EXPECT_EQ(idle_after(1, [] {}), seconds(2));
  bytes_ = 0;
  look();
  EXPECT_EQ(watch_.idle_for(kWatchedRank), seconds(0));
}

TEST_F(Watched, WhatAToolMakesItDoIsNoWork) {
  EXPECT_EQ(idle_after(10, [] {}), seconds(20));
  activity_.cpu += seconds(3);
  bytes_ += 1 << 20;
  now_ += seconds(2);
  watch_.begin_look(now_);
  watch_.rebase(kWatchedRank, activity_, [this] { return bytes_; });
  EXPECT_EQ(watch_.idle_for(kWatchedRank), seconds(22));
  look();
  EXPECT_EQ(watch_.idle_for(kWatchedRank), seconds(24));
}

TEST_F(Watched, ASuspensionIsNoIdleness) {
  EXPECT_EQ(idle_after(10, [] {}), seconds(20));
  look(seconds(3600));
  EXPECT_EQ(watch_.idle_for(kWatchedRank), seconds(0));
}

TEST_F(Watched, OneThatWasRemovedBeginsAnew) {
  EXPECT_EQ(idle_after(10, [] {}), seconds(20));
  watch_.remove(kWatchedRank);
  EXPECT_EQ(watch_.idle_for(kWatchedRank), seconds(0));
  look();
  look();
  EXPECT_EQ(watch_.idle_for(kWatchedRank), seconds(2));
}

}  // namespace
}  // namespace ddp::agent
