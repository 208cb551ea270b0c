#include "jobenv/agent/process/orphans.hpp"

#include <unistd.h>

#include <algorithm>

#include "jobenv/agent/process/process_stat.hpp"
#include "jobenv/agent/process/process_tree.hpp"
#include "jobenv/record/files/proc_file.hpp"

namespace ddp::agent {
namespace {

std::string load(pid_t pid, const char* file) {
  return load_proc_file("/proc/" + std::to_string(pid) + "/" + file);
}

/// While a process becomes another program, it has no environment and no command line.
bool may_have_entry(pid_t pid, const std::string& entry) {
  const std::string environment = load(pid, "environ");
  if (environment.empty()) return load(pid, "cmdline").empty();
  return ('\0' + environment).find('\0' + entry + '\0') != environment.npos;
}

/// A zombie has none of the states that ProcessState names.
bool lives(pid_t pid) {
  return load_main_thread_state(pid) != ProcessState::unknown;
}

}  // namespace

std::vector<pid_t> find_orphans(pid_t of, const std::string& mark, const std::vector<pid_t>& others) {
  std::vector<pid_t> orphans;
  for (const pid_t child : children_of(getpid())) {
    if (child == of || std::ranges::count(others, child) > 0) continue;
    for (const pid_t pid : process_tree(child)) {
      if ((getpgid(pid) == of || may_have_entry(pid, mark)) && lives(pid)) orphans.push_back(pid);
    }
  }
  return orphans;
}

std::string describe_processes(const std::vector<pid_t>& processes) {
  std::string text;
  for (const pid_t pid : processes)
    text += (text.empty() ? "" : ", ") + process_name(pid) + " (pid " + std::to_string(pid) + ")";
  return text;
}

}  // namespace ddp::agent
