#include "jobenv/agent/head/run_timers.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <utility>
#include <vector>

#include "tests/unit/jobenv/agent/run_loop.hpp"

namespace ddp::agent {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

class RunTimersTest : public testing::Test {
 protected:
  /// Until a timer expires that is armed last.
  void run() {
    timers_.arm({RunTimer::exit, milliseconds(2)});
    EXPECT_TRUE(
        run_loop_until(*loop_, [this] { return !expired_.empty() && expired_.back() == RunTimer::exit; }));
  }

  std::unique_ptr<EventLoop> loop_ = EventLoop::create({}, [](int) {}).value();
  std::vector<RunTimer> expired_;
  std::function<void()> hear_out_ = [] {};
  RunTimers timers_{*loop_, [this] { hear_out_(); }, [this](RunTimer timer) { expired_.push_back(timer); }};
};

TEST_F(RunTimersTest, EachReplacesTheOneOfItsName) {
  timers_.arm({RunTimer::grace, milliseconds(0)});
  timers_.arm({RunTimer::grace, milliseconds(1)});
  run();
  EXPECT_THAT(expired_, ElementsAre(RunTimer::grace, RunTimer::exit));
}

TEST_F(RunTimersTest, WhatHasComeBeforeMayStopOrReplaceIt) {
  timers_.arm({RunTimer::drain, milliseconds(0)});
  timers_.arm({RunTimer::hold, milliseconds(0)});
  hear_out_ = [this, heard = false]() mutable {
    if (std::exchange(heard, true)) return;
    timers_.disarm();
    timers_.arm({RunTimer::hold, milliseconds(1)});
    timers_.arm({RunTimer::exit, milliseconds(2)});
  };
  run();
  EXPECT_THAT(expired_, ElementsAre(RunTimer::hold, RunTimer::exit));
}

TEST_F(RunTimersTest, OnlyTheTimeLimitOutlivesAnAttempt) {
  for (const RunTimer timer : {RunTimer::grace, RunTimer::time_limit, RunTimer::drain})
    timers_.arm({timer, milliseconds(0)});
  timers_.disarm();
  run();
  EXPECT_THAT(expired_, ElementsAre(RunTimer::time_limit, RunTimer::exit));
}

}  // namespace
}  // namespace ddp::agent
