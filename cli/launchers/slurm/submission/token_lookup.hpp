#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/slurm/query/slurm_tools.hpp"

/// Finds jobs again by the token that each submission puts into its job's comment.
namespace ddp::cli {

/// Token -> ids of the jobs that have it, oldest first. An array counts as one job. "" stands for jobs
/// without a token.
using JobsByToken = std::map<std::string, std::vector<std::string>>;

/// What squeue prints in kTokenFormat. Lines of another form are passed over.
inline constexpr std::string_view kTokenFormat = "%F|%k";
[[nodiscard]] JobsByToken parse_job_tokens(std::string_view text);

/// Which jobs of this user are asked for.
enum class JobsAsked {
  known,     ///< all that Slurm still knows
  in_queue,  ///< those that have not ended
};
/// With one question. The error has Slurm's words.
[[nodiscard]] Expected<JobsByToken> ask_for_tokens(const SlurmTools& tools,
                                                   JobsAsked asked = JobsAsked::known);

/// What squeue prints in log_format: of one job where its log goes.
struct JobLog {
  std::string job_id;
  std::optional<std::chrono::system_clock::time_point> submitted;  ///< or requeued
  std::string path;  ///< how it begins, with the patterns of Slurm in it, such as %j, and %% for %
  bool operator==(const JobLog&) const = default;
};
/// For squeue's --Format. It fills each path up to a width: one that tells the folders of `lost`, no more.
[[nodiscard]] std::string log_format(std::span<const LostJob> lost);
/// In their order; of an array once. Lines of another form are passed over.
[[nodiscard]] std::vector<JobLog> parse_job_logs(std::string_view text);

/// The ids of those of `logs` that can be the job of a submission, whose log goes into its run folder, oldest
/// first. `recorded`: jobs of the folder whose submissions had an answer. Pure.
[[nodiscard]] std::vector<std::string> find_by_log(const LostJob& lost, std::span<const JobLog> logs,
                                                   const std::set<std::string>& recorded);

/// One sighting a submission, in their order. Where a site has put comments of its own in the place of ours,
/// a job is known by where its log goes, and when it was submitted. A job is absent only if the controller
/// has answered twice, a moment apart, without naming it: a request that it had not read yet when it was
/// first asked is then in its queue. While it does not answer it is asked again, until `patience` is over;
/// that is said while it lasts.
[[nodiscard]] std::vector<JobSighting> look_for_jobs(std::span<const LostJob> lost,
                                                     std::chrono::seconds patience, const SlurmTools& tools);

}  // namespace ddp::cli
