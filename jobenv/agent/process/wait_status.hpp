#pragma once

#include <string>

namespace ddp::agent {

/// "ended with exit code 3" or "was killed by signal 9 (KILL)", of a status of waitpid.
[[nodiscard]] std::string describe_wait_status(int status);

}  // namespace ddp::agent
