#include "cli/store/state/run_records.hpp"

#include <gtest/gtest.h>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

/// The folder of a run with two ranks, both of which have left a record of success.
class RunRecordsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder.create());
    LaunchPlan plan;
    plan.run_id = folder.run_id();
    plan.run_dir = folder.root();
    plan.launcher = "slurm";
    plan.tasks_per_node = 2;
    plan.argv = {"true"};
    plan.work_dir = plan.submit_dir = "/";
    plan.agent = "/ddp-agent";
    ASSERT_TRUE(save_file(folder.plan(), to_json(plan).dump(), Durability::visible));
    ASSERT_TRUE(folder.claim_attempt("nonce", "", 0));
    std::filesystem::create_directories(folder.exits(0));
    for (const int rank : {0, 1}) {
      ExitRecord record;
      record.rank = rank;
      record.host = "n1";
      record.code = 0;
      ASSERT_TRUE(save_file(folder.exit_record(0, rank), to_json(record).dump(), Durability::visible));
    }
    event("submit_intent", {{"token", "t"}, {"launcher", "slurm"}});
    event("head_started", {{"attempt", 0}, {"host", "n1"}});
  }
  void event(const std::string& name, const json& fields) {
    auto writer = LedgerWriter::open(folder, "one");
    ASSERT_TRUE(writer && writer->append(name, fields));
  }
  [[nodiscard]] RunRecords records() const {
    auto loaded = load_run_records(folder);
    EXPECT_TRUE(loaded);
    return loaded.value_or(RunRecords{});
  }

  TemporaryFolder home;
  RunFolder folder{home / "job-1"};
};

TEST_F(RunRecordsTest, LeaveExitsAloneWhileTheRunGoesOn) {
  EXPECT_TRUE(records().exits.empty());
}

TEST_F(RunRecordsTest, OfAnAttemptWithFewerNodesFewerExitsConfirmIt) {
  LaunchPlan plan = *load_run_plan(folder);
  plan.nodes = 2;
  ASSERT_TRUE(save_file(folder.plan(), to_json(plan).dump(), Durability::visible));
  event("run_ended", {{"state", "succeeded"}, {"exit_code", 0}});
  EXPECT_EQ(derive_status(records()).state, RunState::unknown);
  event("attempt_started", {{"attempt", 0}, {"hosts", {"n1"}}});
  EXPECT_EQ(derive_status(records()).state, RunState::succeeded);
}

TEST_F(RunRecordsTest, HoldTheExitsThatConfirmASuccess) {
  event("run_ended", {{"state", "succeeded"}, {"exit_code", 0}});
  EXPECT_EQ(records().exits.size(), 2u);
  EXPECT_EQ(derive_status(records()).state, RunState::succeeded);
}

TEST_F(RunRecordsTest, LeaveExitsAloneWhenTheRunIsStartedAgain) {
  event("run_ended", {{"state", "succeeded"}, {"exit_code", 0}});
  event("submit_intent", {{"token", "t2"}, {"launcher", "slurm"}});
  EXPECT_TRUE(records().exits.empty());
}

}  // namespace
}  // namespace ddp::cli
