#include "jobenv/record/scontrol_job.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

TEST(ScontrolJob, IsReadFromItsLine) {
  const auto job = parse_scontrol_job(
      "slurm_load_jobs: warning\n"
      "JobId=7 ArrayJobId=6 ArrayTaskId=1 JobName=job UserId=alice(1000) JobState=RUNNING Reason=None "
      "Requeue=1 "
      "Restarts=2 ExitCode=73:0 StartTime=2026-01-01T00:00:00 EndTime=2026-01-01T01:00:00 PreemptTime=None "
      "ExcNodeList=node[1-2] Comment=ddpsubmit:ab\nJobId=8 JobState=PENDING\n");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->id + " " + job->array_id + "_" + job->array_task_id, "7 6_1");
  EXPECT_EQ(job->state + " " + job->user + " " + job->name + " " + job->comment,
            "RUNNING alice job ddpsubmit:ab");
  EXPECT_EQ(job->restarts, 2);
  EXPECT_EQ(job->may_requeue, true);
  EXPECT_EQ(job->exit_code, "73:0");
  EXPECT_EQ(job->preempted, "");
  EXPECT_EQ(job->excluded, "node[1-2]");
}

TEST(ScontrolJob, WhatStandsInItsCommentIsNoField) {
  const auto job = parse_scontrol_job(
      "JobId=7 JobName=job UserId=alice(1000) JobState=PENDING Reason=Dependency Restarts=0 ExitCode=0:0 "
      "WorkDir=/w Comment=ddpsubmit:ab {\"x\": 1} JobState=FAILED ArrayJobId=6 PreemptTime=now "
      "Comment=other");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->state + " " + job->comment, "PENDING ddpsubmit:ab");
  EXPECT_EQ(job->array_id, "");
  EXPECT_EQ(job->preempted, "");
}

TEST(ScontrolJob, WhatIsNotToldIsEmpty) {
  const auto job =
      parse_scontrol_job("JobId=7 JobState=PENDING ExcNodeList=(null) PreemptTime=2026-01-01T00:00:00");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->excluded, "");
  EXPECT_EQ(job->preempted, "2026-01-01T00:00:00");
  EXPECT_EQ(job->may_requeue, std::nullopt);
  EXPECT_FALSE(parse_scontrol_job("slurm_load_jobs error: Invalid job id specified\n"));
  EXPECT_FALSE(parse_scontrol_job(""));
}

}  // namespace
}  // namespace ddp
