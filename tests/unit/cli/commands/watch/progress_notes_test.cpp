#include "cli/commands/watch/progress_notes.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/live/live_record.hpp"
#include "jobenv/record/run_folder.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using std::chrono::seconds;

/// A run of 900 steps, of half a second each.
class ProgressNotesTest : public testing::Test {
 protected:
  ProgressNotesTest() {
    (void)run.create();
    (void)LedgerWriter::open(run, "head-0").value().append("head_started", {{"attempt", 0}});
  }

  void reach(std::uint64_t step, int attempt = 0) const {
    LiveRecord live;
    live.attempt = attempt;
    live.total_steps = 900;
    live.seconds_per_step = 0.5;
    live.summary.ranks = 1;
    live.summary.median_step = step;
    (void)save_file(run.live(), to_json(live).dump(), Durability::visible);
  }
  void look_after(seconds time) {
    clock.sleep(time);
    notes.look();
  }

  TemporaryFolder home;
  RunFolder run{home / "job-1"};
  FakeClock clock;
  std::ostringstream out, err;
  std::unique_ptr<Reporter> reporter = make_text_reporter(out, err, Colour::never);
  ProgressNotes notes{{.run_id = "job-1",
                       .name = {},
                       .run_dir = run.root(),
                       .launcher = "local",
                       .job_id = {},
                       .created = {}},
                      clock,
                      *reporter};
};

TEST_F(ProgressNotesTest, TellTheStepAfterAMinuteOfSilence) {
  reach(100);
  look_after(seconds(59));
  EXPECT_EQ(err.str(), "");
  look_after(seconds(1));
  EXPECT_EQ(err.str(), "step 100 of 900; about 6 min left\n");
  EXPECT_EQ(out.str(), "");
}

TEST_F(ProgressNotesTest, AreSilentWhileTheRanksPrint) {
  reach(100);
  for (int minute = 0; minute < 5; ++minute) {
    clock.sleep(seconds(30));
    notes.hear_ranks();
    look_after(seconds(30));
  }
  EXPECT_EQ(err.str(), "");
}

TEST_F(ProgressNotesTest, ComeWithGrowingPausesAndOnlyWithNewSteps) {
  reach(100);
  look_after(seconds(60));
  reach(200);
  look_after(seconds(60));
  const std::string first = "step 100 of 900; about 6 min left\n";
  EXPECT_EQ(err.str(), first);
  look_after(seconds(60));
  const std::string second = "step 200 of 900; about 5 min left\n";
  EXPECT_EQ(err.str(), first + second);
  look_after(seconds(240));
  EXPECT_EQ(err.str(), first + second) << "no new step";
}

TEST_F(ProgressNotesTest, BeginWithTheShortestPauseAfterEachLineOfTheRanks) {
  reach(100);
  look_after(seconds(60));
  reach(200);
  clock.sleep(seconds(30));
  notes.hear_ranks();
  look_after(seconds(60));
  EXPECT_EQ(err.str(), "step 100 of 900; about 6 min left\nstep 200 of 900; about 5 min left\n");
}

TEST_F(ProgressNotesTest, TellTheStepsOfAFurtherAttemptThatBeginsBehind) {
  reach(200);
  look_after(seconds(60));
  auto head = LedgerWriter::open(run, "head-0").value();
  (void)head.append("restarting", {{"attempt", 0}, {"next_attempt", 1}});
  (void)head.append("attempt_started", {{"attempt", 1}, {"hosts", {"node1"}}});
  reach(100, 1);
  look_after(seconds(120));
  EXPECT_EQ(err.str(), "step 200 of 900; about 5 min left\nstep 100 of 900; about 6 min left\n");
}

TEST_F(ProgressNotesTest, SayNothingOfARunThatTellsNoSteps) {
  look_after(seconds(60));
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace ddp::cli
