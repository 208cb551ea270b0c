#include "jobenv/agent/node/log_turns.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(LogTurns, OneStreamAloneIsNotNoted) {
  LogTurns turns;
  for (std::uint64_t size = 1; size < 100; ++size) {
    EXPECT_FALSE(turns.look({size, 0}, {}));
  }
  for (std::uint64_t size = 1; size < 100; ++size) {
    EXPECT_FALSE(turns.look({99, size}, {})) << "stderr behind stdout is how they are read anyway";
  }
}

TEST(LogTurns, StdoutBehindStderrIsATurn) {
  LogTurns turns;
  EXPECT_FALSE(turns.look({0, 5}, {}));
  EXPECT_FALSE(turns.look({0, 8}, {}));
  EXPECT_EQ(turns.look({3, 8}, {}), (LogSizes{0, 8}));
  EXPECT_FALSE(turns.look({4, 8}, {}));
  EXPECT_FALSE(turns.look({4, 9}, {}));
  EXPECT_EQ(turns.look({5, 9}, {}), (LogSizes{4, 9}));
}

TEST(LogTurns, WhatGrewBetweenTwoLooksIsOneTurn) {
  LogTurns turns;
  EXPECT_FALSE(turns.look({1, 1}, {}));
  EXPECT_EQ(turns.look({2, 2}, {}), (LogSizes{1, 1}));
  EXPECT_EQ(turns.look({3, 3}, {}), (LogSizes{2, 2}));
}

TEST(LogTurns, ALogThatWasCutOffIsNoTurn) {
  LogTurns turns;
  EXPECT_FALSE(turns.look({9, 0}, {}));
  EXPECT_FALSE(turns.look({0, 4}, {}));
  EXPECT_EQ(turns.look({2, 4}, {}), (LogSizes{0, 4}));
}

TEST(LogTurns, AWeekOfTurnsTakesFewNotes) {
  LogTurns turns;
  LogTurns::Time time;
  std::uint64_t size = 0;
  std::size_t notes = 0;
  std::size_t in_first_minute = 0;
  for (milliseconds passed{}; passed < hours(24 * 7); passed += LogTurns::kPause, ++size) {
    if (turns.look({size, size}, time + passed)) ++notes;
    if (passed == std::chrono::minutes(1)) in_first_minute = notes;
  }
  EXPECT_GT(in_first_minute, 1000U);
  EXPECT_LT(notes, 13 * LogTurns::kNotesPerPause);
}

}  // namespace
}  // namespace ddp::agent
