#include "cli/launchers/slurm/query/job_table.hpp"

#include <gtest/gtest.h>

namespace ddp::cli {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

RunStatus run_of(const std::string& job_id, const std::string& token = "abc") {
  RunStatus run;
  run.job_id = job_id;
  run.token = token;
  return run;
}

std::string word_of(const JobTable& jobs, const std::string& job_id) {
  const auto* job = jobs.find(run_of(job_id));
  return job == nullptr ? "" : job->word;
}

TEST(Squeue, ReadsLinesAndPassesOverOthers) {
  const auto jobs = parse_squeue(
      "CLUSTER: a\n12|12|RUNNING|1795290825|1795290900|None|1795290800|ann|job|ddpsubmit:abc\n"
      "13|13|PENDING|N/A|N/A|Resources|1795290800|ann|job|ddpsubmit:abc|d\n|X|\n14\n");
  EXPECT_EQ(jobs.size(), 2u);
  const auto* first = jobs.find(run_of("12"));
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(*first, (SlurmJob{.word = "RUNNING",
                              .reason = "None",
                              .comment = "ddpsubmit:abc",
                              .user = "ann",
                              .name = "job",
                              .start = system_clock::time_point(seconds(1795290825)),
                              .end = system_clock::time_point(seconds(1795290900)),
                              .submitted = system_clock::time_point(seconds(1795290800)),
                              .first_submitted = system_clock::time_point(seconds(1795290800))}));
  const auto* second = jobs.find(run_of("13"));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->reason, "Resources");
  EXPECT_EQ(second->comment, "ddpsubmit:abc|d");
  EXPECT_FALSE(second->start);
}

TEST(Squeue, AnswersForEveryTaskOfAnArrayByOneRow) {
  const auto jobs = parse_squeue(
      "1_[3,5-9:2,21-30%2]|1|PENDING|N/A|N/A|Priority|1795290800|ann|job|\n"
      "1_20|5|CANCELLED|N/A|N/A|None|1795290800|ann|job|\n"
      "1_1|6|RUNNING|N/A|N/A|None|1795290800|ann|job|\n");
  for (const auto* waits : {"1_3", "1_5", "1_7", "1_9", "1_21", "1_30"})
    EXPECT_EQ(word_of(jobs, waits), "PENDING") << waits;
  for (const auto* absent : {"1_2", "1_6", "1_10", "1_31", "1", "2_3", "1_x"})
    EXPECT_EQ(word_of(jobs, absent), "") << absent;
  EXPECT_EQ(word_of(jobs, "1_20"), "CANCELLED");
  EXPECT_EQ(word_of(jobs, "5"), "CANCELLED") << "a task's own id";
  EXPECT_EQ(word_of(jobs, "6"), "RUNNING");
}

TEST(JobTable, DoesNotTakeAReusedIdForOurs) {
  const auto jobs = parse_squeue(
      "7|7|RUNNING|N/A|N/A|None|1795290800|ann|job|ddpsubmit:abcd\n8|8|RUNNING|N/A|N/"
      "A|None|1795290800|ann|job|the site's own\n"
      "9|9|RUNNING|N/A|N/A|None|1795290800|ann|job|ddpsubmit:abc, seen\n");
  EXPECT_EQ(word_of(jobs, "7"), "");
  EXPECT_EQ(word_of(jobs, "8"), "RUNNING") << "a site may replace comments";
  EXPECT_EQ(word_of(jobs, "9"), "RUNNING");
  EXPECT_NE(jobs.find(run_of("7", "abcd")), nullptr);
  EXPECT_NE(jobs.find(run_of("7", "")), nullptr);
}

TEST(JobTable, TakesARowWithoutOurMarkOnlyIfTheRestIsTheRuns) {
  const auto holds = [](const std::string& row, auto change) {
    auto run = run_of("8");
    run.user = "ann";
    run.name = "job";
    run.submitted = system_clock::time_point(seconds(1795290800));
    change(run);
    return parse_squeue("8|8|RUNNING|N/A|N/A|None|" + row + "|\n").find(run) != nullptr;
  };
  const auto as_it_is = [](RunStatus&) {};
  EXPECT_TRUE(holds("1795290805|ann|job", as_it_is));
  EXPECT_FALSE(holds("1795290805|bob|job", as_it_is));
  EXPECT_FALSE(holds("1795290805|ann|other", as_it_is));
  EXPECT_FALSE(holds("1795290600|ann|job", as_it_is)) << "an older job";
  EXPECT_FALSE(holds("1795299999|ann|job", as_it_is)) << "a younger job";
  EXPECT_TRUE(holds("1795299999|ann|job", [](RunStatus& run) { run.requeued = true; }));
  EXPECT_TRUE(holds("1795290805|bob|other", [](RunStatus& run) { run.user = run.name = ""; }))
      << "the ledger is damaged and tells neither";
}

