#include "jobenv/agent/launchers/slurm/job_report.hpp"

#include <gtest/gtest.h>

#include "jobenv/agent/launchers/slurm/slurm_job.hpp"

namespace ddp::agent {
namespace {

/// As Slurm 22.05 prints it, less what is not read.
std::string job(const std::string& state, int restarts, const std::string& preempt_time) {
  return "JobId=7 JobName=JobState=X UserId=u(1) JobState=" + state +
         " Reason=None Dependency=(null) Requeue=1 Restarts=" + std::to_string(restarts) +
         " BatchFlag=1 SuspendTime=None PreemptTime=" + preempt_time + " LastSchedEval=x\n";
}

JobFate fate(const std::string& text, int restart_count = 0) {
  return interpret_report(parse_job_report(text), restart_count);
}

TEST(JobFate, IsReadFromScontrol) {
  EXPECT_EQ(parse_job_report(job("RUNNING", 2, "2026-11-21T19:50:25")), (JobReport{"RUNNING", 2, true}));
  EXPECT_EQ(parse_job_report("JobState=PENDING ExcNodeList=n[2-3] Restarts=1")->excluded, "n[2-3]");
  EXPECT_EQ(parse_job_report("JobState=PENDING ExcNodeList=(null) Restarts=1")->excluded, "");
  EXPECT_EQ(parse_job_report("slurm_load_jobs error: Unable to contact slurm controller"), std::nullopt);
}

TEST(JobFate, TellsTheEndByThePresentLimit) {
  const std::string time = "2026-11-21T19:50:25";
  const auto report = parse_job_report("JobState=RUNNING StartTime=x EndTime=" + time + " Deadline=N/A");
  EXPECT_EQ(report->end_time, parse_slurm_time(time));
  EXPECT_TRUE(report->end_time);
  EXPECT_EQ(parse_job_report("JobState=RUNNING EndTime=Unknown")->end_time, std::nullopt);
}

TEST(JobFate, TellsPreemptionFromCancel) {
  EXPECT_EQ(fate(job("RUNNING", 0, "None")), JobFate::running);
  EXPECT_EQ(fate(job("RUNNING", 0, "2026-11-21T19:50:25")), JobFate::giving_way);
  EXPECT_EQ(fate(job("COMPLETING", 0, "2026-11-21T19:50:25")), JobFate::evicted);
  EXPECT_EQ(fate(job("COMPLETING", 0, "None")), JobFate::ending);
  EXPECT_EQ(fate("no answer"), JobFate::unknown);
}

TEST(JobFate, AScancelInTheGraceTimeIsNoPreemption) {
  const auto report = parse_job_report(job("COMPLETING", 0, "2026-11-21T19:50:25"));
  EXPECT_EQ(interpret_report(report, 0, EndNotice::cancelled), JobFate::ending);
  EXPECT_EQ(interpret_report(report, 0, EndNotice::preempted), JobFate::evicted);
}

TEST(ExplainStop, NamesWhoWantsIt) {
  EXPECT_EQ(explain_stop(JobFate::giving_way, std::nullopt), StopReason::preempted);
  EXPECT_EQ(explain_stop(JobFate::evicted, std::nullopt), StopReason::preempted);
  EXPECT_EQ(explain_stop(JobFate::taken_back, EndNotice::preempted), StopReason::preempted);
  EXPECT_EQ(explain_stop(JobFate::taken_back, EndNotice::requeued), StopReason::requeued);
  EXPECT_EQ(explain_stop(JobFate::taken_back, EndNotice::node_failed), StopReason::node_failed);
  EXPECT_EQ(explain_stop(JobFate::taken_back, std::nullopt), StopReason::taken_back);
  EXPECT_EQ(explain_stop(JobFate::ending, EndNotice::node_failed), StopReason::node_failed)
      << "a job that is not to be requeued";
  EXPECT_EQ(explain_stop(JobFate::ending, EndNotice::time_limit), StopReason::time_limit);
  EXPECT_EQ(explain_stop(JobFate::ending, EndNotice::cancelled), std::nullopt);
  EXPECT_EQ(explain_stop(JobFate::unknown, std::nullopt), std::nullopt);
}

TEST(JobFate, IsTakenBackWhenSlurmCountsMoreStartsThanHead) {
  EXPECT_EQ(fate("JobId=7 JobState=COMPLETING Restarts=1 BatchFlag=1\n"), JobFate::taken_back);
  EXPECT_EQ(fate(job("COMPLETING", 1, "None"), 1), JobFate::ending) << "it was cancelled in its second start";
  EXPECT_EQ(fate(job("COMPLETING", 2, "None"), 1), JobFate::taken_back);
}

}  // namespace
}  // namespace ddp::agent
