#pragma once

#include <string_view>

namespace ddp::agent {

/// What the kernel says that a process does.
enum class ProcessState {
  running,
  sleeping,
  in_kernel,  ///< in a call that no signal interrupts
  stopped,    ///< by a signal
  traced,     ///< stopped by a debugger
  unknown,
};
[[nodiscard]] std::string_view name_of(ProcessState state);
[[nodiscard]] constexpr bool is_stopped(ProcessState state) {
  return state == ProcessState::stopped || state == ProcessState::traced;
}

/// From the text of a stat file in /proc.
[[nodiscard]] ProcessState parse_process_state(std::string_view stat);

/// Of the main thread of a process.
[[nodiscard]] ProcessState load_main_thread_state(int pid);
/// The same, but in_kernel when any thread is.
[[nodiscard]] ProcessState load_process_state(int pid);

}  // namespace ddp::agent
