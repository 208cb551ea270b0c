#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ddp::cli {

/// What `sbatch --parsable` prints: ID or ID;CLUSTER.
struct SbatchAnswer {
  std::string job_id;
  std::string cluster;
  bool operator==(const SbatchAnswer&) const = default;
};
/// nullopt for anything else.
[[nodiscard]] std::optional<SbatchAnswer> parse_sbatch_answer(std::string_view text);

/// What sbatch's failure tells of the job.
enum class SubmitFailure {
  refused,     ///< the controller, or sbatch itself, said no
  not_queued,  ///< the controller was not reached or took no requests: it can be tried again
  unknown      ///< the request, or the answer, was lost on the way: there may be a job
};
/// `sbatch_stderr`: all that sbatch said before it exited with another code than 0. Words that are not known
/// are a refusal.
[[nodiscard]] SubmitFailure classify_submit_failure(std::string_view sbatch_stderr);

}  // namespace ddp::cli
