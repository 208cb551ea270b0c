#include "cli/commands/watch/warning_notes.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "jobenv/record/ledger/ledger.hpp"
#include "jobenv/record/run_folder.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

class WarningNotesTest : public testing::Test {
 protected:
  void write(int attempt, const char* message) {
    (void)ledger.append("mpi_not_connected", {{"attempt", attempt}, {"message", message}});
  }

  TemporaryFolder home;
  RunFolder run{home / "job-1"};
  bool is_created = run.create().has_value();
  LedgerWriter ledger = LedgerWriter::open(run, "head-0").value();
  FakeClock clock;
  std::ostringstream out, err;
  std::unique_ptr<Reporter> reporter = make_text_reporter(out, err, Colour::never);
  RunPointer pointer{
      .run_id = "job-1", .name = {}, .run_dir = run.root(), .launcher = "local", .job_id = {}, .created = {}};
  WarningNotes notes{pointer, clock, *reporter};
};

TEST_F(WarningNotesTest, EachIsToldOnce) {
  write(0, "ranks 0-1 are alone");
  write(1, "ranks 0-1 are alone");
  for (int look = 0; look < 3; ++look) {
    clock.sleep(WarningNotes::kLongest);
    notes.look();
  }
  EXPECT_EQ(err.str(), "warning: ranks 0-1 are alone\n");
}

TEST_F(WarningNotesTest, LooksWithGrowingPauses) {
  write(0, "alone");
  clock.sleep(WarningNotes::kShortest / 2);
  notes.look();
  EXPECT_EQ(err.str(), "") << "not due";
  clock.sleep(WarningNotes::kShortest);
  notes.look();
  write(0, "alone again");
  clock.sleep(WarningNotes::kShortest);
  notes.look();
  EXPECT_EQ(err.str(), "warning: alone\n");
  clock.sleep(WarningNotes::kShortest);
  notes.look();
  EXPECT_EQ(err.str(), "warning: alone\nwarning: alone again\n");
}

}  // namespace
}  // namespace ddp::cli
