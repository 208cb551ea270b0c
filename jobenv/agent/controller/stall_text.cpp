#include "jobenv/agent/controller/stall_text.hpp"

#include <array>
#include <cstdio>

namespace ddp::agent {

std::string render_seconds(std::chrono::milliseconds time) {
  const double count = std::chrono::duration<double>(time).count();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), count < 9.95 ? "%.1f s" : "%.0f s", count);
  return text.data();
}

std::string render_process(ProcessState process) {
  switch (process) {
    case ProcessState::running:
      return "its process is running";
    case ProcessState::sleeping:
      return "its process is sleeping";
    case ProcessState::in_kernel:
      return "its process is blocked in the kernel (uninterruptible sleep)";
    case ProcessState::stopped:
      return "its process is stopped";
    case ProcessState::traced:
      return "its process is stopped by a debugger";
    case ProcessState::unknown:
      break;
  }
  return "the state of its process is unknown";
}

}  // namespace ddp::agent
