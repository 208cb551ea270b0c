#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"

namespace ddp::agent {

/// A ddp-agent that runs beside the test. Destroyed, it is killed.
class AgentProcess {
 public:
  /// `setup` is shell that runs before the agent, in its process. `inherited` stays open under its number.
  AgentProcess(const std::vector<std::string>& arguments, const EnvMap& environment,
               const std::string& setup = "", int inherited = -1);
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;
  ~AgentProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  void send(int signal) const;

  /// Its exit code, or 128 + the signal that ended it; -1 when it does not end.
  [[nodiscard]] int wait();

 private:
  pid_t pid_ = -1;
  std::optional<int> end_;
};

}  // namespace ddp::agent
