#pragma once

#include <map>

#include "cli/store/run_store.hpp"
#include "cli/store/state/run_state.hpp"

namespace ddp::cli {

/// The run that a point of a sweep is.
[[nodiscard]] RunPointer point_pointer(const RunPointer& sweep, int point);

/// How many points are in each state.
[[nodiscard]] std::map<RunState, int> count_states(const std::vector<RunStatus>& points);

/// The state of a sweep, made of those of its points: `running` from the first start until all have ended,
/// then the gravest of their ends (failed, timed_out, preempted, cancelled, succeeded). It is `unknown` when
/// that is all that is known of the points that go on. Sets times, message and exit code, too.
void combine_points(RunStatus& sweep);

}  // namespace ddp::cli
