#pragma once

#include <functional>

#include "trainer/app/failure.hpp"

namespace ddp::trainer {

/// Ends the process at once, after the message of `failure` on stderr and then what `settle` does: destroying
/// a group that has lost a peer would wait for it. The first thread that leaves says how: any other one waits
/// for it.
[[noreturn]] void leave(
    int rank, const Failure& failure, const std::function<void()>& settle = [] {});

/// Makes an exception that nobody catches end this rank as one that its main thread throws does. NCCL's
/// watchdog tells in this way that a collective has not ended in time. `settle` is called in the thread of
/// the exception: other threads may be anywhere. To be called before there are other threads.
void leave_when_uncaught(
    int rank, std::function<void()> settle = [] {});

}  // namespace ddp::trainer
