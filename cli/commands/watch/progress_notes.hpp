#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "cli/output/reporter.hpp"
#include "cli/store/run_store.hpp"
#include "cli/system/clock.hpp"

namespace ddp::cli {

/// ProgressNotes tells how far a run is where no terminal shows it: after a minute in which its ranks printed
/// nothing, and then with growing pauses.
class ProgressNotes {
 public:
  static constexpr std::chrono::minutes kShortest{1};
  static constexpr std::chrono::minutes kLongest{10};

  /// `clock` and `reporter` outlive this object.
  ProgressNotes(RunPointer pointer, const Clock& clock, Reporter& reporter)
      : pointer_(std::move(pointer)), clock_(clock), reporter_(reporter), silent_since_(clock.steady()) {}

  /// The ranks have printed something: the next pause is the shortest one.
  void hear_ranks();
  /// Tells it when that is due, and there are new steps. Reads no file before.
  void look();

 private:
  RunPointer pointer_;
  const Clock& clock_;
  Reporter& reporter_;
  std::chrono::steady_clock::time_point silent_since_;
  std::chrono::minutes pause_ = kShortest;
  int told_attempt_ = 0;
  std::int64_t told_step_ = 0;  // of that attempt
};

}  // namespace ddp::cli
