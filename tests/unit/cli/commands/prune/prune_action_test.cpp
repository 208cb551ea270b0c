#include "cli/commands/prune/prune_action.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/store/state/recorded_status.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

const RemoveCopies kNoHosts = [](const RunPointer&, const RunFolder&) { return RemovedCopies{}; };

namespace fs = std::filesystem;
using testing::IsEmpty;

/// What happens between the plan and the removal.
class PruneActionTest : public testing::Test {
 protected:
  RunPointer make_run(const std::string& id, const std::string& spec = "name: job\n") {
    const RunFolder folder(home / "runs" / id);
    EXPECT_TRUE(folder.create());
    std::ofstream(folder.spec()) << spec;
    std::ofstream(folder.plan()) << "{}\n";
    submit(folder, "t-" + id);
    EXPECT_TRUE(
        LedgerWriter::open(folder, "submit")->append("run_ended", {{"state", "failed"}, {"exit_code", 1}}));
    RunPointer pointer{.run_id = id,
                       .name = "job",
                       .run_dir = folder.root(),
                       .launcher = "local",
                       .job_id = {},
                       .created = {}};
    EXPECT_TRUE(store.save(pointer));
    return pointer;
  }
  static void submit(const RunFolder& folder, const std::string& token) {
    auto ledger = LedgerWriter::open(folder, "submit");
    EXPECT_TRUE(ledger->append("submit_intent", {{"token", token}, {"launcher", "local"}}));
    EXPECT_TRUE(ledger->append("submitted", {{"job_id", ""}, {"launcher", "local"}}));
  }
  static PrunePlan plan_for(const RunPointer& run, PruneKind kind) {
    PrunePlan plan;
    plan.items.push_back({.kind = kind, .pointer = run, .status = load_recorded_status(run)});
    plan.uses.push_back(RunUses::load(run));
    return plan;
  }
  /// A plan to delete a checkpoint.
  PrunePlan plan_for_checkpoint(const RunPointer& run) {
    checkpoint = RunFolder(run.run_dir).checkpoints() / "step-00000001-a0";
    fs::create_directories(checkpoint);
    std::ofstream(checkpoint / "manifest.json") << "{}";
    auto plan = plan_for(run, PruneKind::checkpoints);
    plan.items.front().checkpoints = {checkpoint};
    return plan;
  }

  TemporaryFolder home;
  RunStore store = RunStore::open(EnvMap{{{"XDG_STATE_HOME", home.path()}}}).value();
  fs::path checkpoint;
};

TEST_F(PruneActionTest, DeletesWhatThePlanNames) {
  const auto run = make_run("a-1");
  const auto result = carry_out(plan_for(run, PruneKind::run), store, kNoHosts);
  ASSERT_EQ(result.deleted.size(), 1U);
  EXPECT_THAT(result.kept, IsEmpty());
  EXPECT_FALSE(fs::exists(run.run_dir));
  EXPECT_FALSE(fs::exists(store.path_of("a-1")));
}

TEST_F(PruneActionTest, ARunThatANewRunNeedsStays) {
  const auto run = make_run("a-1");
  const auto plan = plan_for(run, PruneKind::run);
  make_run("b-1", "command: [cat, /runs/a-1/output/model.pt]\n");
  const auto result = carry_out(plan, store, kNoHosts);
  EXPECT_THAT(result.deleted, IsEmpty());
  ASSERT_EQ(result.kept.size(), 1U);
  EXPECT_EQ(result.kept[0].run_id, "a-1");
  EXPECT_EQ(result.kept[0].reason, "run b-1 needs files of it (command)");
  EXPECT_TRUE(fs::exists(run.run_dir));
}

TEST_F(PruneActionTest, ACheckpointThatANewRunBeginsWithStays) {
  const auto run = make_run("a-1");
  const auto plan = plan_for_checkpoint(run);
  make_run("b-1", "train:\n  checkpoint:\n    path: " + checkpoint.string() + "\n");
  const auto result = carry_out(plan, store, kNoHosts);
  EXPECT_THAT(result.deleted, IsEmpty());
  ASSERT_EQ(result.kept.size(), 1U);
  EXPECT_EQ(result.kept[0].reason, "run b-1 needs files of it (train.checkpoint.path)");
  EXPECT_TRUE(fs::exists(checkpoint));
}

TEST_F(PruneActionTest, ACheckpointThatNobodyNeedsIsDeleted) {
  const auto run = make_run("a-1");
  const auto plan = plan_for_checkpoint(run);
  make_run("b-1");
  const auto result = carry_out(plan, store, kNoHosts);
  EXPECT_EQ(result.deleted.size(), 1U);
  EXPECT_FALSE(fs::exists(checkpoint));
  EXPECT_TRUE(fs::exists(run.run_dir));
}

TEST_F(PruneActionTest, ARunThatWasStartedAgainStays) {
  const auto run = make_run("a-1");
  for (const auto kind : {PruneKind::run, PruneKind::checkpoints}) {
    const auto plan = plan_for(run, kind);
    submit(RunFolder(run.run_dir), std::string("again-") + std::string(name_of(kind)));
    const auto result = carry_out(plan, store, kNoHosts);
    EXPECT_THAT(result.deleted, IsEmpty());
    ASSERT_EQ(result.kept.size(), 1U);
    EXPECT_EQ(result.kept[0].reason, "it was started again");
    EXPECT_TRUE(fs::exists(run.run_dir));
  }
}

}  // namespace
}  // namespace ddp::cli
