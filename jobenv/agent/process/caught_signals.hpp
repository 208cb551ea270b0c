#pragma once

#include <sys/types.h>

namespace ddp::agent {

/// Whether a process has a handler of `signal`, or the one that it only waits for has: the only child of a
/// shell, and so on.
[[nodiscard]] bool catches_signal(pid_t pid, int signal);

}  // namespace ddp::agent
