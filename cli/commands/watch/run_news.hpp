#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/output/reporter.hpp"
#include "cli/store/report/known_run.hpp"
#include "cli/store/run_store.hpp"
#include "cli/store/state/run_state.hpp"
#include "cli/store/sweep_record.hpp"

namespace ddp::cli {

/// RunNews tells what the records of a run say between its start and its end: that a further attempt begins,
/// and why, and that points of a sweep start and end.
class RunNews {
 public:
  /// What `known` holds is not told again, except of `new_points`: points of a sweep that were submitted just
  /// now. `reporter` outlives this object.
  RunNews(RunPointer pointer, const RunStatus& known, const std::vector<int>& new_points, Reporter& reporter);

  /// The newest attempt that was known or told.
  [[nodiscard]] int newest_attempt() const { return newest_attempt_; }
  /// Each attempt after the first is told once, and what most likely caused the failure before it, unless
  /// that is among the lines that were just `shown`: the last one of each rank.
  void tell_attempts(const std::map<int, std::string>& shown = {});
  /// The start and the end of each point are told once.
  void tell_points();
  /// The same of points whose states the caller has read: to read those of a large sweep takes seconds.
  void tell_points(const std::vector<RunStatus>& points);

 private:
  void skip_known_points(const std::vector<RunStatus>& known, const std::vector<int>& new_points);
  [[nodiscard]] KnownRun load_point(std::size_t number, const RunStatus& status) const;

  RunPointer pointer_;
  Reporter& reporter_;
  std::optional<SweepRecord> sweep_;   // nullopt: a single run
  std::set<std::size_t> starts_told_;  // of points
  std::set<std::size_t> ends_told_;    // of points
  int newest_attempt_;
};

}  // namespace ddp::cli
