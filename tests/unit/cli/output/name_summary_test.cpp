#include "cli/output/name_summary.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

TEST(NameSummary, ShowsNamesAndCountsFamilies) {
  EXPECT_EQ(summarize_names({"RANK"}), "RANK");
  EXPECT_EQ(summarize_names({"RANK", "WORLD_SIZE"}), "RANK and WORLD_SIZE");
  EXPECT_EQ(summarize_names({"A", "B", "C"}), "A, B and C");
  EXPECT_EQ(
      summarize_names({"MASTER_ADDR", "MASTER_PORT", "RANK", "SLURM_JOBID", "SLURM_JOB_ID", "SLURM_NNODES"}),
      "MASTER_ADDR, MASTER_PORT, RANK and SLURM_* (3)");
}

TEST(NameSummary, CountsWhatLooksLikeASecret) {
  EXPECT_EQ(summarize_names({"MASTER_KEY", "RANK", "SLURM_JWT"}), "RANK and 2 more");
  EXPECT_EQ(summarize_names({"LOCAL_api_token"}), "1 variable");
  EXPECT_EQ(summarize_names({"LOCAL_PASSWORD", "MASTER_SECRET"}), "2 variables");
}

}  // namespace
}  // namespace ddp::cli
