#include "jobenv/agent/stack/stack_process.hpp"

#include <sys/syscall.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>

#include "jobenv/agent/process/process_tree.hpp"
#include "jobenv/agent/process/process_usage.hpp"
#include "jobenv/record/files/proc_file.hpp"

namespace ddp::agent {
namespace {

constexpr int kDeepestWrapper = 4;

std::string proc_of(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

std::uint64_t memory_of(pid_t pid) {
  return parse_process_usage(load_proc_file(proc_of(pid) + "/stat")).memory_bytes;
}

std::ptrdiff_t count_threads(pid_t pid) {
  std::error_code error;
  return std::distance(std::filesystem::directory_iterator(proc_of(pid) + "/task", error), {});
}

bool has_memfd(pid_t pid, int descriptor, const std::string& name) {
  std::error_code error;
  const auto target =
      std::filesystem::read_symlink(proc_of(pid) + "/fd/" + std::to_string(descriptor), error);
  return !error && target.string().find("memfd:" + name) != std::string::npos;
}

/// Those in which a program waits.
const std::map<long, const char*>& names_of_system_calls() {
  static const std::map<long, const char*> names = {
      {SYS_read, "read"},
      {SYS_write, "write"},
      {SYS_futex, "futex"},
      {SYS_ppoll, "ppoll"},
      {SYS_pselect6, "pselect6"},
      {SYS_epoll_pwait, "epoll_pwait"},
      {SYS_nanosleep, "nanosleep"},
      {SYS_clock_nanosleep, "clock_nanosleep"},
      {SYS_wait4, "wait4"},
      {SYS_waitid, "waitid"},
      {SYS_recvfrom, "recvfrom"},
      {SYS_recvmsg, "recvmsg"},
      {SYS_sendto, "sendto"},
      {SYS_sendmsg, "sendmsg"},
      {SYS_accept4, "accept4"},
      {SYS_connect, "connect"},
      {SYS_fsync, "fsync"},
      {SYS_ioctl, "ioctl"},
      {SYS_flock, "flock"},
      {SYS_rt_sigsuspend, "rt_sigsuspend"},
      {SYS_rt_sigtimedwait, "rt_sigtimedwait"},
      {SYS_restart_syscall, "restart_syscall"},
#ifdef SYS_poll  // newer architectures have none of these
      {SYS_poll, "poll"},
      {SYS_select, "select"},
      {SYS_epoll_wait, "epoll_wait"},
      {SYS_pause, "pause"},
      {SYS_accept, "accept"},
#endif
  };
  return names;
}

}  // namespace

pid_t find_working_process(pid_t rank) {
  pid_t pid = rank;
  for (int depth = 0; depth < kDeepestWrapper; ++depth) {
    const auto children = children_of(pid);
    if (children.size() != 1 || count_threads(pid) > 1 || memory_of(children.front()) <= memory_of(pid))
      break;
    pid = children.front();
  }
  return pid;
}

std::optional<pid_t> find_owner_of_memfd(pid_t rank, int descriptor, const std::string& name) {
  const auto tree = process_tree(rank, kDeepestWrapper);
  const auto owner = std::ranges::find_if(tree, [&](pid_t pid) { return has_memfd(pid, descriptor, name); });
  return owner == tree.end() ? std::nullopt : std::optional(*owner);
}

/// proc(5): "running", or the number of the call and its arguments; -1: it is in none.
std::vector<std::string> load_kernel_frames(pid_t pid) {
  std::istringstream text(load_proc_file(proc_of(pid) + "/syscall"));
  long number = -1;
  if (!(text >> number) || number < 0) return {};
  const auto& names = names_of_system_calls();
  const auto name = names.find(number);
  return {"the system call " + (name == names.end() ? std::to_string(number) : std::string(name->second))};
}

}  // namespace ddp::agent
