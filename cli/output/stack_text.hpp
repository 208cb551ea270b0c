#pragma once

#include <string>

#include "jobenv/record/stacks/stack_record.hpp"

namespace ddp::cli {

/// Ranks that are in the same place share a paragraph; the fewest come first, as they differ from most:
/// "rank 1 on node2, its process sleeps (py-spy)", and below it the calls, innermost first.
[[nodiscard]] std::string render_stacks(const StackRecord& record);

}  // namespace ddp::cli
