#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <utility>

#include "cli/commands/registry.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/submission_lock.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;

/// Something happens, once, while a cancel record is made: only that asks for the user.
class HostWithAnInterruption final : public FakeHost {
 public:
  mutable std::function<void()> interruption = [] {};

  [[nodiscard]] std::string user() const override {
    std::exchange(interruption, [] {})();
    return FakeHost::user();
  }
};

/// Something happens, once, while somebody waits.
class ClockWithAnInterruption final : public Clock {
 public:
  std::function<void()> interruption = [] {};

  [[nodiscard]] std::chrono::system_clock::time_point now() const override { return clock_.now(); }
  [[nodiscard]] std::chrono::steady_clock::time_point steady() const override { return clock_.steady(); }
  void sleep(std::chrono::milliseconds duration) override {
    clock_.sleep(duration);
    std::exchange(interruption, [] {})();
  }

 private:
  FakeClock clock_;
};

/// A Slurm run that another ddpsubmit is submitting.
class CancelTest : public testing::Test {
 protected:
  CancelTest() {
    const auto store = RunStore::open(environment);
    (void)folder.create();
    (void)store->save({.run_id = "job-1",
                       .name = "job",
                       .run_dir = folder.root(),
                       .launcher = "slurm",
                       .job_id = {},
                       .created = outside.clock.now()});
    record("submit_intent", {{"token", "t1"}, {"launcher", "slurm"}});
    lock = std::move(*lock_submission(folder));
  }

  void record(const std::string& event, const nlohmann::json& fields) const {
    auto submitter = LedgerWriter::open(folder, "submit");
    (void)submitter->append(event, fields);
  }
  Outcome cancel() {
    Context context{environment, home.path(), home.path(), {outside.runner, clock, host}, *reporter};
    Arguments arguments;
    arguments.add("RUN", {"job-1"});
    const auto commands = all_commands();
    return std::ranges::find(commands, "cancel", &Command::name)->run(arguments, context);
  }
  [[nodiscard]] std::vector<std::string> cancelled_tokens() const {
    std::vector<std::string> tokens;
    const auto events = load_ledger(folder).value();
    for (const auto& event : events) {
      if (event.event == "cancel_requested") tokens.push_back(event.fields.value("token", ""));
    }
    return tokens;
  }
  [[nodiscard]] std::vector<std::vector<std::string>> asked() const {
    std::vector<std::vector<std::string>> questions;
    for (const auto& request : outside.runner.requests) questions.push_back(request.argv);
    return questions;
  }

  TemporaryFolder home;
  EnvMap environment{{{"HOME", home.path()}}};
  RunFolder folder{home / "job-1"};
  FileDescriptor lock;
  FakeSystem outside;
  HostWithAnInterruption host;
  ClockWithAnInterruption clock;
  std::ostringstream out, err;
  std::unique_ptr<Reporter> reporter = make_text_reporter(out, err, Colour::never);
};

TEST_F(CancelTest, ReachesAJobThatIsSubmittedWhileTheRecordIsMade) {
  host.interruption = [this] { record("submitted", {{"launcher", "slurm"}, {"job_id", "77"}}); };
  outside.runner.answer(0, "77|77|PENDING|N/A|N/A|None||somebody|job|\n");
  outside.runner.answer(0, "");  // no other job has the token
  outside.runner.answer(0, "77|77|PENDING|N/A|N/A|None||somebody|job|\n");
  outside.runner.answer(0, "");
  outside.runner.answer(0, "");
  outside.runner.answer(0, "77|77|CANCELLED|N/A|N/A|None||somebody|job|\n");
  EXPECT_EQ(cancel(), ExitCode::ok) << err.str();
  EXPECT_THAT(asked(), Contains(ElementsAre("scancel", "77")));
  EXPECT_THAT(cancelled_tokens(), ElementsAre("t1"));
}

