#include "jobenv/agent/protocol/agent_exit.hpp"

#include <sys/wait.h>

namespace ddp::agent {

std::optional<std::string> describe_agent_exit(int status) {
  if (!WIFEXITED(status)) return std::nullopt;
  if (WEXITSTATUS(status) == kExitNoWelcome) return "head did not accept an agent";
  if (WEXITSTATUS(status) == kExitHeadUnreached) return "an agent could not reach head";
  return std::nullopt;
}

bool tells_of_head(const std::string& log) {
  const std::string name = "ddp-agent: ";
  return log.find(name + kNoWelcome) != log.npos || log.find(name + kHeadUnreached) != log.npos;
}

}  // namespace ddp::agent
