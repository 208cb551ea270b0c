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
inline constexpr ProcessState kProcessStates[] = {ProcessState::running,   ProcessState::sleeping,
                                                  ProcessState::in_kernel, ProcessState::stopped,
                                                  ProcessState::traced,    ProcessState::unknown};
[[nodiscard]] std::string_view name_of(ProcessState state);
[[nodiscard]] constexpr bool is_stopped(ProcessState state) {
  return state == ProcessState::stopped || state == ProcessState::traced;
}
/// What counts of a state: from one look to the next a process runs and sleeps as it happens.
[[nodiscard]] constexpr ProcessState settled(ProcessState state) {
  return state == ProcessState::running ? ProcessState::sleeping : state;
}

}  // namespace ddp::agent
