#pragma once

#include "ddp/jobenv/progress_page.hpp"

namespace ddp::trainer {

/// What of a run would be lost without a checkpoint.
enum class AtStake { steps, nothing };

/// Tells whether this rank is asked to stop. Where no steps are at stake only an order counts: an evaluation
/// may be done before the time limit.
[[nodiscard]] bool is_asked_to_stop(const ProgressPage& page, AtStake at_stake);

}  // namespace ddp::trainer
