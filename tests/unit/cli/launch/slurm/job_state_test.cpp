#include "cli/launch/slurm/job_state.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(Squeue, ReadsLinesAndPassesOverOthers) {
  const auto jobs = parse_squeue("CLUSTER: a\n12|RUNNING|None\n13|PENDING|Resources|odd\n|X|\n14\n");
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs.at("12"), (SlurmJobState{"RUNNING", "None"}));
  EXPECT_EQ(jobs.at("13"), (SlurmJobState{"PENDING", "Resources|odd"}));
}

TEST(Scontrol, ReadsStateAndReason) {
  const auto job = parse_scontrol_job(
      "JobId=5 JobName=a=b UserId=x(1) JobState=TIMEOUT Reason=TimeLimit Dependency=(null)\n");
  EXPECT_EQ(job, (SlurmJobState{"TIMEOUT", "TimeLimit"}));
  EXPECT_EQ(parse_scontrol_job("JobId=5 JobState=PENDING Reason=BeginTime Restarts=2 BatchFlag=1")->restarts,
            2);
  EXPECT_EQ(parse_scontrol_job("slurm_load_jobs error: Invalid job id specified"), std::nullopt);
}

RunState meaning(const std::string& word) {
  return interpret({word, "None"}, HeadTrace::started).state;
}

TEST(Interpret, KnowsSlurmsStates) {
  EXPECT_EQ(meaning("PENDING"), RunState::queued);
  EXPECT_EQ(meaning("CONFIGURING"), RunState::queued);
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
  EXPECT_EQ(meaning("OUT_OF_ME+"), RunState::failed);
}

TEST(Interpret, CallsTheUnknownUnknown) {
  const auto observation = interpret({"LEVITATING", "None"}, HeadTrace::none);
  EXPECT_EQ(observation.state, RunState::unknown);
  EXPECT_EQ(observation.message, "Slurm says LEVITATING");
  EXPECT_EQ(meaning(""), RunState::unknown);
  EXPECT_EQ(meaning("+"), RunState::unknown);
}

TEST(Interpret, SaysWhyAJobWaits) {
  EXPECT_EQ(interpret({"PENDING", "Resources"}, HeadTrace::none).message, "Slurm: Resources");
  EXPECT_EQ(interpret({"PENDING", "None"}, HeadTrace::none).message, "");
}

std::string end_words(const std::string& word, HeadTrace head) {
  return interpret({word, "None"}, head).message;
}

TEST(Interpret, TellsAnEndBeforeHeadFromALostOne) {
  EXPECT_EQ(end_words("FAILED", HeadTrace::none),
            "Slurm says FAILED, before ddp-agent started: a line of slurm.setup or environment.setup failed; "
            "see logs/slurm-*.out");
  EXPECT_EQ(
      end_words("TIMEOUT", HeadTrace::none),
      "Slurm says TIMEOUT, before ddp-agent started: the lines of slurm.setup and environment.setup took "
      "too long; see logs/slurm-*.out");
  EXPECT_EQ(end_words("NODE_FAIL", HeadTrace::none),
            "Slurm says NODE_FAIL, before ddp-agent started: a node of the job failed; see logs/slurm-*.out");
  EXPECT_EQ(end_words("BOOT_FAIL", HeadTrace::none),
            "Slurm says BOOT_FAIL, before ddp-agent started; see logs/slurm-*.out");
  EXPECT_EQ(end_words("CANCELLED by 1000", HeadTrace::none), "cancelled before it started");
  for (const auto* word : {"FAILED", "TIMEOUT", "CANCELLED"}) {
    EXPECT_EQ(
        end_words(word, HeadTrace::started),
        std::string("Slurm says ") + word + ", and ddp-agent left no end of the run; see logs/slurm-*.out");
  }
}

}  // namespace
}  // namespace ddp::cli
