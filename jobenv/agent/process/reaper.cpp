#include "jobenv/agent/process/reaper.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {
namespace {

/// The parent of `pid`, 0 when it cannot be read. In /proc/PID/stat the command, which may hold anything,
/// ends at the last ')'.
pid_t parent_of(pid_t pid) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", static_cast<int>(pid));
  const FileDescriptor file(open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text{};
  if (!file.is_open() || read(file.get(), text.data(), text.size() - 1) <= 0) return 0;
  const char* rest = std::strrchr(text.data(), ')');
  int parent = 0;
  return rest != nullptr && std::sscanf(rest, ") %*c %d", &parent) == 1 ? parent : 0;
}

void kill_children() {
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return;
  const pid_t self = getpid();
  while (const dirent* entry = readdir(folder)) {
    const pid_t pid = std::atoi(entry->d_name);
    // A child's number cannot be taken by a stranger: it stays a zombie until this process reaps it.
    if (pid > 0 && parent_of(pid) == self) kill(pid, SIGKILL);
  }
  closedir(folder);
}

}  // namespace

void become_subreaper() {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

Children sweep_round(const std::function<void(pid_t, int)>& reaped) {
  int status = 0;
  pid_t pid = 0;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) reaped(pid, status);
  if (pid < 0 && errno == ECHILD) return Children::none;
  kill_children();
  return Children::remain;
}

void sweep_until_empty() {
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  const timespec pause{0, 10'000'000};
  while (sweep_round([](pid_t, int) {}) == Children::remain) sigtimedwait(&child_ended, nullptr, &pause);
}

}  // namespace ddp::agent
