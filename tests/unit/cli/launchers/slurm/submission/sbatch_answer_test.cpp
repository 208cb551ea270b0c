#include "cli/launchers/slurm/submission/sbatch_answer.hpp"

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
  return classify_submit_failure(1, "sbatch: error: Batch job submission failed: " + words);
}

TEST(SubmitFailure, IsARefusalWhenSlurmSaysNo) {
  EXPECT_EQ(classify_submit_failure(
                1,
                "sbatch: error: invalid partition specified: x\n"
                "sbatch: error: Batch job submission failed: Invalid partition name specified\n"),
            SubmitFailure::refused);
  for (const char* words :
       {"Invalid account or account/partition combination specified", "Job violates accounting/QOS policy",
        "Requested node configuration is not available", "Access/permission denied"}) {
    EXPECT_EQ(failure(words), SubmitFailure::refused) << words;
  }
  EXPECT_EQ(classify_submit_failure(255, "sbatch: unrecognized option '--zz'\nTry \"sbatch --help\""),
            SubmitFailure::refused);
  EXPECT_EQ(classify_submit_failure(1, "allocation failure: Requested node configuration is not available\n"),
            SubmitFailure::refused);
}

TEST(SubmitFailure, IsARefusalInWordsThatNobodyKnows) {
  for (const char* words : {"Unspecified error", "Resource temporarily unavailable", "Invalid moon phase"}) {
    EXPECT_EQ(failure(words), SubmitFailure::refused) << words;
  }
  EXPECT_EQ(classify_submit_failure(1,
                                    "sbatch: error: lua: give an account\n"
                                    "sbatch: error: Batch job submission failed: Unspecified error\n"),
            SubmitFailure::refused);
  EXPECT_EQ(classify_submit_failure(1, ""), SubmitFailure::refused);
}

TEST(SubmitFailure, TellsAFullQueue) {
  EXPECT_TRUE(
      says_queue_is_full("sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\n"));
  EXPECT_TRUE(says_queue_is_full("sbatch: error: Slurm job queue full, sleeping and retrying\n"));
  EXPECT_FALSE(says_queue_is_full("sbatch: error: Batch job submission failed: Unspecified error\n"));
}

TEST(SubmitFailure, TellsAQueueThatStayedFull) {
  const std::string failed = "sbatch: error: Batch job submission failed: ";
  const std::string until_24_11 =
      "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\n";
  const std::string in_26_05 = "sbatch: error: Slurm job queue full, sleeping and retrying\n";
  EXPECT_TRUE(says_queue_stayed_full(until_24_11 + failed + "Resource temporarily unavailable"));
  EXPECT_TRUE(says_queue_stayed_full(in_26_05 + failed + "MaxJobCount limit reached"));
  EXPECT_FALSE(says_queue_stayed_full(in_26_05));
  EXPECT_FALSE(says_queue_stayed_full(failed + "MaxJobCount limit reached")) << "it has not waited";
}

TEST(SubmitFailure, QueuedNothingWhenTheControllerWasNotReached) {
  for (const char* words : {"Unable to contact slurm controller (connect failure)", "Connection refused",
                            "No route to host", "Slurm backup controller in standby mode"}) {
    EXPECT_EQ(failure(words), SubmitFailure::not_queued) << words;
  }
  EXPECT_EQ(classify_submit_failure(
                1, "allocation failure: Unable to contact slurm controller (connect failure)\n"),
            SubmitFailure::not_queued);
  EXPECT_EQ(classify_submit_failure(1,
                                    "sbatch: error: ClusterName needs to be specified\n"
                                    "sbatch: fatal: Unable to process configuration file\n"),
            SubmitFailure::not_queued);
}

TEST(SubmitFailure, QueuedNothingWhenTheRequestWasNotSigned) {
  EXPECT_EQ(classify_submit_failure(
                1,
                "sbatch: error: Munge encode failed: Failed to access \"/run/munge/munge.socket.2\"\n"
                "sbatch: error: slurm_send_node_msg: auth_g_create: REQUEST_SUBMIT_BATCH_JOB has "
                "authentication error\n"
                "sbatch: error: Batch job submission failed: Protocol authentication error\n"),
            SubmitFailure::not_queued);
  EXPECT_EQ(failure("Protocol authentication error"), SubmitFailure::lost) << "it may be the answer's";
}

TEST(SubmitFailure, IsUnknownWhenTheRequestOrTheAnswerMayBeLost) {
  for (const char* words :
       {"Socket timed out on send/recv operation", "Zero Bytes were transmitted or received",
        "Connection reset by peer", "Unexpected missing socket error", "Insane message length",
        "Unable to contact slurm controller (send failure)",
        "Unable to contact slurm controller (receive failure)",
        "Unable to contact slurm controller (shutdown failure)", "Unexpected message received"}) {
    EXPECT_EQ(failure(words), SubmitFailure::lost) << words;
  }
  EXPECT_EQ(classify_submit_failure(
                1,
                "sbatch: error: slurm_unpack_received_msg: [[ctl]:6817] Message receive failure\n"
                "sbatch: error: Batch job submission failed: Unspecified error\n"),
            SubmitFailure::lost);
}

TEST(SubmitFailure, IsNotToldByAPlugin) {
  EXPECT_EQ(classify_submit_failure(
                1,
                "sbatch: error: your quota service\ntimed out\n"
                "sbatch: error: Batch job submission failed: Invalid account or account/partition "
                "combination specified"),
            SubmitFailure::refused);
  EXPECT_EQ(classify_submit_failure(1,
                                    "sbatch: error: your quota service\ntimed out\n"
                                    "sbatch: error: Batch job submission failed: Unspecified error"),
            SubmitFailure::refused);
  EXPECT_EQ(
      classify_submit_failure(1,
                              "sbatch: error: the licence check timed out\n"
                              "sbatch: error: Batch job submission failed: Invalid license specification"),
      SubmitFailure::refused);
}

TEST(SubmitFailure, IsToldByTheLastWordOfSbatch) {
  const std::string refused_by_primary = "sbatch: error: connecting to primary: Connection refused\n";
  EXPECT_EQ(classify_submit_failure(
                1, refused_by_primary +
                       "sbatch: error: Batch job submission failed: Invalid partition name specified"),
            SubmitFailure::refused);
  EXPECT_EQ(classify_submit_failure(
                1, refused_by_primary +
                       "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation"),
            SubmitFailure::lost);
}

}  // namespace
}  // namespace ddp::cli
