#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"

namespace ddp::agent {

/// A program that an agent starts: a scheduler's tool beside the ranks, or the head of a point.
struct ChildProgram {
  std::vector<std::string> argv;  ///< argv[0] is looked up in head's PATH
  EnvMap environment;
  int output = -1;  ///< descriptor for stdout; -1: head's own
  std::optional<rlimit> descriptor_limit =
      std::nullopt;    ///< RLIMIT_NOFILE to start it with: srun hands its limits to the tasks
  int errors = -1;     ///< descriptor for stderr; -1: head's own
  int inherited = -1;  ///< a descriptor that it keeps under its number; -1: none
  std::vector<int> blocked_signals = {};  ///< never reach it, from its first instruction on
};

/// Starts it in a session of its own, so that what is sent to head's group misses it, with stdin from
/// /dev/null and default signal handling. Returns its pid; the caller reaps it.
[[nodiscard]] Expected<pid_t> spawn(const ChildProgram& program);

}  // namespace ddp::agent
