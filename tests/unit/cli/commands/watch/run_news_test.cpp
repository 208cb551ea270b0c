#include "cli/commands/watch/run_news.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/store/state/recorded_status.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/run_folder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

class RunNewsTest : public testing::Test {
 protected:
  RunNewsTest() { (void)run.create(); }

  static void record(const RunFolder& folder, const std::string& event, const nlohmann::json& fields) {
    auto head = LedgerWriter::open(folder, "head-0");
    (void)head->append(event, fields);
  }
  void start() const {
    (void)run.claim_attempt("nonce", "", 0);
    record(run, "head_started", {{"attempt", 0}});
  }
  void restart(int failed, const nlohmann::json& fields = nlohmann::json::object()) const {
    (void)run.claim_attempt("nonce", "", 0);
    record(run, "attempt_ended", {{"attempt", failed}, {"outcome", "failed"}, {"message", "rank 1 broke"}});
    nlohmann::json restarting = {{"attempt", failed}, {"next_attempt", failed + 1}};
    restarting.update(fields);
    record(run, "restarting", restarting);
  }
  void start_point(int point) const { record(run.point_folder(point), "head_started", {{"attempt", 0}}); }
  void end_point(int point) const {
    record(run.point_folder(point), "run_ended", {{"state", "failed"}, {"exit_code", 1}});
  }
  /// Whose two points are submitted.
  void make_sweep() const {
    (void)save_sweep_record(run, {.keys = {"train.seed"}, .points = {{1}, {2}}, .at_once = {}});
    std::filesystem::create_directory(run.points());
    for (const int point : {0, 1}) {
      (void)run.point_folder(point).create();
      record(run.point_folder(point), "submit_intent", {{"token", "t"}, {"launcher", "local"}});
    }
  }
  [[nodiscard]] RunNews news_from_now(const std::vector<int>& new_points = {}) {
    return {pointer(), load_recorded_status(pointer()), new_points, *reporter};
  }
  [[nodiscard]] RunPointer pointer() const {
    return {.run_id = "job-1",
            .name = {},
            .run_dir = run.root(),
            .launcher = "local",
            .job_id = {},
            .created = {}};
  }

  TemporaryFolder home;
  RunFolder run{home / "job-1"};
  std::ostringstream out, err;
  std::unique_ptr<Reporter> reporter = make_text_reporter(out, err, Colour::never);
};

TEST_F(RunNewsTest, TellsARestartOnce) {
  start();
  auto news = news_from_now();
  news.tell_attempts();
  EXPECT_EQ(err.str(), "");
  restart(0, {{"resumes_from", 100}});
  news.tell_attempts();
  news.tell_attempts();
  EXPECT_EQ(err.str(), "attempt 0 failed: rank 1 broke; restarting as attempt 1 from step 100\n");
  EXPECT_EQ(news.newest_attempt(), 1);
}

TEST_F(RunNewsTest, NamesTheLikelyCauseOfAFailureUnlessItWasJustShown) {
  start();
  auto news = news_from_now();
  const nlohmann::json fields = {
      {"cause", {{"rank", 1}, {"code", 1}, {"stderr_tail", "OSError: disk full\n"}}}};
  restart(0, fields);
  news.tell_attempts({{0, "epoch 1"}});
  const std::string first =
      "attempt 0 failed: rank 1 broke; likely cause: OSError: disk full; restarting as attempt 1\n";
  EXPECT_EQ(err.str(), first);
  restart(1, fields);
  news.tell_attempts({{0, "epoch 1"}, {1, "[rank1]: OSError: disk full"}});
  EXPECT_EQ(err.str(), first + "attempt 1 failed: rank 1 broke; restarting as attempt 2\n");
}

TEST_F(RunNewsTest, TellsOnlyWhatWasNotKnown) {
  start();
  restart(0);
  auto news = news_from_now();
  EXPECT_EQ(news.newest_attempt(), 1);
  restart(1);
  news.tell_attempts();
  EXPECT_EQ(err.str(), "attempt 1 failed: rank 1 broke; restarting as attempt 2\n");
}

TEST_F(RunNewsTest, TellsThatTheFirstAttemptOfARerunStarts) {
  start();
  record(run, "run_ended", {{"attempt", 0}, {"state", "failed"}, {"exit_code", 1}});
  record(run, "submit_intent", {{"token", "t"}, {"launcher", "local"}});
  auto news = news_from_now();
  news.tell_attempts();
  EXPECT_EQ(err.str(), "");
  (void)run.claim_attempt("nonce", "", 0);
  record(run, "head_started", {{"attempt", 1}, {"resumes_from", 40}});
  news.tell_attempts();
  EXPECT_EQ(err.str(), "") << "its agents have not come together";
  record(run, "attempt_started", {{"attempt", 1}, {"hosts", {"node1"}}});
  news.tell_attempts();
  news.tell_attempts();
  EXPECT_EQ(err.str(), "attempt 1 starts and resumes from step 40\n");
}

TEST_F(RunNewsTest, DoesNotTellOfAnAttemptThatEndsBeforeItStarts) {
  start();
  record(run, "attempt_ended", {{"attempt", 0}, {"outcome", "timed_out"}});
  auto news = news_from_now();
  (void)run.claim_attempt("nonce", "", 0);
  record(run, "head_started", {{"attempt", 1}, {"resumes_from", 40}});
  record(run, "attempt_ended", {{"attempt", 1}, {"outcome", "cancelled"}});
  news.tell_attempts();
  EXPECT_EQ(err.str(), "");
  EXPECT_EQ(news.newest_attempt(), 1);
}

TEST_F(RunNewsTest, WaitsForTheWordsAboutAnAttemptThatIsClaimed) {
  start();
  auto news = news_from_now();
  (void)run.claim_attempt("nonce", "", 0);
  news.tell_attempts();
  EXPECT_EQ(news.newest_attempt(), 0);
}

TEST_F(RunNewsTest, TellsTheStartAndTheEndOfEachPointOnce) {
  make_sweep();
  auto news = news_from_now();
  news.tell_points();
  EXPECT_EQ(err.str(), "");
  start_point(0);
  news.tell_points();
  news.tell_points();
  std::string said = "point 0 (seed 1) starts\n";
  EXPECT_EQ(err.str(), said);
  end_point(0);
  start_point(1);
  end_point(1);
  news.tell_points();
  news.tell_points();
  said +=
      "point 0 (seed 1) failed\n"
      "point 1 (seed 2) starts\n"
      "point 1 (seed 2) failed\n";
  EXPECT_EQ(err.str(), said);
}

TEST_F(RunNewsTest, TellsOfPointsThatWereKnownOnlyIfTheyAreNew) {
  make_sweep();
  for (const int point : {0, 1}) {
    start_point(point);
    end_point(point);
  }
  auto news = news_from_now({1});
  news.tell_points();
  EXPECT_EQ(err.str(),
            "point 1 (seed 2) starts\n"
            "point 1 (seed 2) failed\n");
}

TEST_F(RunNewsTest, TellsInOneLineOfPointsThatWereCancelledBeforeTheyStarted) {
  make_sweep();
  auto news = news_from_now();
  for (const int point : {0, 1})
    record(run.point_folder(point), "run_ended", {{"state", "cancelled"}, {"exit_code", 1}});
  news.tell_points();
  EXPECT_EQ(err.str(), "points 0-1 were cancelled before they started\n");
}

}  // namespace
}  // namespace ddp::cli
