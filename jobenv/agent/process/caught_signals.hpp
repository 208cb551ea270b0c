#pragma once

#include <sys/types.h>

namespace ddp::agent {

/// Whether the process has a handler of `signal`. False, too, if the process does not exist.
[[nodiscard]] bool has_handler(pid_t pid, int signal);

/// Whether a process has a handler of `signal`, or the one that it only waits for has: the only child of a
/// shell, and so on. That shells take INT while they wait says nothing of what they wait for.
[[nodiscard]] bool catches_signal(pid_t pid, int signal);

}  // namespace ddp::agent
