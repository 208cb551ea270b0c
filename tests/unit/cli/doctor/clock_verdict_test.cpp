#include "cli/doctor/clock_verdict.hpp"

#include <gtest/gtest.h>

// The nodes of a test machine share one clock: what is said of clocks that differ is tried out here only.
namespace ddp::cli {
namespace {

Verdict verdict_of(double offset, double uncertainty) {
  return judge_node_clock(offset, uncertainty).verdict;
}

TEST(NodeClock, RightWithinASecond) {
  EXPECT_EQ(verdict_of(0, 1e-5), Verdict::ok);
  EXPECT_EQ(verdict_of(0.9, 1e-5), Verdict::ok);
  EXPECT_EQ(verdict_of(-0.9, 1e-5), Verdict::ok);
}

TEST(NodeClock, MisleadsFromASecondAndHarmsFromAMinute) {
  EXPECT_EQ(verdict_of(1.1, 1e-5), Verdict::warning);
  EXPECT_EQ(verdict_of(-1.1, 1e-5), Verdict::warning);
  EXPECT_EQ(verdict_of(61, 1e-5), Verdict::error);
  EXPECT_EQ(verdict_of(-3600, 1e-5), Verdict::error);
}

TEST(NodeClock, IsNotBlamedForASlowNetwork) {
  EXPECT_EQ(verdict_of(1.5, 1.0), Verdict::ok);
  EXPECT_EQ(verdict_of(2.5, 1.0), Verdict::warning);
}

TEST(NodeClock, TellsDirectionAndUncertainty) {
  EXPECT_EQ(judge_node_clock(0.0123, 5e-5).found, "+12.3 ms from the head's clock, +/- 50 us");
  EXPECT_EQ(judge_node_clock(-90, 5e-5).found, "-90.0 s from the head's clock, +/- 50 us");
}

TEST(OwnClock, IsAWarningAtMost) {
  EXPECT_EQ(judge_own_clock(ClockState::synchronized).verdict, Verdict::ok);
  EXPECT_EQ(judge_own_clock(ClockState::unsynchronized).verdict, Verdict::warning);
  EXPECT_EQ(judge_own_clock(ClockState::unknown).verdict, Verdict::skipped);
}

}  // namespace
}  // namespace ddp::cli
