#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/record/stacks/rank_stack.hpp"

namespace ddp::agent {

/// Which tools may look at a rank. gdb reads all symbols first: of PyTorch that takes longer than anyone
/// waits for a stack, and a gigabyte for each rank.
enum class StackTools { all, quick };

/// How the main thread of a rank is looked at.
struct StackOptions {
  int rank = 0;
  pid_t pid = 0;  ///< of the rank; it may only wrap the program
  std::chrono::milliseconds patience{0};
  /// A rank in Python that uses the package `ddpsubmit` prints its stack into this memfd at this signal; 0,
  /// -1: it does not.
  int signal = 0;
  int descriptor = -1;
  StackTools tools = StackTools::all;
};

/// Asks, in this order, the rank's own faulthandler, py-spy, eu-stack, gdb and the kernel, and takes the
/// first answer; PATH of `environment` says where the tools are, and they are looked for beside the rank's
/// own program, too. Blocks, for `patience` at most, and longer in a process that nothing interrupts. Tools
/// may trace a process only if this one is a child of the agent that has started it, where the kernel
/// restricts that.
[[nodiscard]] RankStack take_stack(const StackOptions& options, const EnvMap& environment);

}  // namespace ddp::agent
