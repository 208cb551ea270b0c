#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/launch/launcher.hpp"
#include "cli/store/log_reader.hpp"
#include "cli/store/metrics/training_watch.hpp"
#include "cli/store/report/known_run.hpp"

namespace ddp::cli {

/// How following a run ended.
struct FollowEnd {
  enum class Reason { run_ended, interrupted, timed_out };
  Reason reason = Reason::run_ended;
  int signal = 0;  ///< the first that came, also when the run ended because of it
  KnownRun run;
};

struct FollowRequest {
  RunPointer pointer;
  Attachment attachment = Attachment::detached;  ///< attached: INT, and here TERM, are for the run
  std::optional<LogReader> logs = std::nullopt;  ///< nullopt: only wait
  std::function<void(const LogLine&)> on_line = nullptr;
  std::optional<TrainingWatch> training = std::nullopt;  ///< of which the last line of a terminal tells
  std::optional<std::chrono::milliseconds> timeout = std::nullopt;
  Launcher* submitter = nullptr;      ///< that has submitted the run, and tends it meanwhile; nullptr: none
  std::vector<RunPointer> next = {};  ///< waited for after it; their requeued jobs are released meanwhile
};

/// Waits until the run has ended, and hands on what its ranks print until then. On this machine the end is
/// seen at once, elsewhere its records are looked at twice a second and the launcher is asked with growing
/// pauses. INT and TERM end the following, or, when the run is attached, are passed on to its head; of a run
/// elsewhere INT only.
[[nodiscard]] Expected<FollowEnd> follow_run(FollowRequest request, Context& context);

/// Whether a command has one run to report on, or several: as JSON these are one line each.
enum class Answers { one, several };

/// Says how it ended, and gives the exit code: 0 succeeded, 1 ended otherwise, 7 unknown, 8 timed out while
/// it goes on, 130 and 143 after a signal.
[[nodiscard]] Outcome report_end(std::string_view schema, const FollowEnd& end, Context& context,
                                 Answers answers = Answers::one);

}  // namespace ddp::cli
