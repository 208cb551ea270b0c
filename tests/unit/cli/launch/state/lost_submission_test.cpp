#include "cli/launch/state/lost_submission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "cli/launch/launchers.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/store/submission_lock.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::HasSubstr;

/// Runs of Slurm whose ddpsubmit died between the intent and the answer.
class LostSubmissionTest : public testing::Test {
 protected:
  RunPointer lose(const std::string& id, const std::string& token) {
    const RunFolder folder(home / id);
    EXPECT_TRUE(folder.create());
    auto ledger = LedgerWriter::open(folder, "submit");
    EXPECT_TRUE(ledger->append("submit_intent", {{"token", token}, {"launcher", "slurm"}}));
    RunPointer pointer{.run_id = id,
                       .name = "job",
                       .run_dir = folder.root(),
                       .launcher = "slurm",
                       .job_id = {},
                       .created = outside.clock.now()};
    EXPECT_TRUE(RunStore::open(environment)->save(pointer));
    return pointer;
  }
  std::vector<RunStatus> complete(const std::vector<RunPointer>& runs) {
    std::vector<RunStatus> states;
    for (const auto& run : runs) states.push_back(load_recorded_status(run));
    const LauncherSeams seams{outside.system(), environment, {}};
    const auto launcher = make_launcher("slurm", seams);
    complete_lost_submissions(runs, states, seams, [&](const std::string&) { return launcher->get(); });
    return states;
  }
  LedgerEvent last_event(const std::string& id) { return load_ledger(RunFolder(home / id))->back(); }

  TemporaryFolder home;
  EnvMap environment{{{"HOME", home.path()}, {"PATH", "/usr/bin"}}};
  FakeSystem outside;
};

TEST_F(LostSubmissionTest, IsFoundByItsTokenAndRecorded) {
  const auto pointer = lose("job-1", "aa");
  outside.runner.answer(0, "77|ddpsubmit:aa\n");
  const auto run = complete({pointer}).front();
  EXPECT_EQ(run.state, RunState::queued);
  EXPECT_EQ(run.job_id, "77");
  EXPECT_EQ(last_event("job-1").event, "submitted");
  EXPECT_EQ(last_event("job-1").fields["job_id"], "77");
  EXPECT_EQ(RunStore::open(environment)->find("77")->run_id, "job-1");
}

TEST_F(LostSubmissionTest, NamesTheClusterThatHasShownItsJob) {
  const auto pointer = lose("job-1", "aa");
  outside.runner.answer(0, "77|ddpsubmit:aa\n");
  outside.runner.answer(0, "ClusterName = a\n");
  EXPECT_EQ(complete({pointer}).front().cluster, "a");
  EXPECT_EQ(last_event("job-1").fields["cluster"], "a");
}

TEST_F(LostSubmissionTest, DoesNotAskForTheClusterThatTheIntentNames) {
  const auto pointer = lose("job-1", "aa");
  auto ledger = LedgerWriter::open(RunFolder(home / "job-1"), "submit");
  ASSERT_TRUE(ledger->append("submit_intent", {{"token", "bb"}, {"launcher", "slurm"}, {"cluster", "a"}}));
  outside.runner.answer(0, "77|ddpsubmit:bb\n");
  EXPECT_EQ(complete({pointer}).front().cluster, "a");
  EXPECT_EQ(outside.runner.requests.size(), 1u);
}

TEST_F(LostSubmissionTest, IsOnRecordWithoutAClusterThatNobodyTells) {
  const auto pointer = lose("job-1", "aa");
  outside.runner.answer(0, "77|ddpsubmit:aa\n");
  outside.runner.answer(1, "", "Unable to contact slurm controller (connect failure)");
  const auto run = complete({pointer}).front();
  EXPECT_EQ(run.job_id + run.cluster, "77");
}

TEST_F(LostSubmissionTest, IsOneQuestionForMany) {
  const auto one = lose("job-1", "aa");
  const auto two = lose("job-2", "bb");
  outside.runner.answer(0, "77|ddpsubmit:aa\n78|ddpsubmit:bb\n");
  outside.runner.answer(0, "ClusterName = a\n");
  const auto runs = complete({one, two});
  EXPECT_EQ(runs[0].job_id, "77");
  EXPECT_EQ(runs[1].job_id, "78");
  EXPECT_EQ(runs[1].cluster, "a");
  EXPECT_EQ(outside.runner.requests.size(), 2u) << "one for the jobs, one for their cluster";
}

