#include "cli/launch/start/start_run.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "cli/launch/state/resolve_status.hpp"
#include "cli/spec/load_run_spec.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "tests/unit/cli/launch/prepared_run_fixture.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

class StartRunTest : public PreparedRunTest {
 protected:
  Expected<StartedRun> start() {
    return start_run(*prepare(), FolderKind::fresh, Attachment::detached, *launcher, seams());
  }
};

TEST_F(StartRunTest, WritesTheFolderForItsOwnerAlone) {
  ASSERT_TRUE(start());
  struct stat info {};
  ASSERT_EQ(stat(run.root().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0700u);
  EXPECT_TRUE(load_file(run.plan()));
  const auto again = load_resolved_spec(run.spec());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, spec);
  EXPECT_FALSE(fs::exists(run.script()));
  EXPECT_FALSE(fs::exists(run.secrets()));
}

TEST_F(StartRunTest, RecordsIntentAndAnswer) {
  ASSERT_TRUE(start());
  const auto ledger = load_ledger(run).value();
  ASSERT_EQ(ledger.size(), 2u);
  EXPECT_EQ(ledger[0].event, "submit_intent");
  EXPECT_EQ(ledger[0].fields["token"], "t0ken");
  EXPECT_EQ(ledger[1].event, "submitted");
  EXPECT_EQ(ledger[1].fields["pid"], 4242);
  EXPECT_EQ(ledger[1].fields["pid_start"], 1000);
}

TEST_F(StartRunTest, CanBeFoundAndIsQueued) {
  ASSERT_TRUE(start());
  const auto pointer = RunStore::open(submitter)->find("last");
  ASSERT_TRUE(pointer);
  EXPECT_EQ(pointer->run_id, "job-1");
  EXPECT_EQ(resolve_run(*pointer, seams()).status.state, RunState::queued);
  outside.host.processes.clear();
  EXPECT_EQ(resolve_run(*pointer, seams()).status.state, RunState::failed);
}

TEST_F(StartRunTest, KeepsSecretsInOnePrivateFile) {
  spec.environment.secrets = {"API_KEY"};
  ASSERT_TRUE(start());
  EXPECT_EQ(nlohmann::json::parse(load_file(run.secrets()).value()), (nlohmann::json{{"API_KEY", "s3cret"}}));
  struct stat info {};
  ASSERT_EQ(stat(run.secrets().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
  EXPECT_FALSE(outside.runner.daemons.at(0).environment.has("API_KEY"));
  for (const auto& file : {run.plan(), run.spec()})
    EXPECT_EQ(load_file(file)->find("s3cret"), std::string::npos);
}

TEST_F(StartRunTest, RefusesAFolderThatExists) {
  ASSERT_TRUE(start());
  EXPECT_FALSE(start());
  EXPECT_EQ(load_ledger(run)->size(), 2u) << "it is left as it was";
  EXPECT_TRUE(RunStore::open(submitter)->find("job-1"));
}

TEST_F(StartRunTest, LeavesNothingOfARunThatCannotBeWritten) {
  spec.environment.secrets = {"NOT_THERE"};  // is seen only when the folder is there
  EXPECT_FALSE(start());
  EXPECT_FALSE(fs::exists(run.root()));
}

TEST_F(StartRunTest, LeavesNothingOfARunThatCannotBePointedTo) {
  fs::create_directories(folder / "state/ddpsubmit/runs/job-1.json/in-the-way");
  EXPECT_FALSE(start());
  EXPECT_FALSE(fs::exists(run.root()));
}

TEST_F(StartRunTest, KeepsTheFolderOfARerunThatCannotBeWritten) {
  ASSERT_TRUE(start());
  spec.environment.secrets = {"NOT_THERE"};
  EXPECT_FALSE(start_run(*prepare(), FolderKind::existing, Attachment::detached, *launcher, seams()));
  EXPECT_EQ(load_ledger(run)->size(), 2u);
}

TEST_F(StartRunTest, GoesOnInAnExistingFolder) {
  ASSERT_TRUE(start());
  ASSERT_TRUE(start_run(*prepare(), FolderKind::existing, Attachment::detached, *launcher, seams()));
  EXPECT_EQ(load_ledger(run)->size(), 4u);
}

TEST_F(StartRunTest, RecordsARefusal) {
  spec.launcher = find_launcher("slurm");
  launcher = std::move(*make_launcher("slurm", seams()));
  outside.runner.answer(1, "",
                        "sbatch: error: Batch job submission failed: Invalid account or account/partition "
                        "combination specified\n");
  const auto started = start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ExitCode::scheduler_refused);
  EXPECT_EQ(load_ledger(run)->back().event, "submit_refused");
  EXPECT_TRUE(fs::exists(run.script()));
}

TEST_F(StartRunTest, ARefusedRerunLeavesTheSettingsAsTheyWere) {
  ASSERT_TRUE(start());
  const auto plan = load_file(run.plan()).value();
  spec.launcher = find_launcher("slurm");
  spec.resources.time = std::chrono::hours{1000};
  launcher = std::move(*make_launcher("slurm", seams()));
  outside.runner.answer(1, "",
                        "sbatch: error: Batch job submission failed: Requested time limit is invalid\n");
  EXPECT_FALSE(start_run(*prepare(), FolderKind::existing, Attachment::detached, *launcher, seams()));
  EXPECT_EQ(load_ledger(run)->back().event, "submit_refused");
  EXPECT_NE(load_resolved_spec(run.spec())->resources.time, spec.resources.time);
  EXPECT_EQ(load_file(run.plan()).value(), plan);
}

TEST_F(StartRunTest, ARerunThatMayBeSubmittedKeepsItsSettings) {
  ASSERT_TRUE(start());
  spec.launcher = find_launcher("slurm");
  spec.resources.time = std::chrono::hours{1000};
  launcher = std::move(*make_launcher("slurm", seams()));
  outside.runner.answers.push_back({.end = CommandResult::End::timed_out, .code = 9, .out = {}, .err = {}});
  for (int question = 0; question < 40; ++question)
    outside.runner.answer(1, "", "Unable to contact slurm controller (connect failure)");
  EXPECT_FALSE(start_run(*prepare(), FolderKind::existing, Attachment::detached, *launcher, seams()));
  EXPECT_EQ(load_resolved_spec(run.spec())->resources.time, spec.resources.time);
}

TEST_F(StartRunTest, LeavesTheIntentWhenTheOutcomeIsUnknown) {
  spec.launcher = find_launcher("slurm");
  launcher = std::move(*make_launcher("slurm", seams()));
  outside.runner.answers.push_back({.end = CommandResult::End::timed_out, .code = 9, .out = {}, .err = {}});
  for (int question = 0; question < 40; ++question)
    outside.runner.answer(1, "", "Unable to contact slurm controller (connect failure)");
  const auto started = start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ExitCode::outcome_unknown);
  EXPECT_EQ(load_ledger(run)->back().event, "submit_intent");
  EXPECT_EQ(resolve_run(*RunStore::open(submitter)->find("last"), seams()).status.state, RunState::unknown);
}

TEST_F(StartRunTest, KeepsTheJobIdInThePointer) {
  spec.launcher = find_launcher("slurm");
  launcher = std::move(*make_launcher("slurm", seams()));
  outside.runner.answer(0, "77\n");
  ASSERT_TRUE(start());
  EXPECT_EQ(RunStore::open(submitter)->find("77")->run_id, "job-1");
}

}  // namespace
}  // namespace ddp::cli
