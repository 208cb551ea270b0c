#include "cli/launchers/slurm/query/job_state.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

/// A run that has a job, and a head or none.
RunStatus run_with(std::optional<ProcessId> head) {
  RunStatus run;
  run.state = head ? RunState::running : RunState::queued;
  run.job_id = "77";
  run.head = std::move(head);
  return run;
}
RunStatus waiting() {
  return run_with(std::nullopt);
}
RunStatus running() {
  auto run = run_with(ProcessId{});
  run.attempts.emplace_back();
  return run;
}
RunStatus requeued() {
  auto run = running();
  run.attempts.back().ended = system_clock::time_point{};
  return run;
}

RunState meaning(const std::string& word) {
  return interpret({.word = word}, running()).state;
}

TEST(Interpret, KnowsSlurmsStates) {
  EXPECT_EQ(meaning("PENDING"), RunState::queued);
  EXPECT_EQ(meaning("CONFIGURING"), RunState::queued);
  EXPECT_EQ(meaning("SPECIAL_EXIT"), RunState::queued);
  EXPECT_EQ(meaning("RUNNING"), RunState::running);
  EXPECT_EQ(meaning("COMPLETING"), RunState::running);
  EXPECT_EQ(meaning("TIMEOUT"), RunState::timed_out);
  EXPECT_EQ(meaning("PREEMPTED"), RunState::preempted);
  EXPECT_EQ(meaning("CANCELLED"), RunState::cancelled);
  EXPECT_EQ(meaning("NODE_FAIL"), RunState::failed);
}

TEST(Interpret, NeverTakesSlurmsWordForSuccess) {
  EXPECT_EQ(meaning("COMPLETED"), RunState::failed);
}

TEST(Interpret, KnowsLongAndShortForms) {
  EXPECT_EQ(meaning("CANCELLED by 1000"), RunState::cancelled);
  EXPECT_EQ(meaning("CANCELLED+"), RunState::cancelled);
  EXPECT_EQ(meaning("OUT_OF_ME+"), RunState::failed);
}

TEST(Interpret, CallsTheUnknownUnknown) {
  const auto observation = interpret({.word = "LEVITATING"}, waiting());
  EXPECT_EQ(observation.state, RunState::unknown);
  EXPECT_EQ(observation.message, "Slurm says LEVITATING");
  EXPECT_EQ(meaning("REVOKED"), RunState::unknown);
  EXPECT_EQ(meaning(""), RunState::unknown);
  EXPECT_EQ(meaning("+"), RunState::unknown);
}