TEST_F(LostSubmissionTest, HasQueuedNothingWhenThereIsSurelyNoJob) {
  const auto pointer = lose("job-1", "aa");
  const auto run = complete({pointer}).front();
  EXPECT_EQ(outside.runner.requests.size(), 2u);
  EXPECT_EQ(run.state, RunState::failed);
  EXPECT_THAT(run.message, HasSubstr("nothing was submitted"));
  EXPECT_EQ(last_event("job-1").event, "submit_refused");
}

TEST_F(LostSubmissionTest, IsNotAbsentWhereItsAnswerMayBeLost) {
  const auto pointer = lose("job-1", "aa");
  const RunFolder folder(home / "job-1");
  std::ofstream(folder.ledger_of("submit"), std::ios::app) << std::string(100, '\0') << '\n';
  const auto run = complete({pointer}).front();
  EXPECT_EQ(run.state, RunState::unknown);
  EXPECT_EQ(run.message,
            "it is unknown whether the submission succeeded: its record cannot be read, and no job has its "
            "token aa");
  EXPECT_EQ(last_event("job-1").event, event::DamagedLines::kName)
      << "nobody says that nothing was submitted";
  outside.runner.answer(0, "77|ddpsubmit:aa\n");
  EXPECT_EQ(complete({pointer}).front().job_id, "77");
  EXPECT_EQ(last_event("job-1").event, "submitted");
}

TEST_F(LostSubmissionTest, IsFoundByTheTokenOfItsScriptWhereItsIntentIsLost) {
  const auto pointer = lose("job-1", "aa");
  const RunFolder folder(home / "job-1");
  outside.runner.answer(0, "77|ddpsubmit:aa\n");
  ASSERT_EQ(complete({pointer}).front().job_id, "77");
  auto head = LedgerWriter::open(folder, "head-0");
  ASSERT_TRUE(head->append("head_started", {{"attempt", 0}, {"job_id", "77"}}));
  ASSERT_TRUE(head->append("run_ended", {{"attempt", 0}, {"state", "failed"}, {"exit_code", 1}}));
  ASSERT_TRUE(save_file(folder.script(), "#SBATCH --comment=ddpsubmit:bb\n", Durability::visible));
  std::ofstream(folder.ledger_of("submit"), std::ios::app) << std::string(100, '\0') << '\n';
  EXPECT_EQ(complete({pointer}).front().state, RunState::unknown);
  outside.runner.answer(0, "78|ddpsubmit:bb\n");
  const auto run = complete({pointer}).front();
  EXPECT_EQ(run.job_id + " " + run.token, "78 bb");
  EXPECT_EQ(run.state, RunState::queued);
  EXPECT_EQ(load_recorded_status(pointer).job_id, "78");
}

TEST_F(LostSubmissionTest, CountsForThisCommandWhereItCannotBeRecorded) {
  const auto pointer = lose("job-1", "aa");
  const RunFolder folder(home / "job-1");
  std::vector<RunStatus> states{load_recorded_status(pointer)};
  outside.runner.answer(0, "77|ddpsubmit:aa\n");
  // In the place of the record there is something else.
  const auto name = "found-" + std::to_string(getpid()) + "-1800000002000";
  std::filesystem::create_directory(folder.ledger_of(name));
  const auto name_now = "found-" + std::to_string(getpid()) + "-1800000000000";
  std::filesystem::create_directory(folder.ledger_of(name_now));
  const auto run = complete({pointer}).front();
  EXPECT_EQ(run.job_id, "77");
  EXPECT_FALSE(run.awaits_answer);
}

TEST_F(LostSubmissionTest, IsNotAbsentOnAnotherCluster) {
  const auto pointer = lose("job-1", "aa");
  auto ledger = LedgerWriter::open(RunFolder(home / "job-1"), "submit");
  ASSERT_TRUE(ledger->append("submit_intent", {{"token", "bb"}, {"launcher", "slurm"}, {"cluster", "a"}}));
  outside.runner.answer(0, "");
  outside.runner.answer(0, "");
  outside.runner.answer(0, "ClusterName = b\n");
  const auto run = complete({pointer}).front();
  EXPECT_EQ(run.state, RunState::unknown);
  EXPECT_THAT(run.message, HasSubstr("submitted to cluster a, but this host belongs to cluster b"));
  EXPECT_EQ(last_event("job-1").event, "submit_intent");
}

/// Of the ledgers' own time, though nobody really sleeps.
class ClockOfToday final : public Clock {
 public:
  [[nodiscard]] std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::now();
  }
  [[nodiscard]] std::chrono::steady_clock::time_point steady() const override { return clock_.steady(); }
  void sleep(std::chrono::milliseconds duration) override { clock_.sleep(duration); }

 private:
  FakeClock clock_;
};

