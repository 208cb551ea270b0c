#include "cli/commands/watch/state_watch.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/run_folder.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using namespace std::chrono_literals;

class StateWatchTest : public testing::Test {
 protected:
  using Run = StateWatch::Run;

  StateWatchTest() {
    (void)run.create();
    record("submit_intent", {{"token", "t"}, {"launcher", "slurm"}});
    record("submitted", {{"job_id", "7"}});
  }

  void record(const std::string& event, const nlohmann::json& fields) const {
    auto ledger = LedgerWriter::open(run, "head-0");
    (void)ledger->append(event, fields);
  }
  void answer(const std::string& state, const std::string& reason) {
    outside.runner.answer(0, "7|7|" + state + "|N/A|N/A|" + reason + "||somebody|job|\n");
  }
  /// Whether anybody was asked anything.
  [[nodiscard]] bool asks_after(std::chrono::milliseconds pause) {
    outside.runner.requests.clear();
    outside.clock.sleep(pause);
    EXPECT_EQ(watch.look(), Run::goes_on);
    return !outside.runner.requests.empty();
  }

  TemporaryFolder home;
  RunFolder run{home / "job-1"};
  FakeSystem outside;
  std::ostringstream out, err;
  std::unique_ptr<Reporter> reporter = make_text_reporter(out, err, Colour::never);
  Context context{EnvMap().set("PATH", "/usr/bin"), "/", "/", outside.system(), *reporter};
  StatusResolver resolver{context.seams()};
  StateWatch watch{{.run_id = "job-1",
                    .name = "job",
                    .run_dir = run.root(),
                    .launcher = "slurm",
                    .job_id = {},
                    .created = {}},
                   nullptr,
                   WaitReasons::tell,
                   resolver,
                   context};
};

TEST_F(StateWatchTest, AsksTheLauncherAtOnceAndThenMoreAndMoreRarely) {
  for (int question = 0; question < 3; ++question) answer("RUNNING", "None");
  EXPECT_TRUE(asks_after(0s));
  EXPECT_FALSE(asks_after(1s));
  EXPECT_TRUE(asks_after(1s));
  EXPECT_FALSE(asks_after(3s));
  EXPECT_TRUE(asks_after(1s));
}

TEST_F(StateWatchTest, AsksAtOnceAndHasTheJobReleasedWhenItWasRequeued) {
  answer("RUNNING", "None");
  EXPECT_TRUE(asks_after(0s));
  record("head_started", {{"attempt", 0}});
  EXPECT_FALSE(asks_after(500ms));
  record("requeued", {{"attempt", 0}, {"message", "after its time limit"}});
  answer("PENDING", "BeginTime");
  outside.runner.answer(0, "JobId=7 JobName=job JobState=PENDING Reason=BeginTime Restarts=1\n");
  outside.runner.answer(0, "");
  EXPECT_TRUE(asks_after(500ms));
  EXPECT_EQ(outside.runner.requests.back().argv.back(), "StartTime=now+2");
  EXPECT_FALSE(asks_after(500ms)) << "once for each requeue";
}

TEST_F(StateWatchTest, KeepsWhatTheLauncherCouldNotTellUntilItIsAskedAgain) {
  for (int question = 0; question < 9; ++question) outside.runner.answer(1, "", "not now\n");
  EXPECT_TRUE(asks_after(0s));
  EXPECT_FALSE(asks_after(500ms));
  EXPECT_EQ(watch.status().state, RunState::unknown);
  outside.runner.answers.clear();
  answer("RUNNING", "None");
  EXPECT_TRUE(asks_after(2s));
  EXPECT_EQ(watch.status().state, RunState::running);
  EXPECT_TRUE(err.str().ends_with("; asking again\nrun job-1 is running\n")) << err.str();
}

TEST_F(StateWatchTest, SeesTheEndInTheRecordsAndAsksNobody) {
  record("run_ended", {{"state", "failed"}, {"exit_code", 1}});
  EXPECT_EQ(watch.look(), Run::is_over);
  EXPECT_EQ(watch.status().state, RunState::failed);
  EXPECT_TRUE(outside.runner.requests.empty());
}

TEST_F(StateWatchTest, IsOverWhenTheRecordsAreGone) {
  std::filesystem::remove_all(run.root());
  EXPECT_EQ(watch.look(), Run::is_over);
  EXPECT_EQ(watch.status().state, RunState::unknown);
}

}  // namespace
}  // namespace ddp::cli
