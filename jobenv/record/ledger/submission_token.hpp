#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "jobenv/record/run_folder.hpp"

namespace ddp {

/// What a submission writes into its job's comment, and back; nullopt when the comment is another's.
[[nodiscard]] std::string comment_of_token(std::string_view token);
[[nodiscard]] std::optional<std::string> token_of_comment(std::string_view comment);

/// Reads the token of a run's newest submission from its batch script: from a directive, which is a line that
/// begins with '#', such as "#SBATCH --comment=ddpsubmit:TOKEN". nullopt: there is no script, it cannot be
/// read, or it has no token. The script is written before the ledger records the submission.
[[nodiscard]] std::optional<std::string> load_script_token(const RunFolder& folder);

}  // namespace ddp