TEST(JobTable, HoldsAnArrayByItsTasks) {
  const auto jobs = parse_squeue(
      "1_[3,5-9]|1|PENDING|N/A|N/A|Priority|1795290800|ann|job|ddpsubmit:abc\n"
      "2_4|9|RUNNING|N/A|N/A|None|1795290800|ann|job|ddpsubmit:abc\n");
  EXPECT_TRUE(jobs.holds(run_of("1")));
  EXPECT_TRUE(jobs.holds(run_of("2")));
  EXPECT_FALSE(jobs.holds(run_of("2", "bcd")));
  EXPECT_FALSE(jobs.holds(run_of("4")));
}

TEST(Scontrol, ReadsOneJobOrAll) {
  const auto jobs = parse_scontrol_jobs(
      "JobId=5 JobName=a=b UserId=x(1) JobState=TIMEOUT Reason=TimeLimit Dependency=(null) Requeue=0 "
      "ExitCode=73:9 SubmitTime=1795290825 StartTime=1795290826 EndTime=1795290827 WorkDir=/x JobState=no "
      "Comment=ddpsubmit:abc  Power= \n"
      "JobId=1 ArrayJobId=4 ArrayTaskId=3,5-7%2 ArrayTaskThrottle=2 JobState=PENDING Reason=Priority "
      "EndTime=Unknown\n"
      "JobId=6 ArrayJobId=4 ArrayTaskId=1 JobState=RUNNING Requeue=1\n");
  const auto* job = jobs.find(run_of("5"));
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->word, "TIMEOUT");
  EXPECT_EQ(job->reason, "TimeLimit");
  EXPECT_EQ(job->may_requeue, false);
  EXPECT_EQ(job->exit_code, 73);
  EXPECT_EQ(job->submitted, system_clock::time_point(seconds(1795290825)));
  EXPECT_EQ(job->end, system_clock::time_point(seconds(1795290827)));
  EXPECT_EQ(jobs.find(run_of("5", "other")), nullptr);
  EXPECT_EQ(word_of(jobs, "4_6"), "PENDING");
  EXPECT_EQ(word_of(jobs, "4_1"), "RUNNING");
  EXPECT_EQ(word_of(jobs, "6"), "RUNNING");
  EXPECT_EQ(parse_scontrol_jobs("No jobs in the system\n").size(), 0u);
}

// As sacct 22.05 prints with --parsable2.
TEST(Sacct, TakesTheNewestOfTheRowsOfAJob) {
  const auto jobs = parse_sacct(
      "7|7|PREEMPTED|1795290825|1795290900|ann|job|ddpsubmit:abc\n"
      "7|7|REQUEUED|1795290825|1795290910|ann|job|ddpsubmit:abc\n"
      "7|7|CANCELLED by 0|1795290911|1795290999|ann|job|\n"
      "8_2|9|NODE_FAIL|1795290825|1795290900|ann|job|\n"
      "8_[3-4]|8|PENDING|1795290825|Unknown|ann|job|\n");
  const auto* job = jobs.find(run_of("7"));
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->word, "CANCELLED by 0");
  EXPECT_EQ(job->submitted, system_clock::time_point(seconds(1795290911)));
  EXPECT_EQ(job->end, system_clock::time_point(seconds(1795290999)));
  EXPECT_EQ(word_of(jobs, "8_2"), "NODE_FAIL");
  EXPECT_EQ(word_of(jobs, "8_4"), "PENDING");
}

TEST(SlurmsWords, TellAnAnswerFromSilence) {
  EXPECT_TRUE(says_no_such_job("slurm_load_jobs error: Invalid job id specified"));
  EXPECT_FALSE(says_no_such_job("slurm_load_jobs error: Unable to contact slurm controller"));
  EXPECT_TRUE(says_no_accounting("Slurm accounting storage is disabled"));
  EXPECT_FALSE(says_no_accounting("sacct: error: Problem talking to the database: Connection refused"));
}

}  // namespace
}  // namespace ddp::cli
