#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "jobenv/record/run_folder.hpp"

namespace ddp {

/// What a submission writes into its job's comment, and back; nullopt when the comment is another's.
[[nodiscard]] std::string comment_of_token(std::string_view token);
[[nodiscard]] std::optional<std::string> token_of_comment(std::string_view comment);

/// The token of the newest submission of a run to a scheduler, as a directive of its batch script has it: a
/// line that begins with '#' and gives the comment behind a '='. nullopt: there is no script, or it cannot be
/// read. The script is written before the ledger tells of the submission.
[[nodiscard]] std::optional<std::string> load_script_token(const RunFolder& folder);

}  // namespace ddp
