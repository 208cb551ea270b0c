#include "jobenv/agent/protocol/process_state.hpp"

#include <array>

namespace ddp::agent {

std::string_view name_of(ProcessState state) {
  constexpr std::array<std::string_view, 6> kNames = {"running", "sleeping", "in_kernel",
                                                      "stopped", "traced",   "unknown"};
  return kNames.at(static_cast<std::size_t>(state));
}

}  // namespace ddp::agent