TEST_F(CancelTest, NamesASubmissionThatIsMadeMeanwhileToo) {
  host.interruption = [this] {
    record("submit_intent", {{"token", "t2"}, {"launcher", "slurm"}});
    record("submitted", {{"launcher", "slurm"}, {"job_id", "78"}});
  };
  outside.runner.answer(0, "78|78|PENDING|N/A|N/A|None||somebody|job|\n");
  outside.runner.answer(0, "78|78|PENDING|N/A|N/A|None||somebody|job|\n");
  outside.runner.answer(0, "");  // no other job has the token
  outside.runner.answer(0, "78|78|PENDING|N/A|N/A|None||somebody|job|\n");
  outside.runner.answer(0, "");
  outside.runner.answer(0, "");
  outside.runner.answer(0, "78|78|CANCELLED|N/A|N/A|None||somebody|job|\n");
  EXPECT_EQ(cancel(), ExitCode::ok) << err.str();
  EXPECT_THAT(asked(), Contains(ElementsAre("scancel", "78")));
  EXPECT_THAT(cancelled_tokens(), ElementsAre("t1", "t2"));
}

TEST_F(CancelTest, ReachesAJobThatIsSubmittedOnlyAfterTheRecord) {
  clock.interruption = [this] { record("submitted", {{"launcher", "slurm"}, {"job_id", "79"}}); };
  const std::string row = "79|79|PENDING|N/A|N/A|None||somebody|job|\n";
  outside.runner.answer(0, row);
  outside.runner.answer(0, "");  // no other job has the token
  outside.runner.answer(0, row);
  outside.runner.answer(0, "");
  outside.runner.answer(0, "");
  outside.runner.answer(0, "79|79|CANCELLED|N/A|N/A|None||somebody|job|\n");
  EXPECT_EQ(cancel(), ExitCode::ok) << err.str();
  EXPECT_THAT(asked(), Contains(ElementsAre("scancel", "79")));
}

TEST_F(CancelTest, ReachesTheJobAlsoWhereItCannotBePutOnRecord) {
  record("submitted", {{"launcher", "slurm"}, {"job_id", "77"}});
  std::filesystem::create_directory(
      folder.ledger_of("cancel-t1-" + std::to_string(getpid()) + "-1800000000000"));
  outside.runner.answer(0, "77|77|PENDING|N/A|N/A|None||somebody|job|\n");
  outside.runner.answer(0, "77|77|PENDING|N/A|N/A|None||somebody|job|\n");
  outside.runner.answer(0, "");  // no other job has the token
  outside.runner.answer(0, "77|77|PENDING|N/A|N/A|None||somebody|job|\n");
  outside.runner.answer(0, "");
  outside.runner.answer(0, "");
  outside.runner.answer(0, "77|77|CANCELLED|N/A|N/A|None||somebody|job|\n");
  EXPECT_EQ(cancel(), ExitCode::ok) << err.str();
  EXPECT_THAT(asked(), Contains(ElementsAre("scontrol", "update", "JobId=77", "Requeue=0")));
  EXPECT_THAT(asked(), Contains(ElementsAre("scancel", "77")));
  EXPECT_THAT(err.str(),
              testing::HasSubstr("warning: the cancellation of run job-1 could not be recorded: "));
  EXPECT_TRUE(cancelled_tokens().empty());
}

TEST_F(CancelTest, IsOnRecordEvenWhenTheJobIsNotKnown) {
  const auto outcome = cancel();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().front().code, ExitCode::outcome_unknown);
  EXPECT_THAT(cancelled_tokens(), ElementsAre("t1"));
}

TEST_F(CancelTest, DoesNothingToARunThatHasEnded) {
  record("submit_refused", {{"message", "no"}});
  EXPECT_EQ(cancel(), ExitCode::ok);
  EXPECT_TRUE(cancelled_tokens().empty());
  EXPECT_TRUE(outside.runner.requests.empty());
}

}  // namespace
}  // namespace ddp::cli
