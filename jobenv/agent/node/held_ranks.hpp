#pragma once

#include <vector>

#include "ddp/jobenv/progress_page.hpp"
#include "jobenv/agent/protocol/messages.hpp"

/// The ranks of a command stop after the same step, and no collective of ours is in their program. Head first
/// has all of them held: each waits at the end of its next step. So none goes beyond the newest step that was
/// finished then, plus one, and that is the step after which all of them stop.
namespace ddp::agent {

/// The pages of ranks that live.
using Pages = std::vector<ProgressPage*>;

/// Holds them, if each heeds its page. A rank stores its step and then loads stop_step, without a fence; here
/// membarrier(2) stands between the two, for both sides: a step that is not seen here belongs to a rank that
/// sees the hold.
[[nodiscard]] RanksHeld hold_ranks(const Pages& pages);
void stop_ranks_after(const Pages& pages, const StopAfter& stop);
/// They go on.
void release_ranks(const Pages& pages);

}  // namespace ddp::agent
