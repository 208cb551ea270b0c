#include "jobenv/agent/node/hang_watch.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// One rank, and looks at its page of which a test says how it has changed.
class OneRank : public testing::Test {
 protected:
  void SetUp() override { watch_.add(kRank, now_); }

  /// The next look, in which the page is like this.
  void see(Phase phase, std::uint64_t step, std::uint64_t parts) {
    page_ = {phase, step, parts};
    look_after(watch_.interval());
  }
  void take_first_step() {
    see(Phase::step, 0, 0);
    see(Phase::step, 1, 1);
  }
  /// Looks as they come while the page stays the same.
  void be_silent(milliseconds time) {
    for (milliseconds passed{0}; passed < time; passed += watch_.interval()) look_after(watch_.interval());
  }
  void look_after(milliseconds time) {
    now_ += time;
    watch_.begin_look(now_);
    watch_.observe(kRank, page_);
  }
  void begin_attempt() {
    watch_.remove_all();
    page_ = {};
    watch_.add(kRank, now_);
  }
  [[nodiscard]] bool hangs(ProcessState process = ProcessState::sleeping) const {
    return watch_.hangs(kRank, process);
  }
  /// That it may be silent before it hangs, from now on.
  seconds patience(ProcessState process = ProcessState::sleeping) {
    seconds time{0};
    for (; !hangs(process) && time < minutes(60); time += seconds(1)) be_silent(seconds(1));
    return time;
  }

  static constexpr int kRank = 3;
  HangWatch watch_{HangFloors{}};
  HangWatch::Time now_{};
  PageReading page_;
};

TEST_F(OneRank, HasTheTimeOfTheStartUntilItsFirstStepIsDone) {
  be_silent(seconds(50));
  EXPECT_FALSE(hangs());
  see(Phase::step, 0, 0);
  EXPECT_EQ(patience(), minutes(10));
  EXPECT_EQ(watch_.silence(kRank).length, minutes(10));
}

TEST_F(OneRank, HasTheTimeOfEachPhaseAfterThat) {
  take_first_step();
  EXPECT_EQ(patience(), seconds(60));
  see(Phase::checkpoint, 1, 0);
  EXPECT_FALSE(hangs());
  EXPECT_EQ(patience(), minutes(5));
  see(Phase::evaluate, 1, 0);
  EXPECT_EQ(watch_.silence(kRank).phase, Phase::evaluate);
  EXPECT_EQ(watch_.silence(kRank).step, 1U);
}

TEST_F(OneRank, AdvancesWithEveryPart) {
  take_first_step();
  for (std::uint64_t part = 1; part < 5; ++part) {
    be_silent(seconds(50));
    see(Phase::evaluate, 1, part);
    EXPECT_FALSE(hangs());
  }
}

TEST_F(OneRank, HasTheTimeOfTheStartForItsEnd) {
  take_first_step();
  see(Phase::done, 1, 0);
  be_silent(minutes(9));
  EXPECT_FALSE(hangs());
  be_silent(minutes(2));
  EXPECT_TRUE(hangs());
}

TEST_F(OneRank, IsWaitedForNoLongerThanItsPeersWaitUnlessAStepWasThatLong) {
  watch_ = HangWatch([] {
    HangFloors floors;
    floors.collective = seconds(240);
    return floors;
  }());
  watch_.add(kRank, now_);
  see(Phase::step, 0, 0);
  be_silent(seconds(31));
  see(Phase::step, 1, 1);
  be_silent(seconds(239));
  EXPECT_FALSE(hangs());
  be_silent(seconds(2));
  EXPECT_TRUE(hangs());
}

TEST_F(OneRank, MayTakeTenTimesTheLongestStep) {
  take_first_step();
  be_silent(seconds(19));
  see(Phase::step, 2, 2);
  EXPECT_EQ(watch_.silence(kRank).longest, seconds(20));
  see(Phase::step, 3, 3);
  EXPECT_EQ(watch_.silence(kRank).longest, seconds(20)) << "not the newest";
  EXPECT_EQ(patience(), seconds(200));
  see(Phase::evaluate, 3, 0);
  EXPECT_EQ(patience(), seconds(60)) << "that was of steps";
}

TEST_F(OneRank, TheFirstStepIsOneOfThem) {
  see(Phase::step, 0, 0);
  be_silent(seconds(49));
  see(Phase::step, 1, 1);
  EXPECT_EQ(patience(), seconds(500));
}

