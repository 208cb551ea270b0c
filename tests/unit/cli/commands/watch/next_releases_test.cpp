#include "cli/commands/watch/next_releases.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/run_folder.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using namespace std::chrono_literals;

class NextReleasesTest : public testing::Test {
 protected:
  NextReleasesTest() {
    (void)run.create();
    record("submit", "submit_intent", {{"token", "t"}, {"launcher", "slurm"}});
    record("submit", "submitted", {{"job_id", "7"}});
  }

  void record(const std::string& writer, const std::string& event, const nlohmann::json& fields) const {
    auto ledger = LedgerWriter::open(run, writer);
    (void)ledger->append(event, fields);
  }
  void requeue() const {
    record("head-0", "head_started", {{"attempt", 0}});
    record("head-0", "requeued", {{"attempt", 0}, {"message", "after its time limit"}});
  }
  /// Slurm is asked whether it waits, then what it waits for, then to start it.
  void answer_that_it_waits() {
    outside.runner.answer(0, "7|7|PENDING|N/A|N/A|BeginTime||somebody|job|\n");
    outside.runner.answer(0, "JobId=7 JobName=job JobState=PENDING Reason=BeginTime Restarts=1\n");
    outside.runner.answer(0, "");
  }
  /// Whether anybody was asked anything.
  [[nodiscard]] bool asks_after(std::chrono::milliseconds pause) {
    outside.runner.requests.clear();
    outside.clock.sleep(pause);
    next.release();
    return !outside.runner.requests.empty();
  }

  TemporaryFolder home;
  RunFolder run{home / "job-1"};
  FakeSystem outside;
  StatusResolver resolver{LauncherSeams{outside.system(), EnvMap().set("PATH", "/usr/bin")}};
  NextReleases next{{{.run_id = "job-1",
                      .name = "job",
                      .run_dir = run.root(),
                      .launcher = "slurm",
                      .job_id = {},
                      .created = {}}},
                    resolver,
                    outside.clock};
};

TEST_F(NextReleasesTest, AskAboutAllRunsOnlyNowAndThen) {
  for (int question = 0; question < 2; ++question)
    outside.runner.answer(0, "7|7|RUNNING|N/A|N/A|None||somebody|job|\n");
  EXPECT_FALSE(asks_after(1s));
  EXPECT_TRUE(asks_after(1s));
  EXPECT_FALSE(asks_after(29s));
  EXPECT_TRUE(asks_after(1s));
}

TEST_F(NextReleasesTest, HaveAJobReleasedSoonAfterItWasRequeued) {
  outside.runner.answer(0, "7|7|RUNNING|N/A|N/A|None||somebody|job|\n");
  EXPECT_TRUE(asks_after(2s));
  requeue();
  answer_that_it_waits();
  EXPECT_TRUE(asks_after(2s));
  EXPECT_EQ(outside.runner.requests.back().argv.back(), "StartTime=now+2");
  EXPECT_FALSE(asks_after(2s)) << "once for each requeue";
}

TEST_F(NextReleasesTest, LeaveALauncherInPeaceThatDoesNotAnswer) {
  requeue();
  for (int question = 0; question < 9; ++question) outside.runner.answer(1, "", "not now\n");
  EXPECT_TRUE(asks_after(2s));
  EXPECT_FALSE(asks_after(29s));
  outside.runner.answers.clear();
  answer_that_it_waits();
  EXPECT_TRUE(asks_after(1s));
}

}  // namespace
}  // namespace ddp::cli
