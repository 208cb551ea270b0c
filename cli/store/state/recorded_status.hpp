#pragma once

#include "cli/store/run_store.hpp"
#include "cli/store/state/confirmed_successes.hpp"
#include "cli/store/state/run_records.hpp"
#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// The state of a run, of a sweep those of its points, too, by the records alone, and its attempts, by
/// default without their ranks; asks nobody. A folder that is gone gives RunState::unknown. Successes that
/// are `confirmed` are not looked into.
[[nodiscard]] RunStatus load_recorded_status(const RunPointer& pointer, RankEvents ranks = RankEvents::skip,
                                             const ConfirmedSuccesses& confirmed = {});

}  // namespace ddp::cli
