#pragma once

#include <functional>

namespace ddp {

/// A system call that a traced child is about to make.
struct SystemCall {
  int index = 0;    ///< counted from 0 over the child's life
  long number = 0;  ///< SYS_…
};

/// What is to happen with it: 0 let it pass, kKill end the child by SIGKILL before it, else fail it with this
/// errno.
using Intervention = std::function<int(const SystemCall&)>;
inline constexpr int kKill = -1;

enum class ChildEnd { returned, threw, killed, not_traceable };

/// Forks, runs `body` in the child with ptrace, and asks `intervene` before each of its system calls.
[[nodiscard]] ChildEnd run_traced(const std::function<void()>& body, const Intervention& intervene);

}  // namespace ddp
