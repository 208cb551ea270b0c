#pragma once

#include <functional>

namespace ddp::agent {

/// Runs `serve` in a child of this process, and once more when a signal has killed it, after nothing of what
/// it had started is left. Returns the code with which it left by itself, or 1 when it was killed several
/// times in a row as soon as it had begun. What is sent to this process is ignored, as it is by agents;
/// killed, it leaves its child alone, which goes on without a keeper.
[[nodiscard]] int keep(const std::function<int()>& serve);

}  // namespace ddp::agent
