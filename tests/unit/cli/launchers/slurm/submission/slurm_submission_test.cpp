#include "cli/launchers/slurm/submission/slurm_submission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_system.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kTimedOut =
    "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation\n";

class SlurmSubmissionTest : public testing::Test {
 protected:
  SlurmSubmissionTest() {
    request.spec.name = "job";
    request.spec.command = {"true"};
    request.plan.run_id = "job-1";
  }
  Expected<Submission> submit() {
    return submit_to_slurm(request, 7,
                           SlurmTools({outside.system(), EnvMap().set("PATH", "/usr/bin"),
                                       [this](std::string_view line) { notes.emplace_back(line); }}));
  }
  /// The first words of what was started.
  std::vector<std::string> called() const {
    std::vector<std::string> names;
    for (const auto& call : outside.runner.requests) names.push_back(call.argv.front());
    return names;
  }
  void answer_no_job() {
    outside.runner.answer(0, "");
    outside.runner.answer(0, "");
  }

  FakeSystem outside;
  std::vector<std::string> notes;
  LaunchRequest request{
      .spec = {}, .plan = {}, .folder = RunFolder("/runs/job-1"), .environment = {}, .token = "cafe"};
};

TEST_F(SlurmSubmissionTest, IsOneCallWhenSbatchAnswers) {
  outside.runner.answer(0, "77\n");
  EXPECT_EQ(submit()->job_id, "77");
  EXPECT_THAT(called(), ElementsAre("sbatch"));
  EXPECT_EQ(outside.runner.requests[0].inherited_descriptor, 7);
  EXPECT_THAT(notes, IsEmpty());
}

TEST_F(SlurmSubmissionTest, TakesTheJobWhoseAnswerWasLost) {
  outside.runner.answer(1, "", kTimedOut);
  outside.runner.answer(0, "78|ddpsubmit:cafe\n");
  outside.runner.answer(0, "ClusterName = a\n");
  const auto submission = submit();
  EXPECT_EQ(submission->job_id, "78");
  EXPECT_EQ(submission->cluster, "a");
  EXPECT_THAT(called(), ElementsAre("sbatch", "squeue", "scontrol"));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("looking for the job by its token cafe"), HasSubstr("job 78")));
}

TEST_F(SlurmSubmissionTest, LooksAfterEveryEndThatTellsNothing) {
  for (const auto end : {CommandResult::End::timed_out, CommandResult::End::signalled}) {
    outside.runner.answers.push_back({.end = end, .code = 9, .out = {}, .err = {}});
    outside.runner.answer(0, "78|ddpsubmit:cafe\n");
    EXPECT_EQ(submit()->job_id, "78");
    EXPECT_EQ(called().back(), "scontrol");
  }
}

TEST_F(SlurmSubmissionTest, SubmitsOnceMoreWhenTheJobIsSurelyAbsent) {
  outside.runner.answer(1, "", kTimedOut);
  answer_no_job();
  outside.runner.answer(0, "79\n");
  outside.runner.answer(0, "79|ddpsubmit:cafe\n");
  EXPECT_EQ(submit()->job_id, "79");
  EXPECT_THAT(called(), ElementsAre("sbatch", "squeue", "squeue", "sbatch", "squeue", "scontrol"));
}

TEST_F(SlurmSubmissionTest, KeepsTheOlderOfTwins) {
  outside.runner.answer(1, "", kTimedOut);
  answer_no_job();
  outside.runner.answer(0, "79\n");
  outside.runner.answer(0, "79|ddpsubmit:cafe\n78|ddpsubmit:cafe\n");
  EXPECT_EQ(submit()->job_id, "78");
  EXPECT_THAT(outside.runner.requests.at(5).argv, ElementsAre("scancel", "79"));
}

TEST_F(SlurmSubmissionTest, NamesBothTwinsWhenOneCannotBeCancelled) {
  outside.runner.answer(1, "", kTimedOut);
  answer_no_job();
  outside.runner.answer(0, "79\n");
  outside.runner.answer(0, "79|ddpsubmit:cafe\n78|ddpsubmit:cafe\n");
  outside.runner.answer(1, "", "scancel: error: Socket timed out");
  const auto submission = submit();
  EXPECT_EQ(submission->job_id, "78");
  EXPECT_THAT(submission->twins, ElementsAre("79"));
  ASSERT_TRUE(submission->doubt);
  EXPECT_EQ(submission->doubt->code, ExitCode::outcome_unknown);
  EXPECT_THAT(submission->doubt->message, HasSubstr("78 and 79"));
}

