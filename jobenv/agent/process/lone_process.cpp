#include "jobenv/agent/process/lone_process.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "jobenv/record/files/descriptor_table.hpp"

namespace ddp::agent {

Expected<pid_t> fork_lone_process(const GuardedProcess& process, int report_socket) {
  const pid_t self = getpid();
  const pid_t pid = fork();
  if (pid < 0) return fail_errno(ExitCode::run_failed, "cannot fork a process", errno);
  if (pid == 0) {
    close_descriptors_except(std::array{process.input, process.output, report_socket});
    become(process, self, report_socket);
  }
  setpgid(pid, pid);  // in both processes: the group exists before a signal is sent to it
  return pid;
}

}  // namespace ddp::agent
