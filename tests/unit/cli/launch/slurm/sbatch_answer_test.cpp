#include "cli/launch/slurm/sbatch_answer.hpp"

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

}  // namespace
}  // namespace ddp::cli
