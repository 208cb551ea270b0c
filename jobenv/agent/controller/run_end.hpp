#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "jobenv/agent/protocol/recurrence.hpp"
#include "jobenv/record/events/cause.hpp"
#include "jobenv/record/exit_record.hpp"
#include "jobenv/record/run_state.hpp"

namespace ddp::agent {

/// Why a run was asked to stop.
enum class StopReason {
  cancel,
  interrupt,
  time_limit,
  preempted,
  detached_submitter,
  requeued,     ///< by somebody, from outside
  node_failed,  ///< a node of the job
  taken_back,   ///< by the scheduler, which starts the job again and does not say why
};
[[nodiscard]] std::string_view name_of(StopReason reason);
/// The scheduler takes the nodes, before the run is over.
[[nodiscard]] constexpr bool is_taken_back(StopReason reason) {
  return reason == StopReason::preempted || reason == StopReason::requeued ||
         reason == StopReason::node_failed || reason == StopReason::taken_back;
}

/// How the words of a cause follow its subject: "rank 2: cannot start …", "rank 2 was killed …", where the
/// step is told after them, and "rank 2 made no progress in step 121 …", where they tell it.
enum class Phrase { statement, predicate, predicate_with_step };

/// What went wrong first.
struct Failure {
  std::string what;  ///< "was killed by signal 9 (KILL)", "cannot start 'foo': No such file or directory"
  Phrase phrase = Phrase::statement;
  std::string host;                ///< empty: no host in particular
  std::optional<ExitRecord> rank;  ///< of the rank to blame, if it is one; has no end if it was named alive
  std::string output_tail = {};    ///< the end of what it printed, if it is no rank
  Recurrence recurrence = Recurrence::possible;
  /// When the rank ended, or last advanced if it was named alive, by its host's clock; or when a lost agent
  /// was last heard, by head's. nullopt: not known.
  std::optional<std::chrono::system_clock::time_point> since = {};
  bool agent_lost = false;  ///< that is what went wrong
  std::string before = {};  ///< what had happened before it: "rank 1 had ended with exit code 0"
};

/// The last word on a run.
struct RunEnd {
  RunState state = RunState::failed;
  int exit_code = 1;  ///< of head
  std::string message;
  std::optional<Failure> cause;
  std::optional<std::uint64_t> last_step = {};                ///< that any rank has finished
  std::optional<std::uint64_t> checkpoint_milliseconds = {};  ///< that the last checkpoint took
  int killed = 0;                                             ///< ranks that did not leave by themselves
  int stop_signal = 0;                                        ///< that asked for the stop; 0: none
  std::string unhandled_signal = {};  ///< the stop signal that all ranks died of: "USR1"; empty: none
  bool agent_lost = false;            ///< since ranks were last started: its node may be dead
  bool taken_back = false;            ///< the scheduler wanted the nodes, or lost one
};

/// As the ledger tells of it.
[[nodiscard]] Cause cause_of(const Failure& failure);

/// A run that failed before it had ranks.
[[nodiscard]] RunEnd make_early_failure(const std::string& message, const std::string& host);

}  // namespace ddp::agent
