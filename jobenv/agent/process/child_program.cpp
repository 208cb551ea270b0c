#include "jobenv/agent/process/child_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>

#include "jobenv/record/exec_strings.hpp"

namespace ddp::agent {
namespace {

/// posix_spawn cannot set limits; the child takes the parent's, which has one thread.
class LimitForChild {
 public:
  explicit LimitForChild(const std::optional<rlimit>& limit) : changed_(limit.has_value()) {
    if (changed_ && getrlimit(RLIMIT_NOFILE, &own_) == 0) setrlimit(RLIMIT_NOFILE, &*limit);
  }
  LimitForChild(const LimitForChild&) = delete;
  LimitForChild& operator=(const LimitForChild&) = delete;
  ~LimitForChild() {
    if (changed_) setrlimit(RLIMIT_NOFILE, &own_);
  }

 private:
  bool changed_;
  rlimit own_{};
};

}  // namespace

Expected<pid_t> spawn(const ChildProgram& program) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t blocked;
  sigset_t all;
  sigemptyset(&blocked);
  for (const int signal : program.blocked_signals) sigaddset(&blocked, signal);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (program.output >= 0) posix_spawn_file_actions_adddup2(&files, program.output, STDOUT_FILENO);
  if (program.errors >= 0) posix_spawn_file_actions_adddup2(&files, program.errors, STDERR_FILENO);
  // Onto itself: that takes FD_CLOEXEC off in the child.
  if (program.inherited >= 0) posix_spawn_file_actions_adddup2(&files, program.inherited, program.inherited);

  const std::vector<std::string> entries = program.environment.entries();
  pid_t pid = -1;
  const LimitForChild limit(program.descriptor_limit);
  const int error = posix_spawnp(&pid, program.argv.front().c_str(), &files, &attributes,
                                 pointers_to(program.argv).data(), pointers_to(entries).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    return fail_errno(ExitCode::run_failed, "cannot start '" + program.argv.front() + "'", error);
  return pid;
}

}  // namespace ddp::agent
