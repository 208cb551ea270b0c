#pragma once

#include <string>

namespace ddp::agent {

/// Whether the hosts see one run folder, or each has its own.
enum class RunDirs { shared, own };

/// What one rank of `ddpsubmit doctor` is told.
struct ProbeArguments {
  std::string trainer;  ///< ddptrain, absolute; empty: there is none
  std::string program;  ///< the first word of `command:`, to look for; empty: there is none
  RunDirs run_dirs = RunDirs::shared;
};

}  // namespace ddp::agent
