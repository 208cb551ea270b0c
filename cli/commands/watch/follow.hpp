#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/commands/watch/follow_end.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/output/log_text.hpp"
#include "cli/store/log_reader.hpp"
#include "cli/store/metrics/training_watch.hpp"
#include "cli/store/run_store.hpp"

namespace ddp::cli {

struct FollowRequest {
  RunPointer pointer;
  Attachment attachment = Attachment::detached;  ///< attached: INT, and here TERM, are for the run
  std::optional<LogReader> logs = std::nullopt;  ///< nullopt: only wait
  std::function<void(const LogLine&)> on_line = nullptr;
  LogMarks marks = {};  ///< of a line that a rank rewrites: the last line of a terminal
  std::optional<TrainingWatch> training = std::nullopt;  ///< of which the last line of a terminal tells
  std::optional<std::chrono::milliseconds> timeout = std::nullopt;
  Launcher* submitter = nullptr;      ///< that has submitted the run, and tends it meanwhile; nullptr: none
  std::vector<int> new_points = {};   ///< of a sweep, submitted just now: all that becomes of them is told
  std::vector<RunPointer> next = {};  ///< waited for after it; their requeued jobs are released meanwhile
};

/// Waits until the run has ended, and hands on what its ranks print until then. On this machine the end is
/// seen at once, elsewhere its records are looked at twice a second and the launcher is asked with growing
/// pauses. INT and TERM end the following, or, when the run is attached, are passed on to its head; of a run
/// elsewhere INT only.
[[nodiscard]] Expected<FollowEnd> follow_run(FollowRequest request, Context& context);

}  // namespace ddp::cli
