#include "cli/launchers/slurm/query/pending_reasons.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

std::string meaning_of_reason(const std::string& reason) {
  return explain_pending(reason, "77").value_or("");
}

bool says(const std::string& reason, const std::string& words) {
  return meaning_of_reason(reason).find(words) != std::string::npos;
}

TEST(PendingReasons, SayWhyAndWhatToDo) {
  EXPECT_EQ(meaning_of_reason("Resources"), "no nodes are free for it yet: it is next in line");
  EXPECT_TRUE(says("PartitionTimeLimit", "lower resources.time"));
  EXPECT_TRUE(says("JobHeldUser", "scontrol release 77"));
  EXPECT_TRUE(says("launch failed requeued held", "scontrol release 77"));
  EXPECT_TRUE(says("DependencyNeverSatisfied", "never start"));
}

TEST(PendingReasons, KnowFormsWithDetails) {
  EXPECT_EQ(meaning_of_reason("ReqNodeNotAvail, UnavailableNodes:n1"), meaning_of_reason("ReqNodeNotAvail"));
  EXPECT_EQ(meaning_of_reason("ReqNodeNotAvail,_May_be_reserved_for_other_job"),
            meaning_of_reason("ReqNodeNotAvail"));
  EXPECT_EQ(meaning_of_reason("launch_failed_requeued_held"),
            meaning_of_reason("launch failed requeued held"));
  EXPECT_TRUE(
      says("Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_partitions",
           "sinfo -R"));
}

TEST(PendingReasons, KnowLimitsByTheirFamilies) {
  EXPECT_TRUE(says("QOSMaxCpuPerUserLimit", "gives one user"));
  EXPECT_TRUE(says("QOSMaxGRESPerUser", "gives one user"));
  EXPECT_TRUE(says("QOSMaxWallDurationPerJobLimit", "lower resources.time"));
  EXPECT_TRUE(says("QOSMaxNodePerJobLimit", "lower resources"));
  EXPECT_TRUE(says("QOSGrpGRES", "together use all"));
  EXPECT_TRUE(says("QOSMinCpuNotSatisfied", "raise resources"));
  EXPECT_TRUE(says("AssocGrpCPURunMinutesLimit", "account together"));
  EXPECT_TRUE(says("AssocMaxJobsLimit", "you have your maximum number of running jobs"));
  EXPECT_TRUE(says("MaxGRESPerAccount", "your account"));
}

TEST(PendingReasons, LeaveTheUnknownAlone) {
  EXPECT_EQ(explain_pending("StarsNotAligned", "77"), std::nullopt);
  EXPECT_EQ(explain_pending("ResourcesGone", "77"), std::nullopt);
  EXPECT_EQ(explain_pending("", "77"), std::nullopt);
}

}  // namespace
}  // namespace ddp::cli
