#include "trainer/mpi/poll_pace.hpp"

#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

using std::chrono::microseconds;

/// Rounds of questions that follow each other.
class Rounds {
 public:
  PollPace pace;

  void ask(microseconds taken, bool something_ended = false) {
    pace.asked(now_, now_ + taken, something_ended);
    now_ += taken;
  }
  void ask_in_vain_for(microseconds time) {
    for (microseconds asked{0}; asked < time; asked += microseconds{1}) ask(microseconds{1});
  }

 private:
  PollPace::Clock::time_point now_ = PollPace::Clock::now();
};

TEST(PollPace, SleepsWhenNothingHasMovedForAWhile) {
  Rounds rounds;
  rounds.ask_in_vain_for(microseconds{100});
  EXPECT_EQ(rounds.pace.pause().count(), 0);
  rounds.ask_in_vain_for(microseconds{10'000});
  EXPECT_GT(rounds.pace.pause().count(), 0);
}

TEST(PollPace, DoesNotSleepWhileDataMoves) {
  Rounds rounds;
  for (int piece = 0; piece < 1000; ++piece) rounds.ask(microseconds{30});
  EXPECT_EQ(rounds.pace.pause().count(), 0);
}

TEST(PollPace, AnEndOrANewOperationWakesIt) {
  Rounds rounds;
  rounds.ask_in_vain_for(microseconds{10'000});
  rounds.ask(microseconds{1}, true);
  EXPECT_EQ(rounds.pace.pause().count(), 0);
  rounds.ask_in_vain_for(microseconds{10'000});
  rounds.pace.restart();
  EXPECT_EQ(rounds.pace.pause().count(), 0);
}

}  // namespace
}  // namespace ddp::trainer
