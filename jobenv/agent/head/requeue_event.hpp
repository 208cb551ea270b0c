#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobenv/agent/scheduler/requeue_policy.hpp"
#include "jobenv/record/events/events.hpp"
#include "jobenv/record/plan/launcher_traits.hpp"

namespace ddp::agent {

/// `attempt` has ended, its last step is `last_step`, and another one follows in
/// the next start of the job by the scheduler. `advice` is said besides; empty: nothing.
[[nodiscard]] event::Requeued describe_requeue(const LauncherTraits& traits, int attempt, StopReason reason,
                                               const RequeueContext& context,
                                               std::optional<std::uint64_t> last_step,
                                               const std::string& advice);

}  // namespace ddp::agent
