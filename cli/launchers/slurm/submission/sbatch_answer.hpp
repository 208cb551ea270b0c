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

/// Whether it can be the id of a job, of none of its tasks.
[[nodiscard]] bool is_job_number(std::string_view text);

/// What sbatch's failure tells of the job.
enum class SubmitFailure {
  refused,     ///< somebody said no; a site's plugin may say so of a job that was queued
  not_queued,  ///< the controller was not reached or took no requests: it can be tried again
  lost         ///< the request, or the answer, was lost on the way: there may be a job
};
/// `sbatch_stderr`: all that sbatch said before it exited with `code`, which is not 0. Words that nobody
/// knows are a refusal.
[[nodiscard]] SubmitFailure classify_submit_failure(int code, std::string_view sbatch_stderr);

/// Whether sbatch says that the queue is full, and that it tries again by itself.
[[nodiscard]] bool says_queue_is_full(std::string_view sbatch_stderr);
/// Whether it has given up trying.
[[nodiscard]] bool says_queue_stayed_full(std::string_view sbatch_stderr);

}  // namespace ddp::cli
