#include "cli/store/report/run_report.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;
using Seconds = std::chrono::duration<double>;

/// In milliseconds.
system_clock::time_point at_millisecond(int time) {
  return system_clock::time_point{milliseconds(time)};
}

/// A training that was killed twice: at step 57 and, after step 40, at step 100. Its third attempt goes on
/// after step 80 and comes to its end, step 120. Each step takes 10 ms.
class RunReportTest : public testing::Test {
 protected:
  RunReportTest() {
    run.state = RunState::succeeded;
    run.started = at_millisecond(0);
    run.ended = at_millisecond(4'100);
    run.attempts = {killed(0, at_millisecond(900), 17), killed(1, at_millisecond(2'000), 20),
                    succeeded(at_millisecond(4'000))};
    run.attempts[1].started = at_millisecond(1'000);
    run.attempts[2].started = at_millisecond(2'100);
    history[0] = training(1, {40, 50}, at_millisecond(310));
    history[1] = training(41, {80, 100}, at_millisecond(1'350));
    history[2] = training(81, {120}, at_millisecond(2'600));
  }

  static AttemptStatus killed(int number, system_clock::time_point since, std::uint64_t lost) {
    AttemptStatus attempt;
    attempt.number = number;
    attempt.started = at_millisecond(0);
    attempt.outcome = "failed";
    attempt.cause.emplace();
    attempt.cause->rank = 2;
    attempt.cause->signal = 9;
    attempt.cause->since = since;
    attempt.kill_ordered = since + milliseconds(40 + 20 * number);
    attempt.ended = since + milliseconds(90);
    attempt.lost_steps = lost;
    attempt.last_step = number == 0 ? 57 : 100;
    return attempt;
  }

  static AttemptStatus succeeded(system_clock::time_point ended) {
    AttemptStatus attempt;
    attempt.number = 2;
    attempt.outcome = "succeeded";
    attempt.ended = ended;
    attempt.last_step = 120;
    return attempt;
  }

  static AttemptTraining training(std::int64_t first, const std::vector<std::int64_t>& steps,
                                  system_clock::time_point time) {
    const TimedStep first_step{first, milliseconds(10), time};
    AttemptTraining training{first_step, {first_step}};
    for (const auto step : steps)
      training.steps.push_back({step, milliseconds(10) * static_cast<double>(step - first + 1),
                                time + milliseconds(10) * (step - first)});
    return training;
  }

  [[nodiscard]] RunReport report(int now = 9'000) const {
    return report_run(run, history, 0, at_millisecond(now));
  }

  RunStatus run;
  TrainingHistory history;
};

TEST_F(RunReportTest, TellsOfEachFailure) {
  const auto attempts = report().attempts;
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_EQ(attempts[0].cause->rank, 2);
  EXPECT_EQ(attempts[0].cause->signal, 9);
  EXPECT_EQ(attempts[0].lost_steps, 17u);
  EXPECT_EQ(attempts[0].detected_after, milliseconds(40));
  EXPECT_EQ(attempts[0].stepped_again_after, milliseconds(1'350 - 940));
  EXPECT_EQ(attempts[1].stepped_again_after, milliseconds(2'600 - 2'060));
  EXPECT_FALSE(attempts[2].cause);
  EXPECT_FALSE(attempts[2].detected_after);
  EXPECT_FALSE(attempts[2].stepped_again_after);
}

TEST_F(RunReportTest, AnAttemptWithoutAStepIsPartOfTheRestart) {
  history.erase(1);
  EXPECT_EQ(report().attempts[0].stepped_again_after, milliseconds(2'600 - 940));
}

TEST_F(RunReportTest, SumsUpWhatTheFailuresCost) {
  EXPECT_EQ(report().failures, 2);
  EXPECT_EQ(report().lost_steps, 37u);
  EXPECT_EQ(report().detected_after, milliseconds(50)) << "the median of two is their mean";
  EXPECT_EQ(report().stepped_again_after, milliseconds((410 + 540) / 2));
  EXPECT_DOUBLE_EQ(report().trained->count(), 1.2) << "120 steps count";
  EXPECT_EQ(report().wall_clock, Seconds(4));
  EXPECT_NEAR(*report().effective_ratio(), 0.3, 1e-9);
}

TEST_F(RunReportTest, IsNeverNegativeWhateverTheClocksSay) {
  run.attempts[0].cause->since = at_millisecond(60'000);
  history[1].first_step->time = at_millisecond(5);
  EXPECT_EQ(report().attempts[0].detected_after, milliseconds(0));
  EXPECT_EQ(report().attempts[0].stepped_again_after, milliseconds(0));
  history[2].steps.back().trained = Seconds(100);
  EXPECT_EQ(report().effective_ratio(), 1);
}

TEST_F(RunReportTest, OfNothingToKillTheEndOfTheAttemptIsTheDetection) {
  run.attempts[0].kill_ordered.reset();
  EXPECT_EQ(report().attempts[0].detected_after, milliseconds(90));
}

TEST_F(RunReportTest, WithoutMetricsTellsWhatTheLedgerKnows) {
  history.clear();
  EXPECT_EQ(report().failures, 2);
  EXPECT_EQ(report().lost_steps, 37u);
  EXPECT_EQ(report().attempts[0].detected_after, milliseconds(40));
  EXPECT_FALSE(report().attempts[0].stepped_again_after);
  EXPECT_FALSE(report().effective_ratio());
}

TEST_F(RunReportTest, OfACommandOnlyTheDetectionIsKnown) {
  history.clear();
  for (auto& attempt : run.attempts) attempt.lost_steps = attempt.last_step = std::nullopt;
  EXPECT_FALSE(report().lost_steps);
  EXPECT_EQ(report().detected_after, milliseconds(50));
  EXPECT_FALSE(report().effective_ratio());
}

TEST_F(RunReportTest, OfAnAttemptThatWasLostWithItsHeadOnlyTheStepsAreKnown) {
  auto& lost = run.attempts[0];
  lost.outcome = "lost";
  lost.cause.reset();
  lost.kill_ordered.reset();
  lost.ended.reset();
  EXPECT_EQ(report().failures, 2);
  EXPECT_FALSE(report().attempts[0].detected_after);
  EXPECT_FALSE(report().attempts[0].stepped_again_after);
  EXPECT_EQ(report().attempts[0].lost_steps, 17u);
  EXPECT_DOUBLE_EQ(report().trained->count(), 1.2);
}

TEST_F(RunReportTest, AFailureThatNoRankIsToBlameForHasNoBeginning) {
  run.attempts[0].cause = Cause{};
  EXPECT_FALSE(report().attempts[0].detected_after);
  EXPECT_EQ(report().attempts[0].stepped_again_after, milliseconds(410));
}

TEST_F(RunReportTest, AStopIsNoFailure) {
  run.attempts[0].outcome = "preempted";
  EXPECT_EQ(report().failures, 1);
  EXPECT_FALSE(report().attempts[0].detected_after);
  EXPECT_FALSE(report().attempts[0].stepped_again_after);
}

TEST_F(RunReportTest, OfATrainingThatGoesOnEndsAtItsNewestRecord) {
  run.state = RunState::running;
  run.ended.reset();
  run.attempts[2].outcome.clear();
  run.attempts[2].ended.reset();
  EXPECT_EQ(report().wall_clock, Seconds(2.99)) << "the record of step 120";
  EXPECT_EQ(report(2'500).wall_clock, Seconds(2.5)) << "by a clock that is ahead of ours";
  EXPECT_DOUBLE_EQ(report().trained->count(), 1.2);
}

TEST_F(RunReportTest, OfARunThatIsJustRestartingTheTimeUntilNowCounts) {
  run.state = RunState::restarting;
  run.ended.reset();
  run.attempts[2].outcome.clear();
  run.attempts[2].ended.reset();
  run.attempts[2].last_step.reset();
  history.erase(2);
  EXPECT_EQ(report().wall_clock, Seconds(9));
  EXPECT_DOUBLE_EQ(report().trained->count(), 0.8) << "up to the checkpoint of step 80";
  EXPECT_FALSE(report().attempts[1].stepped_again_after);
  EXPECT_TRUE(report().attempts[1].detected_after);
}

TEST_F(RunReportTest, OfARequeuedRunTheWaitCounts) {
  run.state = RunState::queued;
  run.ended.reset();
  run.attempts.pop_back();
  EXPECT_EQ(report().wall_clock, Seconds(9));
}

TEST_F(RunReportTest, OfAFailedRunOnlyItsCheckpointCounts) {
  run.state = RunState::failed;
  run.attempts.resize(1);
  run.attempts[0].lost_steps.reset();
  EXPECT_EQ(report_run(run, history, 40, at_millisecond(0)).trained, Seconds(0.4));
  EXPECT_EQ(report_run(run, history, 0, at_millisecond(0)).trained, Seconds(0));
  EXPECT_GT(report_run(run, history, {}, at_millisecond(0)).trained, Seconds(0.4))
      << "what was saved is not known";
  EXPECT_FALSE(report().lost_steps) << "nobody has to do them again";
}

TEST_F(RunReportTest, OfAnUndisturbedTrainingNoStepIsLost) {
  run.attempts.erase(run.attempts.begin(), run.attempts.begin() + 2);
  EXPECT_EQ(report().lost_steps, 0u);
  EXPECT_EQ(report().failures, 0);
  history.clear();
  EXPECT_FALSE(report().lost_steps);
}

TEST_F(RunReportTest, AttemptsOfEarlierSubmissionsAreLeftOut) {
  run.started = at_millisecond(2'050);
  ASSERT_EQ(report().attempts.size(), 1u);
  EXPECT_EQ(report().attempts[0].number, 2);
  EXPECT_DOUBLE_EQ(report().trained->count(), 0.4);
  EXPECT_EQ(report().wall_clock, Seconds(1.95));
}

TEST_F(RunReportTest, OfARunWithoutAKnownEndThereIsNoRatio) {
  run.state = RunState::failed;
  run.ended.reset();
  run.attempts[2].ended.reset();
  EXPECT_FALSE(report().effective_ratio());
  run.state = RunState::unknown;
  EXPECT_FALSE(report().effective_ratio());
  EXPECT_TRUE(report_run({}, history, {}, at_millisecond(0)).attempts.empty());
}

}  // namespace
}  // namespace ddp::cli
