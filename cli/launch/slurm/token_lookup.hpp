#pragma once

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launch/slurm/slurm_tools.hpp"

/// Finds jobs again by the token that each submission puts into its job's comment.
namespace ddp::cli {

/// Token -> ids of the jobs that have it, oldest first. An array counts as one job.
using JobsByToken = std::map<std::string, std::vector<std::string>>;

/// What squeue prints in kTokenFormat. Jobs of others, and lines of another form, are passed over.
inline constexpr std::string_view kTokenFormat = "%F|%k";
[[nodiscard]] JobsByToken parse_job_tokens(std::string_view text);

/// All jobs of this user that Slurm still knows, with one question. The error has Slurm's words.
[[nodiscard]] Expected<JobsByToken> ask_for_tokens(const SlurmTools& tools);

/// One sighting a token, in their order. A job is absent only if the controller has answered twice, a moment
/// apart, without naming it: a request that it had not read yet when it was first asked is then in its queue.
/// While it does not answer it is asked again, until `patience` is over; that is said while it lasts.
[[nodiscard]] std::vector<JobSighting> look_for_jobs(std::span<const std::string> tokens,
                                                     std::chrono::seconds patience, const SlurmTools& tools);

}  // namespace ddp::cli
