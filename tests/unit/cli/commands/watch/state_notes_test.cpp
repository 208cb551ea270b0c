#include "cli/commands/watch/state_notes.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>

namespace ddp::cli {
namespace {

class StateNotesTest : public testing::Test {
 protected:
  static RunStatus seen(RunState state, std::string message = {}) {
    RunStatus status;
    status.state = state;
    status.message = std::move(message);
    return status;
  }
  [[nodiscard]] StateNotes notes_with(WaitReasons reasons) { return {"job-1", reasons, *reporter}; }

  std::ostringstream out, err;
  std::unique_ptr<Reporter> reporter = make_text_reporter(out, err, Colour::never);
};

TEST_F(StateNotesTest, TellOnceThatNothingIsKnownAndThatItIsKnownAgain) {
  auto notes = notes_with(WaitReasons::skip);
  notes.tell(seen(RunState::running));
  EXPECT_EQ(err.str(), "");
  notes.tell(seen(RunState::unknown, "squeue does not answer"));
  notes.tell(seen(RunState::unknown, "squeue does not answer"));
  notes.tell(seen(RunState::running));
  notes.tell(seen(RunState::unknown));
  EXPECT_EQ(err.str(),
            "squeue does not answer; asking again\n"
            "run job-1 is running\n"
            "the state of run job-1 is unknown; asking again\n");
}

TEST_F(StateNotesTest, TellWhyARunWaitsWheneverThatChanges) {
  auto notes = notes_with(WaitReasons::tell);
  notes.tell(seen(RunState::queued));
  for (const auto* reason : {"no room", "no room", "its nodes are down"})
    notes.tell(seen(RunState::queued, reason));
  notes.tell(seen(RunState::running, "head waits for Slurm"));
  EXPECT_EQ(err.str(), "run job-1 is queued: no room\nrun job-1 is queued: its nodes are down\n");
}

TEST_F(StateNotesTest, TellNoReasonToWhoLooksForNoLines) {
  auto notes = notes_with(WaitReasons::skip);
  notes.tell(seen(RunState::queued, "no room"));
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace ddp::cli
