#include "jobenv/agent/controller/signal_meaning.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "jobenv/agent/process/signals_taken.hpp"
#include "tests/support/use_launcher.hpp"

namespace ddp::agent {
namespace {

using std::chrono::seconds;
using Time = std::chrono::system_clock::time_point;

LaunchPlan slurm_plan() {
  LaunchPlan plan;
  use_launcher(plan, "slurm");
  plan.stop_signal = "USR2";
  plan.signal_lead = seconds(120);
  return plan;
}

/// What `signal` means this long before the end of the job.
StopReason reason_before_end(int signal, seconds left) {
  const Time end(seconds(100000));
  return interpret_signal(signal, slurm_plan(), {end - left, end, false})->reason;
}

TEST(SignalMeaning, TheStopSignalNearTheEndIsTheTimeLimit) {
  EXPECT_EQ(reason_before_end(SIGUSR2, seconds(120)), StopReason::time_limit);
  EXPECT_EQ(reason_before_end(SIGUSR2, seconds(180)), StopReason::time_limit) << "Slurm may be 60 s early";
}

TEST(SignalMeaning, TheStopSignalLongBeforeTheEndIsUndecidedAndStopsWithTheLeadOfThePlan) {
  const Time end(seconds(100000));
  const auto stop = interpret_signal(SIGUSR2, slurm_plan(), {end - seconds(211), end, false});
  EXPECT_EQ(stop->reason, StopReason::time_limit);
  EXPECT_EQ(stop->certainty, Certainty::asked);
  EXPECT_EQ(stop->time_left, seconds(120));
}

TEST(SignalMeaning, TheStopSignalLongBeforeTheEndThatSlurmTellsIsSomebodys) {
  const Time end(seconds(100000));
  const SignalContext context{end - seconds(211), end, false, DeadlineSource::scheduler};
  const auto stop = interpret_signal(SIGUSR2, slurm_plan(), context);
  EXPECT_EQ(stop->reason, StopReason::interrupt);
  EXPECT_EQ(stop->certainty, Certainty::known);
}

TEST(SignalMeaning, TheStopSignalWithoutAKnownEndIsTheTimeLimit) {
  EXPECT_EQ(interpret_signal(SIGUSR2, slurm_plan(), {Time(), std::nullopt, false})->reason,
            StopReason::time_limit);
}

TEST(SignalMeaning, TheTimeLimitLeavesWhatIsLeft) {
  const Time end(seconds(100000));
  EXPECT_EQ(interpret_signal(SIGUSR2, slurm_plan(), {end - seconds(170), end, false})->time_left,
            seconds(170));
  EXPECT_EQ(interpret_signal(SIGUSR2, slurm_plan(), {end, std::nullopt, false})->time_left, seconds(120));
  EXPECT_EQ(interpret_signal(SIGTERM, slurm_plan(), {end, end, false})->time_left, std::nullopt);
}

TEST(SignalMeaning, TermIsAnInterruptUnlessTheTimeIsOver) {
  EXPECT_EQ(reason_before_end(SIGTERM, seconds(60)), StopReason::interrupt);
  EXPECT_EQ(reason_before_end(SIGTERM, seconds(0)), StopReason::time_limit);
  EXPECT_EQ(reason_before_end(SIGINT, seconds(0)), StopReason::interrupt);
}

TEST(SignalMeaning, ACancelRecordExplainsEverySignal) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR2}) {
    EXPECT_EQ(interpret_signal(signal, slurm_plan(), {Time(), Time(), true})->reason, StopReason::cancel);
  }
}

TEST(SignalMeaning, OtherSignalsMeanNothing) {
  EXPECT_FALSE(interpret_signal(SIGUSR1, slurm_plan(), {}));
  LaunchPlan plan = slurm_plan();
  plan.stop_signal.reset();
  EXPECT_FALSE(interpret_signal(SIGUSR2, plan, {}));
}

TEST(SignalMeaning, WithoutASchedulerASignalIsAPersons) {
  LaunchPlan plan = slurm_plan();
  use_launcher(plan, "local");
  EXPECT_EQ(interpret_signal(SIGTERM, plan, {Time(), Time(), false})->reason, StopReason::interrupt);
  EXPECT_EQ(interpret_signal(SIGUSR2, plan, {Time(), Time(), false})->reason, StopReason::interrupt);
}

TEST(SignalMeaning, TheStopSignalIsTaken) {
  LaunchPlan plan;
  plan.stop_signal = "RTMIN+1";
  EXPECT_EQ(signals_taken(plan).back(), SIGRTMIN + 1);
}

}  // namespace
}  // namespace ddp::agent
