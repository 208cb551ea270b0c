#include "tests/unit/jobenv/agent/agent_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "jobenv/record/exec_strings.hpp"
#include "tests/support/places.hpp"
#include "tests/unit/jobenv/agent/eventually.hpp"

namespace ddp::agent {

AgentProcess::AgentProcess(const std::vector<std::string>& arguments, const EnvMap& environment,
                           const std::string& setup, int inherited) {
  std::vector<std::string> argv = {"/bin/sh", "-c", setup + "\nexec \"$@\"", "sh",
                                   build_path("bin/ddp-agent")};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const std::vector<std::string> entries = environment.entries();
  pid_ = fork();
  if (pid_ != 0) return;
  if (inherited >= 0) fcntl(inherited, F_SETFD, 0);
  execve(argv.front().c_str(), pointers_to(argv).data(), pointers_to(entries).data());
  _exit(127);
}

AgentProcess::~AgentProcess() {
  if (end_) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void AgentProcess::send(int signal) const {
  kill(pid_, signal);
}

int AgentProcess::wait() {
  int status = 0;
  if (!end_ && eventually([&] { return waitpid(pid_, &status, WNOHANG) == pid_; })) {
    end_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return end_.value_or(-1);
}

}  // namespace ddp::agent
