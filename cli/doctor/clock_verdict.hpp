#pragma once

#include "cli/doctor/finding.hpp"

namespace ddp::cli {

/// What the kernel says of its clock: adjtimex tells whether something keeps it right.
enum class ClockState { synchronized, unsynchronized, unknown };

/// Pure.
[[nodiscard]] Finding judge_own_clock(ClockState state);

/// A node's clock against head's, with the uncertainty of the comparison: a warning from a second, when times
/// in logs mislead, an error from a minute, when munge and time limits are at risk. Pure.
[[nodiscard]] Finding judge_node_clock(double offset_seconds, double uncertainty_seconds);

}  // namespace ddp::cli
