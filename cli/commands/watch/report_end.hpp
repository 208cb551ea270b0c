#pragma once

#include <string_view>

#include "cli/commands/command.hpp"
#include "cli/commands/watch/follow_end.hpp"

namespace ddp::cli {

/// A command reports on one run or on several: as JSON several are one line each.
enum class Answers { one, several };

/// This says how the run ended, and returns the exit code: 0 succeeded, 1 ended otherwise, 7 unknown, 8 timed
/// out while it goes on, 130 and 143 after a signal.
[[nodiscard]] Outcome report_end(std::string_view schema, const FollowEnd& end, Context& context,
                                 Answers answers = Answers::one);

}  // namespace ddp::cli
