#include "jobenv/agent/process/process_stat.hpp"

#include <filesystem>
#include <string>

#include "jobenv/record/files/proc_file.hpp"

namespace ddp::agent {
namespace {

bool any_thread_is_in_kernel(int pid) {
  std::error_code error;
  std::filesystem::directory_iterator thread("/proc/" + std::to_string(pid) + "/task", error);
  for (const std::filesystem::directory_iterator end; !error && thread != end; thread.increment(error)) {
    const auto state = parse_process_state(load_proc_file(thread->path().string() + "/stat"));
    if (state == ProcessState::in_kernel) return true;
  }
  return false;
}

}  // namespace

ProcessState parse_process_state(std::string_view stat) {
  // The field before holds the program's name in parentheses, which may hold anything.
  const auto name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return ProcessState::unknown;
  switch (stat[name_end + 2]) {
    case 'R':
      return ProcessState::running;
    case 'S':
      return ProcessState::sleeping;
    case 'D':
      return ProcessState::in_kernel;
    case 'T':
      return ProcessState::stopped;
    case 't':
      return ProcessState::traced;
    default:
      return ProcessState::unknown;
  }
}

ProcessState load_main_thread_state(int pid) {
  return parse_process_state(load_proc_file("/proc/" + std::to_string(pid) + "/stat"));
}

ProcessState load_process_state(int pid) {
  const ProcessState state = load_main_thread_state(pid);
  return !is_stopped(state) && any_thread_is_in_kernel(pid) ? ProcessState::in_kernel : state;
}

}  // namespace ddp::agent
