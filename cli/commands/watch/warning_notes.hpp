#pragma once

#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "cli/output/reporter.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/state/run_state.hpp"
#include "cli/system/clock.hpp"

namespace ddp::cli {

/// WarningNotes tells what head finds strange in a run that goes on. It looks for that with growing pauses,
/// because such things show soon after a start.
class WarningNotes {
 public:
  static constexpr std::chrono::seconds kShortest{1};
  static constexpr std::chrono::minutes kLongest{5};

  /// `clock` and `reporter` outlive this object.
  WarningNotes(RunPointer pointer, const Clock& clock, Reporter& reporter)
      : pointer_(std::move(pointer)), clock_(clock), reporter_(reporter), looked_(clock.steady()) {}

  /// Reads no file before that is due.
  void look();
  /// Each warning is told once, however many attempts repeat it.
  void tell(const RunStatus& status);

 private:
  RunPointer pointer_;
  const Clock& clock_;
  Reporter& reporter_;
  std::chrono::steady_clock::time_point looked_;
  std::chrono::seconds pause_ = kShortest;
  std::set<std::string> told_;
};

}  // namespace ddp::cli
