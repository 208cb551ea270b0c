#include "cli/store/state/observed_end.hpp"

#include <gtest/gtest.h>

#include "cli/store/state/run_records.hpp"
#include "tests/support/fake_host.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using nlohmann::json;

/// A run on Slurm whose head has started and left no end.
class ObservedEndTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder.create());
    record("submit", "submit_intent", {{"token", "t1"}, {"launcher", "slurm"}});
    record("submit", "submitted", {{"job_id", "7"}});
    record("head-0", "head_started", {{"attempt", 0}, {"host", "n1"}});
  }
  void record(const std::string& writer, const std::string& event, const json& fields) const {
    auto ledger = LedgerWriter::open(folder, writer);
    ASSERT_TRUE(ledger->append(event, fields));
  }
  [[nodiscard]] RunStatus status() const { return derive_status(load_run_records(folder).value()); }
  void observe(RunState state, const std::string& message) const { observe(state, message, status()); }
  void observe(RunState state, const std::string& message, RunStatus seen) const {
    seen.state = state;
    seen.message = message;
    ASSERT_TRUE(record_observed_end(folder, seen, "squeue", host));
  }

  TemporaryFolder parent;
  RunFolder folder{parent / "job-1"};
  FakeHost host;
};

TEST_F(ObservedEndTest, IsTheEndOfARunWhoseHeadLeftNone) {
  observe(RunState::cancelled, "seen");
  EXPECT_EQ(status().state, RunState::cancelled);
  EXPECT_EQ(status().message, "seen");
  EXPECT_FALSE(status().ended) << "nobody knows when";
}

TEST_F(ObservedEndTest, YieldsToHeadsOwnWord) {
  observe(RunState::failed, "seen");
  record("head-0", "run_ended", {{"state", "timed_out"}, {"message", "head's"}, {"exit_code", 1}});
  EXPECT_EQ(status().message, "head's");
  observe(RunState::failed, "seen again");
  EXPECT_EQ(status().message, "head's");
}

TEST_F(ObservedEndTest, IsThatOfTheFirstOfSeveralObservers) {
  const auto seen = status();
  observe(RunState::cancelled, "first", seen);
  observe(RunState::failed, "second", seen);
  EXPECT_EQ(status().message, "first");
}

TEST_F(ObservedEndTest, IsNoneOfTheNextAttempt) {
  const auto seen = status();
  record("head-1", "head_started", {{"attempt", 1}, {"host", "n1"}});
  observe(RunState::failed, "late", seen);
  EXPECT_EQ(status().state, RunState::running);
}

TEST_F(ObservedEndTest, IsNoneOfTheNextSubmission) {
  observe(RunState::failed, "seen");
  record("submit", "submit_intent", {{"token", "t2"}, {"launcher", "slurm"}});
  record("submit", "submitted", {{"job_id", "8"}});
  EXPECT_EQ(status().state, RunState::queued);
}

}  // namespace
}  // namespace ddp::cli
