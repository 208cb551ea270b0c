#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "jobenv/agent/scheduler/requeue_policy.hpp"
#include "jobenv/record/events/events.hpp"

namespace ddp::agent {

/// `attempt` has ended, its last step is `last_step`, and another one follows in
/// the next start of the job by `scheduler`. `advice` is said besides; empty: nothing.
[[nodiscard]] event::Requeued describe_requeue(const std::string& scheduler, int attempt, StopReason reason,
                                               const RequeueContext& context,
                                               std::optional<std::uint64_t> last_step,
                                               const std::string& advice);

}  // namespace ddp::agent
