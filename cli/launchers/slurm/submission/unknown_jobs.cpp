#include "cli/launchers/slurm/submission/unknown_jobs.hpp"

#include <algorithm>

#include "cli/launchers/slurm/submission/token_lookup.hpp"
#include "cli/store/recorded_jobs.hpp"

namespace ddp::cli {
namespace {

using Jobs = std::vector<std::string>;

constexpr std::chrono::seconds kBeforeSecondLook{2};

/// Without --states squeue shows what has not left the queue, whatever else its state says.
Expected<std::vector<JobLog>> ask_for_open_logs(std::span<const LostJob> lost, const SlurmTools& tools) {
  const auto result = tools.ask({"squeue", "--me", "--noheader", "--all", "--Format=" + log_format(lost)});
  if (result && result->succeeded()) return parse_job_logs(result->out);
  return fail(ExitCode::outcome_unknown, explain_failure(result));
}

Jobs select_unknown(const LostJob& lost, const JobsByToken& by_token, std::span<const JobLog> logs) {
  const auto known = load_answered_jobs(lost.folder);
  Jobs jobs = find_by_log(lost, logs, known);
  const auto found = by_token.find(lost.token);
  if (lost.token.empty() || found == by_token.end()) return jobs;
  for (const auto& job : found->second) {
    if (!known.contains(job) && std::ranges::find(jobs, job) == jobs.end()) jobs.push_back(job);
  }
  return jobs;
}

Expected<std::vector<Jobs>> look(std::span<const LostJob> lost, const SlurmTools& tools) {
  const auto by_token = ask_for_tokens(tools, JobsAsked::in_queue);
  if (!by_token) return tl::unexpected(by_token.error());
  const auto logs = ask_for_open_logs(lost, tools);
  if (!logs) return tl::unexpected(logs.error());
  std::vector<Jobs> unknown;
  for (const auto& job : lost) unknown.push_back(select_unknown(job, *by_token, *logs));
  return unknown;
}

}  // namespace

Expected<std::vector<Jobs>> find_unknown_slurm_jobs(std::span<const LostJob> lost, const SlurmTools& tools) {
  auto jobs = look(lost, tools);
  if (!jobs || !std::ranges::all_of(*jobs, &Jobs::empty)) return jobs;
  tools.clock().sleep(kBeforeSecondLook);
  return look(lost, tools);
}

}  // namespace ddp::cli
