#pragma once

#include <string_view>

#include "jobenv/agent/protocol/process_state.hpp"

namespace ddp::agent {

/// From the text of a stat file in /proc.
[[nodiscard]] ProcessState parse_process_state(std::string_view stat);

/// Of the main thread of a process.
[[nodiscard]] ProcessState load_main_thread_state(int pid);
/// The same, but in_kernel when any thread is.
[[nodiscard]] ProcessState load_process_state(int pid);

}  // namespace ddp::agent