TEST_F(OneRank, StepsBetweenTwoLooksShareTheTime) {
  take_first_step();
  see(Phase::step, 101, 101);
  EXPECT_EQ(watch_.silence(kRank).longest, seconds(1)) << "that of the first one";
  HangWatch other{HangFloors{}};
  other.add(0, now_);
  std::uint64_t step = 0;
  for (int look = 0; look < 5; ++look) {
    now_ += seconds(1);
    other.begin_look(now_);
    other.observe(0, {Phase::step, step, step});
    step += 100;
  }
  EXPECT_EQ(other.silence(0).longest, milliseconds(10));
}

TEST_F(OneRank, StepsOnBothSidesOfAShortCheckpointDoSo) {
  see(Phase::step, 100, 100);
  see(Phase::step, 110, 4);
  see(Phase::step, 115, 9);
  EXPECT_EQ(watch_.silence(kRank).longest, milliseconds(200));
}

TEST_F(OneRank, SilenceBeforeManyPartsBelongsToTheFirst) {
  take_first_step();
  be_silent(seconds(30));
  see(Phase::step, 101, 101);
  EXPECT_EQ(watch_.silence(kRank).longest, seconds(30) + milliseconds(10));
}

TEST_F(OneRank, SilenceAtTheEndOfAPhaseBelongsToIt) {
  take_first_step();
  see(Phase::checkpoint, 1, 5);
  be_silent(seconds(100));
  see(Phase::step, 1, 0);
  see(Phase::checkpoint, 2, 0);
  EXPECT_EQ(watch_.silence(kRank).longest, seconds(100));
}

TEST_F(OneRank, WhatWasLearnedHoldsInTheNextAttempt) {
  take_first_step();
  be_silent(seconds(19));
  see(Phase::step, 2, 2);
  begin_attempt();
  take_first_step();
  EXPECT_EQ(patience(), seconds(200));
}

TEST_F(OneRank, ANewAttemptHasTheTimeOfTheStart) {
  take_first_step();
  begin_attempt();
  EXPECT_EQ(patience(), minutes(10));
}

TEST_F(OneRank, ThatIsStoppedHasTheTimeOfAStepInEveryPhase) {
  EXPECT_EQ(patience(ProcessState::stopped), seconds(60));
  begin_attempt();
  take_first_step();
  see(Phase::checkpoint, 1, 0);
  EXPECT_EQ(patience(ProcessState::traced), seconds(60));
  EXPECT_TRUE(watch_.is_suspect(kRank));
  EXPECT_FALSE(hangs());
}

TEST_F(OneRank, IsNotBlamedForTheTimeInWhichNobodyRan) {
  take_first_step();
  be_silent(seconds(50));
  look_after(minutes(30));
  EXPECT_FALSE(hangs(ProcessState::stopped));
  EXPECT_EQ(watch_.silence(kRank).length, seconds(0));
  EXPECT_EQ(patience(), seconds(60));
}

TEST_F(OneRank, NothingIsLearnedFromTheTimeInWhichNobodyRan) {
  take_first_step();
  page_ = {Phase::step, 2, 2};
  look_after(minutes(30));
  EXPECT_EQ(patience(), seconds(60));
}

TEST_F(OneRank, ALookThatIsALittleLateCounts) {
  take_first_step();
  be_silent(seconds(57));
  look_after(seconds(3));
  EXPECT_TRUE(hangs());
}

TEST(HangWatch, LooksOftenEnoughForShortTimes) {
  const auto interval = [](milliseconds step) {
    HangFloors floors;
    floors.step = floors.evaluate = step;
    return HangWatch(floors).interval();
  };
  EXPECT_EQ(interval(seconds(60)), seconds(1));
  EXPECT_EQ(interval(minutes(60)), seconds(1));
  EXPECT_EQ(interval(seconds(2)), milliseconds(200));
  EXPECT_EQ(interval(seconds(1)), milliseconds(100));
}

TEST(HangWatch, TheFloorsAreThoseOfThePlan) {
  LaunchPlan plan;
  EXPECT_EQ(hang_floors(plan).start, minutes(10));
  EXPECT_EQ(hang_floors(plan).step, seconds(60));
  EXPECT_EQ(hang_floors(plan).checkpoint, minutes(5));
  EXPECT_EQ(hang_floors(plan).evaluate, seconds(60));
  plan.hang_timeout = seconds(2);
  plan.rendezvous_timeout = minutes(20);
  EXPECT_EQ(hang_floors(plan).step, seconds(2));
  EXPECT_EQ(hang_floors(plan).evaluate, seconds(2));
  EXPECT_EQ(hang_floors(plan).checkpoint, minutes(5));
  EXPECT_EQ(hang_floors(plan).start, minutes(20));
  plan.hang_timeout = minutes(30);
  EXPECT_EQ(hang_floors(plan).checkpoint, minutes(30));
  EXPECT_EQ(hang_floors(plan).start, minutes(30));
}

}  // namespace
}  // namespace ddp::agent
