#pragma once

#include <chrono>
#include <string>

#include "jobenv/agent/protocol/process_state.hpp"

/// The words for ranks that do not advance.
namespace ddp::agent {

/// "8.5 s", "61 s"
[[nodiscard]] std::string render_seconds(std::chrono::milliseconds time);
/// "its process is stopped"
[[nodiscard]] std::string render_process(ProcessState process);

}  // namespace ddp::agent
