#include "cli/report/model/phases.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/at.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;

AttemptStatus make_attempt(int number, int started, std::optional<int> ended) {
  AttemptStatus status;
  status.number = number;
  status.outcome = "failed";
  status.started = at(started);
  if (ended) status.ended = at(*ended);
  return status;
}

std::string text_of(const RunStatus& run, const FirstSteps& steps, int now = 1000) {
  std::string text;
  for (const auto& phase : phases_of(run, steps, at(now)))
    text +=
        fmt::format("{}{} {}-{}; ", name_of(phase.kind), phase.attempt,
                    phase.begin.time_since_epoch() / seconds(1), phase.end.time_since_epoch() / seconds(1));
  return text;
}

TEST(Phases, HaveQueueStartFailureAndRestart) {
  RunStatus run;
  run.state = RunState::succeeded;
  run.submitted = at(0);
  run.started = at(10);
  run.ended = at(100);
  run.attempts = {make_attempt(0, 10, 50), make_attempt(1, 53, 100)};
  run.attempts[0].cause = Cause{.code = 1, .since = at(45)};
  run.attempts[1].restarted = true;
  EXPECT_EQ(text_of(run, {{0, at(15)}, {1, at(60)}}),
            "queued0 0-10; starting0 10-15; running0 15-45; stopping0 45-50; restarting1 50-53; "
            "starting1 53-60; running1 60-100; ");
}

TEST(Phases, OfAHangLastUntilItsRanksAreKilled) {
  RunStatus run;
  run.state = RunState::failed;
  run.ended = at(200);
  run.attempts = {make_attempt(0, 10, 200)};
  run.attempts[0].cause = Cause{.rank = 1, .what = "made no progress", .since = at(50)};
  run.attempts[0].kill_ordered = at(190);
  EXPECT_EQ(text_of(run, {{0, at(20)}}),
            "starting0 10-20; running0 20-50; hanging0 50-190; stopping0 190-200; ");
  run.attempts[0].cause->rank.reset();  // all ranks
  EXPECT_EQ(text_of(run, {{0, at(20)}}),
            "starting0 10-20; running0 20-50; hanging0 50-190; stopping0 190-200; ");
  run.attempts[0].cause->host = "node2";  // which was lost
  EXPECT_EQ(text_of(run, {{0, at(20)}}), "starting0 10-20; running0 20-50; stopping0 50-200; ");
  run.attempts[0].cause->rank = 1;
  run.attempts[0].cause->signal = 9;
  EXPECT_EQ(text_of(run, {{0, at(20)}}), "starting0 10-20; running0 20-50; stopping0 50-200; ");
}

TEST(Phases, OfARequeuedJobHaveASecondQueue) {
  RunStatus run;
  run.state = RunState::queued;
  run.submitted = at(0);
  run.attempts = {make_attempt(0, 10, 50), make_attempt(1, 70, 90)};
  EXPECT_EQ(text_of(run, {}, 95),
            "queued0 0-10; running0 10-50; queued1 50-70; running1 70-90; queued2 90-95; ");
}

TEST(Phases, OfARunThatGoesOnLastUntilNow) {
  RunStatus run;
  run.state = RunState::running;
  run.submitted = at(0);
  run.attempts = {make_attempt(0, 10, std::nullopt)};
  EXPECT_EQ(text_of(run, {{0, at(20)}}, 30), "queued0 0-10; starting0 10-20; running0 20-30; ");
}

TEST(Phases, OfALostAttemptLastUntilTheNextOne) {
  RunStatus run;
  run.state = RunState::succeeded;
  run.ended = at(90);
  run.attempts = {make_attempt(0, 10, std::nullopt), make_attempt(1, 70, 90)};
  EXPECT_EQ(text_of(run, {}), "running0 10-70; running1 70-90; ");
}

TEST(Phases, NeverEndBeforeTheyBegin) {
  RunStatus run;
  run.state = RunState::failed;
  run.submitted = at(20);  // by another clock
  run.attempts = {make_attempt(0, 10, 50)};
  run.attempts[0].cause = Cause{.code = 1, .since = at(5)};
  EXPECT_EQ(text_of(run, {{0, at(60)}}), "stopping0 10-50; ");
}

}  // namespace
}  // namespace ddp::cli
