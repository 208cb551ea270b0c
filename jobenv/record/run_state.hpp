#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddp {

/// Of a run, and of an attempt that has ended.
enum class RunState {
  queued,
  running,
  restarting,
  succeeded,
  failed,
  timed_out,
  preempted,
  cancelled,
  unknown,
  requeued,  ///< of an attempt only: the run continues in another start of its job
};

[[nodiscard]] std::string_view name_of(RunState state);
/// The name for a person to read: "timed out".
[[nodiscard]] std::string words_of(RunState state);
/// The same of a name that a record holds: that of a state, or another outcome of an attempt.
[[nodiscard]] std::string words_of(std::string_view name);
/// `unknown` for a word that is not the state of a run.
[[nodiscard]] RunState parse_run_state(std::string_view word);
/// Of all states of a run, in the order of its life.
[[nodiscard]] std::vector<std::string> run_state_names();
/// Whether the state stays: true for succeeded, failed, timed_out, preempted and cancelled.
[[nodiscard]] bool is_final(RunState state);

}  // namespace ddp
