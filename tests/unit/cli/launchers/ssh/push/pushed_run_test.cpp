#include "cli/launchers/ssh/push/pushed_run.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/told_host.hpp"

namespace ddp::cli {
namespace {

const PushedAgent kAgent{"/own", std::string(64, 'a'), 7};

LaunchPlan plan_of_training() {
  LaunchPlan plan;
  plan.run_id = "run-1";
  plan.run_dir = "/home/me/runs/run-1";
  plan.work_dir = "/home/me";
  plan.argv = {"/opt/ddp/ddptrain", "--config", "/home/me/runs/run-1/spec.yaml"};
  plan.agent = "/opt/ddp/ddp-agent";
  plan.set = {{"A", "1"}};
  return plan;
}

TEST(PlanForHost, HasThePathsOfTheHost) {
  const auto plan = plan_for_host(plan_of_training(), "/own", kAgent, "/own/programs/x");
  EXPECT_EQ(plan.run_dir, "/own/runs/run-1");
  EXPECT_EQ(plan.work_dir, "/own/runs/run-1");
  EXPECT_EQ(plan.agent, "/own/programs/" + kAgent.sha256 + "/ddp-agent");
  EXPECT_EQ(plan.argv,
            (std::vector<std::string>{"/own/programs/x/ddptrain", "--config", "/own/runs/run-1/spec.yaml"}));
  EXPECT_TRUE(plan.libraries.first.starts_with("/own/programs/x/lib:/lib64:")) << plan.libraries.first;
  EXPECT_TRUE(plan.libraries.first.ends_with(":/own/programs/x/lib/spare"))
      << "after the folders of the host's own";
  EXPECT_EQ(plan.set, plan_of_training().set);
}

TEST(PlanForHost, LeavesACommandAsItIs) {
  auto plan = plan_of_training();
  plan.argv = {"python3", "train.py"};
  plan.set.clear();
  const auto own = plan_for_host(plan, "/own", kAgent, "");
  EXPECT_EQ(own.argv, plan.argv);
  EXPECT_EQ(own.libraries, LibraryFolders{});
}

class FetchedRecords : public testing::Test {
 protected:
  [[nodiscard]] std::string text(const std::string& path) const {
    return load_file(folder_.root() / path).value_or("");
  }
  Expected<void> fetch() { return fetch_records(host_, "node1", folder_); }

  TemporaryFolder temporary_;
  RunFolder folder_{temporary_ / "run-1"};
  ToldHost host_;
};

TEST_F(FetchedRecords, AskForWhatIsNotHere) {
  std::filesystem::create_directories(folder_.ledger());
  std::ofstream(folder_.ledger_of("head-0")) << "one\n";
  host_.answers = {
      remote::RunRecords{{{"ledger/head-0.jsonl", 4, "two\n"}, {"logs/head.log", 0, "log"}}, false}};
  ASSERT_TRUE(fetch());
  const auto& request = std::get<remote::ReadRun>(host_.requests.front());
  EXPECT_EQ(request.run_dir, "/own/runs/run-1");
  EXPECT_EQ(request.have.at("ledger/head-0.jsonl"), 4U);
  EXPECT_EQ(text("ledger/head-0.jsonl"), "one\ntwo\n");
  EXPECT_EQ(text("logs/head.log"), "log");
}

TEST_F(FetchedRecords, TheLedgerIsNotThereBeforeTheRest) {
  host_.answers = {
      remote::RunRecords{{{"ledger/head-0.jsonl", 0, "ended\n"}, {"metrics.jsonl", 0, "m"}}, true}};
  EXPECT_FALSE(fetch());  // the connection breaks behind the first answer
  EXPECT_EQ(text("ledger/head-0.jsonl"), "");
  EXPECT_EQ(text("metrics.jsonl"), "m");
  EXPECT_EQ(std::get<remote::ReadRun>(host_.requests.at(1)).have.at("ledger/head-0.jsonl"), 6U);
}

TEST_F(FetchedRecords, AHostWritesRecordsAlone) {
  for (const char* path : {"plan.json", "spec.yaml", "ledger/submit.jsonl", "../x", "secrets.json"}) {
    host_.answers = {remote::RunRecords{{{path, 0, "x"}}, false}};
    EXPECT_FALSE(fetch()) << path;
    EXPECT_EQ(text(path), "") << path;
  }
}

}  // namespace
}  // namespace ddp::cli