TEST(Interpret, SaysWhyAJobWaitsAndUntilWhen) {
  const system_clock::time_point soon(seconds(1'800'000'000));
  const auto observation = interpret({.word = "PENDING", .reason = "Resources", .start = soon}, waiting());
  EXPECT_EQ(observation.message, "no nodes are free for it yet: it is next in line (Slurm: Resources)");
  EXPECT_EQ(observation.expected_start, soon);
  EXPECT_EQ(interpret({.word = "PENDING", .reason = "None"}, waiting()).message, "");
  EXPECT_EQ(interpret({.word = "PENDING", .reason = "Odd"}, waiting()).message, "Slurm: Odd");
  for (const auto* reason : {"BeginTime", "JobHeldUser"}) {
    EXPECT_FALSE(interpret({.word = "PENDING", .reason = reason, .start = soon}, {}).expected_start)
        << reason;
  }
  EXPECT_EQ(interpret({.word = "SUSPENDED"}, running()).message, "suspended by Slurm");
  EXPECT_FALSE(interpret({.word = "RUNNING", .start = soon}, running()).expected_start);
}

TEST(Interpret, SaysThatARequeuedJobWaitsAgain) {
  EXPECT_EQ(interpret({.word = "PENDING", .reason = "BeginTime"}, requeued()).message,
            "requeued; Slurm holds it until its start time (Slurm: BeginTime)");
  EXPECT_EQ(interpret({.word = "PENDING", .reason = "None"}, requeued()).message, "requeued");
}

std::string end_words(const std::string& word, const RunStatus& run) {
  return interpret({.word = word}, run).message;
}

TEST(Interpret, NamesAFullDiskByTheExitCodeOfHead) {
  const SlurmJob job{.word = "FAILED", .exit_code = 73};
  for (const auto& run : {waiting(), running()})
    EXPECT_EQ(interpret(job, run).message,
              "Slurm says FAILED, and ddp-agent could not start an attempt: the disk of the run folder may "
              "be full or out of inodes; see logs/slurm-*.out");
}

TEST(Interpret, TellsAnEndBeforeHeadFromALostOne) {
  EXPECT_EQ(end_words("FAILED", waiting()),
            "Slurm says FAILED, before ddp-agent started: a line of slurm.setup or environment.setup failed; "
            "see logs/slurm-*.out");
  EXPECT_EQ(end_words("TIMEOUT", waiting()),
            "Slurm says TIMEOUT, before ddp-agent started: the lines of slurm.setup and environment.setup "
            "took too long; see logs/slurm-*.out");
  EXPECT_EQ(end_words("NODE_FAIL", waiting()),
            "Slurm says NODE_FAIL, before ddp-agent started: a node of the job failed; see logs/slurm-*.out");
  EXPECT_EQ(end_words("BOOT_FAIL", waiting()),
            "Slurm says BOOT_FAIL, before ddp-agent started; see logs/slurm-*.out");
  EXPECT_EQ(end_words("CANCELLED by 1000", waiting()), "cancelled before it started");
  EXPECT_EQ(end_words("CANCELLED", requeued()), "cancelled while it waited to start again");
  for (const auto* word : {"FAILED", "TIMEOUT", "CANCELLED"}) {
    EXPECT_EQ(end_words(word, running()),
              std::string("Slurm says ") + word +
                  ", but ddp-agent did not record how the run ended; see logs/slurm-*.out");
  }
}

TEST(Interpret, TellsTheSetUpLinesFromTheRun) {
  EXPECT_EQ(interpret({.word = "RUNNING"}, waiting()).message,
            "running its set-up lines: ddp-agent has not started yet");
  EXPECT_EQ(interpret({.word = "COMPLETING"}, waiting()).message, "");
  EXPECT_EQ(interpret({.word = "RUNNING"}, running()).message, "");
}

TEST(Interpret, NamesTheLogOfAJobWhoseHeadHasNotStarted) {
  EXPECT_EQ(interpret({.word = "FAILED"}, waiting()).log, "slurm-77.out");
  EXPECT_EQ(interpret({.word = "FAILED"}, running()).log, "");
}

TEST(MayBeRequeued, ForAWhileAfterAPreemptionOrTheFailureOfANode) {
  const system_clock::time_point end(seconds(1'800'000'000));
  const auto may = [end](const std::string& word, std::optional<bool> requeue, int seconds_later) {
    return may_be_requeued({.word = word, .end = end, .may_requeue = requeue}, end + seconds(seconds_later));
  };
  EXPECT_TRUE(may("NODE_FAIL", true, 0));
  EXPECT_TRUE(may("PREEMPTED", true, 179));
  EXPECT_TRUE(may("PREEMPTED", std::nullopt, 0));
  EXPECT_FALSE(may("PREEMPTED", true, 180));
  EXPECT_FALSE(may("NODE_FAIL", false, 0));
  EXPECT_FALSE(may("CANCELLED", true, 0));
  EXPECT_FALSE(may("FAILED", true, 0));
  EXPECT_FALSE(may("LEVITATING", true, 0));
}

TEST(InterpretAbsence, IsAFailureUnlessSomebodyCancelled) {
  EXPECT_EQ(interpret_absence(running()).message,
            "Slurm no longer knows job 77, and ddp-agent did not record how the run ended");
  const auto before = interpret_absence(waiting());
  EXPECT_EQ(before.state, RunState::failed);
  EXPECT_EQ(before.log, "slurm-77.out");
  auto cancelled = requeued();
  cancelled.cancel_requested = true;
  EXPECT_EQ(interpret_absence(cancelled).state, RunState::cancelled);
  EXPECT_EQ(interpret_absence(cancelled).message, "cancelled while it waited to start again");
}

}  // namespace
}  // namespace ddp::cli
