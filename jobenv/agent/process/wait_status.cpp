#include "jobenv/agent/process/wait_status.hpp"

#include <sys/wait.h>

#include "jobenv/record/signal_name.hpp"

namespace ddp::agent {

std::string describe_wait_status(int status) {
  if (!WIFSIGNALED(status)) return "ended with exit code " + std::to_string(WEXITSTATUS(status));
  return "was killed by signal " + std::to_string(WTERMSIG(status)) + " (" + signal_name(WTERMSIG(status)) +
         ")";
}

}  // namespace ddp::agent
