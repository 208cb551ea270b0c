#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "cli/commands/watch/requeue_release.hpp"
#include "cli/launch/state/resolve_status.hpp"
#include "cli/store/run_store.hpp"
#include "cli/system/clock.hpp"

namespace ddp::cli {

/// NextReleases has the requeued jobs of those runs released that somebody waits for next: they do not sit
/// out the whole pause because it is not their turn yet.
class NextReleases {
 public:
  /// `resolver` and `clock` outlive this object.
  NextReleases(std::vector<RunPointer> runs, StatusResolver& resolver, const Clock& clock);

  /// This does what is due now. It asks the launcher about those runs whose records say that they were
  /// requeued, and about all of them now and then.
  void release();

 private:
  enum class Known { some, all };

  /// Their places in runs_.
  [[nodiscard]] std::vector<std::size_t> choose();
  /// Whose states are known then.
  [[nodiscard]] Known release_chosen(const std::vector<std::size_t>& chosen);

  std::vector<RunPointer> runs_;
  std::vector<RequeueRelease> releases_;  // of each run
  StatusResolver& resolver_;
  const Clock& clock_;
  std::chrono::steady_clock::time_point next_look_;
  std::chrono::steady_clock::time_point next_question_;  // about all
};

}  // namespace ddp::cli
