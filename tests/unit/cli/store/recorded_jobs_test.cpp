#include "cli/store/recorded_jobs.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "jobenv/record/ledger/ledger.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

class RecordedJobsTest : public testing::Test {
 protected:
  RecordedJobsTest() { EXPECT_TRUE(folder.create()); }
  void record(const std::string& writer, std::string_view event, const nlohmann::json& fields) {
    auto ledger = LedgerWriter::open(folder, writer);
    ASSERT_TRUE(ledger);
    ASSERT_TRUE(ledger->append(event, fields));
  }

  TemporaryFolder home;
  RunFolder folder{home / "job-1"};
};

TEST_F(RecordedJobsTest, AreThoseOfAnswersWithTheirTwins) {
  record("submit", "submit_intent", {{"token", "aa"}});
  record("submit", "submitted", {{"job_id", "7"}, {"twins", {"8"}}});
  record("found", "submitted", {{"job_id", 9}, {"twins", {nullptr}}});
  EXPECT_THAT(load_recorded_jobs(folder), UnorderedElementsAre("7", "8"));
}

TEST_F(RecordedJobsTest, AreThoseThatStartedBeforeTheNewestSubmission) {
  record("submit", "submit_intent", {{"token", "aa"}});
  record("head-0", "head_started", {{"attempt", 0}, {"job_id", "7"}});
  EXPECT_THAT(load_recorded_jobs(folder), IsEmpty()) << "it may be the job of the lost submission";
  record("submit", "submit_intent", {{"token", "bb"}});
  EXPECT_THAT(load_recorded_jobs(folder), UnorderedElementsAre("7"));
  record("head-1", "head_started", {{"attempt", 1}, {"job_id", "8"}});
  EXPECT_THAT(load_recorded_jobs(folder), UnorderedElementsAre("7"));
}

TEST_F(RecordedJobsTest, AreAnsweredWhereTheIntentCanBeRead) {
  record("submit", "submit_intent", {{"token", "aa"}});
  record("submit", "submitted", {{"job_id", "7"}, {"twins", {"8"}}});
  std::ofstream(folder.ledger_of("submit"), std::ios::app) << "garbage\n";
  record("submit", "submitted", {{"job_id", "9"}});
  record("submit", "submitted", {{"job_id", "10"}, {"token", "bb"}});
  record("found", "submitted", {{"job_id", "11"}, {"token", "aa"}});
  EXPECT_THAT(load_answered_jobs(folder), UnorderedElementsAre("7", "8", "11"));
  EXPECT_THAT(load_answered_jobs(RunFolder(home / "gone")), IsEmpty());
}

TEST_F(RecordedJobsTest, AreNoneWithoutALedger) {
  EXPECT_THAT(load_recorded_jobs(RunFolder(home / "gone")), IsEmpty());
}

}  // namespace
}  // namespace ddp::cli
