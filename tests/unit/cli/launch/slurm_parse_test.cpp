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

SubmitFailure failure(const std::string& words) {
  return classify_submit_failure("sbatch: error: Batch job submission failed: " + words);
}

TEST(SubmitFailure, IsARefusalWhenSlurmSaysNo) {
  EXPECT_EQ(classify_submit_failure(
                "sbatch: error: invalid partition specified: x\n"
                "sbatch: error: Batch job submission failed: Invalid partition name specified\n"),
            SubmitFailure::refused);
  for (const char* words :
       {"Invalid account or account/partition combination specified", "Job violates accounting/QOS policy",
        "Requested node configuration is not available", "Unspecified error", "Access/permission denied"}) {
    EXPECT_EQ(failure(words), SubmitFailure::refused) << words;
  }
  EXPECT_EQ(classify_submit_failure("sbatch: unrecognized option '--zz'\nTry \"sbatch --help\""),
            SubmitFailure::refused);
  EXPECT_EQ(classify_submit_failure(""), SubmitFailure::refused);
}

TEST(SubmitFailure, QueuedNothingWhenTheControllerWasNotReached) {
  for (const char* words : {"Unable to contact slurm controller (connect failure)", "Connection refused",
                            "No route to host", "Slurm backup controller in standby mode"}) {
    EXPECT_EQ(failure(words), SubmitFailure::not_queued) << words;
  }
  EXPECT_EQ(
      classify_submit_failure("allocation failure: Unable to contact slurm controller (connect failure)\n"),
      SubmitFailure::not_queued);
  EXPECT_EQ(classify_submit_failure("sbatch: error: ClusterName needs to be specified\n"
                                    "sbatch: fatal: Unable to process configuration file\n"),
            SubmitFailure::not_queued);
}

TEST(SubmitFailure, QueuedNothingWhenTheRequestWasNotSigned) {
  EXPECT_EQ(classify_submit_failure(
                "sbatch: error: Munge encode failed: Failed to access \"/run/munge/munge.socket.2\"\n"
                "sbatch: error: slurm_send_node_msg: auth_g_create: REQUEST_SUBMIT_BATCH_JOB has "
                "authentication error\n"
                "sbatch: error: Batch job submission failed: Protocol authentication error\n"),
            SubmitFailure::not_queued);
  EXPECT_EQ(failure("Protocol authentication error"), SubmitFailure::unknown) << "it may be the answer's";
}

TEST(SubmitFailure, IsUnknownWhenTheRequestOrTheAnswerMayBeLost) {
  for (const char* words :
       {"Socket timed out on send/recv operation", "Zero Bytes were transmitted or received",
        "Connection reset by peer", "Unexpected missing socket error", "Insane message length",
        "Unable to contact slurm controller (send failure)",
        "Unable to contact slurm controller (receive failure)",
        "Unable to contact slurm controller (shutdown failure)", "Unexpected message received",
        "Resource temporarily unavailable"}) {
    EXPECT_EQ(failure(words), SubmitFailure::unknown) << words;
  }
  EXPECT_EQ(classify_submit_failure(
                "sbatch: error: slurm_unpack_received_msg: [[ctl]:6817] Message receive failure\n"
                "sbatch: error: Batch job submission failed: Unspecified error\n"),
            SubmitFailure::unknown);
}

TEST(SubmitFailure, IsToldByTheLastWordOfSbatch) {
  const std::string refused_by_primary = "sbatch: error: connecting to primary: Connection refused\n";
  EXPECT_EQ(
      classify_submit_failure(refused_by_primary +
                              "sbatch: error: Batch job submission failed: Invalid partition name specified"),
      SubmitFailure::refused);
  EXPECT_EQ(classify_submit_failure(
                refused_by_primary +
                "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation"),
            SubmitFailure::unknown);
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
