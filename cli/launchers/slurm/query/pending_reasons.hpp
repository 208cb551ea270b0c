#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ddp::cli {

/// What a reason of Slurm for a job that waits means, and what can be done about it; a sentence without its
/// full stop. nullopt for a reason that is not known. squeue's form with '_' for blanks is understood, too.
/// `job_id` stands in the commands that are named.
[[nodiscard]] std::optional<std::string> explain_pending(std::string_view reason, const std::string& job_id);

}  // namespace ddp::cli
