#pragma once

#include <string>

namespace ddp::agent {

/// What one rank of `ddpsubmit doctor` is told.
struct ProbeArguments {
  std::string trainer;  ///< ddptrain, absolute; empty: there is none
  std::string program;  ///< the first word of `command:`, to look for; empty: there is none
};

}  // namespace ddp::agent
