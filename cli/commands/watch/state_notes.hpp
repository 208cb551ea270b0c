#pragma once

#include <string>
#include <utility>

#include "cli/output/reporter.hpp"
#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// Somebody who looks for lines is told why there are none while the run waits.
enum class WaitReasons { skip, tell };

/// StateNotes tells what a launcher says of a run, whenever that changes: that it knows nothing, that it
/// knows the state again, and why the run waits.
class StateNotes {
 public:
  /// `reporter` outlives this object.
  StateNotes(std::string run_id, WaitReasons reasons, Reporter& reporter)
      : run_id_(std::move(run_id)), reasons_(reasons), reporter_(reporter) {}

  /// `seen` is what the launcher says now.
  void tell(const RunStatus& seen);

 private:
  enum class Known { no, yes };

  void tell_knowledge(const RunStatus& seen);
  void tell_wait(const RunStatus& seen);

  std::string run_id_;
  WaitReasons reasons_;
  Reporter& reporter_;
  Known known_ = Known::yes;  // whether the launcher could tell the state when it was asked
  std::string reason_told_;
};

}  // namespace ddp::cli
