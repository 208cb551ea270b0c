#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "jobenv/record/run_folder.hpp"

namespace ddp {

/// What stands before the token of a submission in the comment of its job.
inline constexpr std::string_view kCommentPrefix = "ddpsubmit:";

/// The token of the newest submission of a run to a scheduler, as a directive of its batch script, a line
/// that begins with '#', has it. nullopt: there is no script, or it cannot be read. The script is written
/// before the ledger tells of the submission.
[[nodiscard]] std::optional<std::string> load_script_token(const RunFolder& folder);

}  // namespace ddp
