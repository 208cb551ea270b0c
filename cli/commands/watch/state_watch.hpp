#pragma once

#include "cli/commands/command.hpp"
#include "cli/commands/watch/question_pauses.hpp"
#include "cli/commands/watch/requeue_release.hpp"
#include "cli/commands/watch/state_notes.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// A StateWatch knows the state of a run that somebody waits for: by its records, and by its launcher, which
/// it asks with growing pauses. It has the job released when that was requeued.
class StateWatch {
 public:
  /// The state is that of the records at first. `submitter` has submitted the run; nullptr: another
  /// ddpsubmit has. `resolver` and `context` outlive the watch.
  StateWatch(RunPointer pointer, Launcher* submitter, WaitReasons reasons, StatusResolver& resolver,
             Context& context);

  enum class Run { goes_on, is_over };

  /// The watch looks at the records, and asks the launcher when that is due.
  [[nodiscard]] Run look();
  /// The state as it was known at the last look.
  [[nodiscard]] const RunStatus& status() const { return status_; }

 private:
  [[nodiscard]] Run tend(const RunStatus& status);
  void ask();
  void release();

  RunPointer pointer_;
  Launcher* submitter_;
  StatusResolver& resolver_;
  Context& context_;
  StateNotes notes_;
  RunStatus status_;
  QuestionPauses pauses_;
  RequeueRelease release_;
};

}  // namespace ddp::cli
