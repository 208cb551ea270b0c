#pragma once

#include <sys/types.h>

#include <functional>

namespace ddp::agent {

/// Makes this process the one that its orphaned descendants are handed to.
void become_subreaper();

enum class Children { none, remain };

/// Sends SIGKILL to every child of this process and reaps those that have ended; `reaped` hears of each. Of a
/// subreaper the orphans of the whole tree become children in turn, so rounds until `none` leave nothing
/// alive.
[[nodiscard]] Children sweep_round(const std::function<void(pid_t pid, int status)>& reaped);

/// Rounds until no child is left. Wants SIGCHLD blocked, which ends the pause between two rounds.
void sweep_until_empty();

}  // namespace ddp::agent
