#pragma once

#include <cstddef>
#include <optional>
#include <set>

#include "cli/output/reporter.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/state/run_state.hpp"
#include "cli/store/sweep_record.hpp"

namespace ddp::cli {

/// RunNews tells what the records of a run say between its start and its end: that a further attempt begins,
/// and why, and that points of a sweep have ended.
class RunNews {
 public:
  /// What `known` holds is not told again. `reporter` outlives this object.
  RunNews(RunPointer pointer, const RunStatus& known, Reporter& reporter);

  /// The newest attempt that was known or told.
  [[nodiscard]] int newest_attempt() const { return newest_attempt_; }
  /// Each attempt after the first is told once.
  void tell_attempts();
  /// Each ended point is told once, while others go on: the table at the end shows them all.
  void tell_points();

 private:
  RunPointer pointer_;
  Reporter& reporter_;
  std::optional<SweepRecord> sweep_;   // nullopt: a single run
  std::set<std::size_t> points_told_;  // that they have ended
  int newest_attempt_;
};

}  // namespace ddp::cli
