#include "cli/launch/slurm_parse.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(SbatchAnswer, IsAnIdAndMaybeACluster) {
  EXPECT_EQ(parse_sbatch_answer("123\n"), (SbatchAnswer{"123", ""}));
  EXPECT_EQ(parse_sbatch_answer("123;gpu\n"), (SbatchAnswer{"123", "gpu"}));
}

TEST(SbatchAnswer, IsNothingElse) {
  for (const char* text : {"", "\n", "Submitted batch job 12", "12;", "12;a;b", "12 ", " 12", "12\n13\n",
                           "12;a b", "x12", "-1"}) {
    EXPECT_EQ(parse_sbatch_answer(text), std::nullopt) << text;
  }
}

TEST(SbatchFailure, IsAmbiguousWhenTheAnswerMayBeLost) {
  EXPECT_TRUE(is_ambiguous_failure(
      "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation"));
  EXPECT_FALSE(is_ambiguous_failure("sbatch: error: invalid partition specified: x"));
  EXPECT_FALSE(is_ambiguous_failure("sbatch: error: Unable to contact slurm controller (connect failure)"));
}

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
  EXPECT_EQ(parse_scontrol_job("slurm_load_jobs error: Invalid job id specified"), std::nullopt);
}

RunState meaning(const std::string& word) {
  return interpret({word, "None"}).state;
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
  const auto observation = interpret({"LEVITATING", "None"});
  EXPECT_EQ(observation.state, RunState::unknown);
  EXPECT_EQ(observation.message, "Slurm says LEVITATING");
  EXPECT_EQ(meaning(""), RunState::unknown);
  EXPECT_EQ(meaning("+"), RunState::unknown);
}

TEST(Interpret, SaysWhyAJobWaits) {
  EXPECT_EQ(interpret({"PENDING", "Resources"}).message, "Slurm: Resources");
  EXPECT_EQ(interpret({"PENDING", "None"}).message, "");
}

}  // namespace
}  // namespace ddp::cli