TEST_F(LostSubmissionTest, MayGoOnWhereAnotherHostHasJustBegunIt) {
  const auto pointer = lose("job-1", "aa");
  auto ledger = LedgerWriter::open(RunFolder(home / "job-1"), "submit");
  const auto state_of = [&](const std::string& host) {
    EXPECT_TRUE(ledger->append("submit_intent", {{"token", host}, {"launcher", "slurm"}, {"host", host}}));
    std::vector<RunStatus> states{load_recorded_status(pointer)};
    ClockOfToday clock;
    const LauncherSeams seams{{outside.runner, clock, outside.host}, environment, {}};
    const auto launcher = make_launcher("slurm", seams);
    complete_lost_submissions(std::span(&pointer, 1), states, seams,
                              [&](const std::string&) { return launcher->get(); });
    return states.front().state;
  };
  EXPECT_EQ(state_of("there"), RunState::unknown);
  EXPECT_EQ(last_event("job-1").event, "submit_intent");
  EXPECT_EQ(state_of("here"), RunState::failed);
}

TEST_F(LostSubmissionTest, StaysUnknownWhileSlurmIsSilent) {
  const auto pointer = lose("job-1", "aa");
  outside.runner.answer(1, "", "Unable to contact slurm controller (connect failure)");
  const auto run = complete({pointer}).front();
  EXPECT_EQ(run.state, RunState::unknown);
  EXPECT_THAT(run.message, HasSubstr("connect failure"));
  EXPECT_EQ(last_event("job-1").event, "submit_intent");
}

TEST_F(LostSubmissionTest, IsNotLostWhileSomebodySubmitsIt) {
  const auto pointer = lose("job-1", "aa");
  const auto lock = lock_submission(RunFolder(home / "job-1"));
  ASSERT_TRUE(lock);
  const auto run = complete({pointer}).front();
  EXPECT_EQ(run.state, RunState::queued);
  EXPECT_EQ(run.message, "it is being submitted");
  EXPECT_TRUE(outside.runner.requests.empty());
}

TEST_F(LostSubmissionTest, IsToldByTheLogOfAJobThatSlurmHasForgotten) {
  const auto pointer = lose("job-1", "aa");
  std::ofstream(home / "job-1" / "logs" / "slurm-79.out") << "x\n";
  const auto run = complete({pointer}).front();
  EXPECT_EQ(run.job_id + run.cluster, "79");
  EXPECT_TRUE(outside.runner.requests.empty());
}

TEST_F(LostSubmissionTest, OfARerunIsNotTheJobThatOnlyItsHeadHasNamed) {
  const auto pointer = lose("job-1", "aa");
  const RunFolder folder(home / "job-1");
  auto head = LedgerWriter::open(folder, "head-0");
  ASSERT_TRUE(head->append("head_started", {{"attempt", 0}, {"job_id", "77"}}));
  ASSERT_TRUE(head->append("run_ended", {{"attempt", 0}, {"state", "failed"}, {"exit_code", 1}}));
  std::ofstream(folder.root() / "logs" / "slurm-77.out") << "x\n";
  EXPECT_EQ(complete({pointer}).front().job_id, "77");
  EXPECT_EQ(last_event("job-1").event, "run_ended") << "its head has answered for it";
  auto ledger = LedgerWriter::open(folder, "submit");
  ASSERT_TRUE(ledger->append("submit_intent", {{"token", "bb"}, {"launcher", "slurm"}}));
  outside.runner.answer(0, "77|ddpsubmit:aa\n78|ddpsubmit:bb\n");
  EXPECT_EQ(complete({pointer}).front().job_id, "78");
}

TEST_F(LostSubmissionTest, OfARerunIsNotTheJobBefore) {
  auto pointer = lose("job-1", "aa");
  outside.runner.answer(0, "77|ddpsubmit:aa\n");
  EXPECT_EQ(complete({pointer}).front().job_id, "77");
  pointer.job_id = "77";
  std::ofstream(home / "job-1" / "logs" / "slurm-77.out") << "x\n";
  auto ledger = LedgerWriter::open(RunFolder(home / "job-1"), "submit");
  ASSERT_TRUE(ledger->append("submit_intent", {{"token", "bb"}, {"launcher", "slurm"}}));
  EXPECT_EQ(load_recorded_status(pointer).job_id, "");
  outside.runner.answer(0, "77|ddpsubmit:aa\n78|ddpsubmit:bb\n");
  EXPECT_EQ(complete({pointer}).front().job_id, "78");
}

}  // namespace
}  // namespace ddp::cli
