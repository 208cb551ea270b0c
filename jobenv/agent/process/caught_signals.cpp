#include "jobenv/agent/process/caught_signals.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "jobenv/agent/process/process_tree.hpp"
#include "jobenv/record/files/proc_file.hpp"

namespace ddp::agent {
namespace {

constexpr const char* kField = "SigCgt:";

bool is_shell(pid_t pid) {
  constexpr std::array<std::string_view, 7> kShells{"sh", "bash", "dash", "zsh", "ksh", "fish", "tcsh"};
  return std::ranges::find(kShells, process_name(pid)) != kShells.end();
}

}  // namespace

bool has_handler(pid_t pid, int signal) {
  const std::string status = load_proc_file("/proc/" + std::to_string(pid) + "/status");
  const auto at = status.find(kField);
  if (at == status.npos) return false;
  std::uint64_t mask = 0;
  std::istringstream(status.substr(at + std::char_traits<char>::length(kField))) >> std::hex >> mask;
  return (mask >> (signal - 1) & 1) != 0;
}

bool catches_signal(pid_t pid, int signal) {
  for (int generation = 0; generation < 16; ++generation) {
    if (has_handler(pid, signal) && (signal != SIGINT || !is_shell(pid))) return true;
    const auto children = children_of(pid);
    if (children.size() != 1) return false;
    pid = children.front();
  }
  return false;
}

}  // namespace ddp::agent