TEST_F(SlurmSubmissionTest, DoubtsASecondJobThatNobodyCanLookFor) {
  outside.runner.answer(1, "", kTimedOut);
  answer_no_job();
  outside.runner.answer(0, "79\n");
  for (int question = 0; question < 100; ++question)
    outside.runner.answer(1, "", "slurm_load_jobs error: Unable to contact slurm controller");
  const auto submission = submit();
  EXPECT_EQ(submission->job_id, "79");
  ASSERT_TRUE(submission->doubt);
  EXPECT_EQ(submission->doubt->code, ExitCode::outcome_unknown);
}

TEST_F(SlurmSubmissionTest, NeverSubmitsAThirdTime) {
  for (int call = 0; call < 2; ++call) {
    outside.runner.answer(1, "", kTimedOut);
    answer_no_job();
  }
  const auto submission = submit();
  ASSERT_FALSE(submission);
  EXPECT_EQ(submission.error().code, ExitCode::outcome_unknown) << "the second call may come through late";
  EXPECT_THAT(submission.error().message, HasSubstr("ddpsubmit:cafe"));
  EXPECT_THAT(called(), ElementsAre("sbatch", "squeue", "squeue", "sbatch", "squeue", "squeue"));
}

TEST_F(SlurmSubmissionTest, EndsWithTheTokenWhenNobodyAnswers) {
  outside.runner.answer(1, "", kTimedOut);
  for (int question = 0; question < 100; ++question)
    outside.runner.answer(1, "",
                          "slurm_load_jobs error: Unable to contact slurm controller (connect failure)");
  const auto submission = submit();
  ASSERT_FALSE(submission);
  EXPECT_EQ(submission.error().code, ExitCode::outcome_unknown);
  EXPECT_THAT(submission.error().message, HasSubstr("ddpsubmit:cafe"));
  EXPECT_THAT(submission.error().hint, HasSubstr("ddpsubmit status job-1"));
}

TEST_F(SlurmSubmissionTest, TakesNoWordsForARefusalWhenThereIsAJob) {
  for (const std::string words :
       {"Unspecified error", "Invalid account or account/partition combination specified"}) {
    const auto said =
        "sbatch: error: lua: give an account\nsbatch: error: Batch job submission failed: " + words + "\n";
    outside.runner.answer(1, "", said);
    outside.runner.answer(0, "80|ddpsubmit:cafe\n");
    outside.runner.answer(0, "ClusterName = a\n");
    EXPECT_EQ(submit()->job_id, "80");
    EXPECT_THAT(notes.back(), AllOf(HasSubstr("but queued the job"), HasSubstr(words), HasSubstr("job 80")));
    outside.runner.answer(1, "", said);
    answer_no_job();
    const auto submission = submit();
    ASSERT_FALSE(submission);
    EXPECT_EQ(submission.error().code, ExitCode::scheduler_refused);
    EXPECT_THAT(submission.error().message, HasSubstr("give an account"));
  }
}

TEST_F(SlurmSubmissionTest, TakesTheJobThatSbatchHasPrintedWhateverFailsAfterwards) {
  outside.runner.answer(1, "80\n", "sbatch: error: the accounting of the site is down\n");
  EXPECT_EQ(submit()->job_id, "80");
  EXPECT_THAT(called(), ElementsAre("sbatch"));
  EXPECT_THAT(notes, ElementsAre(HasSubstr("the accounting of the site is down")));
}

TEST_F(SlurmSubmissionTest, DoesNotRepeatWhatSbatchCalledASuccess) {
  outside.runner.answer(0, "Submitted batch job 5\n");
  answer_no_job();
  const auto submission = submit();
  ASSERT_FALSE(submission);
  EXPECT_EQ(submission.error().code, ExitCode::outcome_unknown);
  EXPECT_THAT(called(), ElementsAre("sbatch", "squeue", "squeue"));
}

TEST_F(SlurmSubmissionTest, SaysThatTheQueueIsFullWhileSbatchTries) {
  outside.runner.answer(0, "81\n",
                        "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\n");
  EXPECT_EQ(submit()->job_id, "81");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("the queue of the cluster is full")));
}

TEST_F(SlurmSubmissionTest, SaysInItsOwnWordsThatTheQueueStayedFull) {
  outside.runner.answer(1, "",
                        "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\n"
                        "sbatch: error: Batch job submission failed: Resource temporarily unavailable\n");
  answer_no_job();
  const auto submission = submit();
  ASSERT_FALSE(submission);
  EXPECT_EQ(submission.error().code, ExitCode::scheduler_refused);
  EXPECT_THAT(submission.error().message, HasSubstr("the queue of the cluster is full (MaxJobCount)"));
  EXPECT_THAT(submission.error().hint, HasSubstr("ddpsubmit rerun job-1"));
}

}  // namespace
}  // namespace ddp::cli
