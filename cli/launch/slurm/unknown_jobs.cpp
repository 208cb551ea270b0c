#include "cli/launch/slurm/unknown_jobs.hpp"

#include <algorithm>
#include <span>

#include "cli/launch/slurm/token_lookup.hpp"
#include "cli/store/recorded_jobs.hpp"

namespace ddp::cli {
namespace {

constexpr std::chrono::seconds kMoment{2};

/// Of the jobs that have not ended.
Expected<std::string> ask_squeue(std::string format, const SlurmTools& tools) {
  const auto result = tools.ask(
      {"squeue", "--me", "--noheader", "--all", "--states=PENDING,RUNNING,SUSPENDED", std::move(format)});
  if (result && result->succeeded()) return result->out;
  return fail(ExitCode::outcome_unknown, explain_failure(result));
}

Expected<std::vector<std::string>> look(const LostJob& lost, const SlurmTools& tools) {
  const auto tokens = ask_squeue("--format=" + std::string(kTokenFormat), tools);
  if (!tokens) return tl::unexpected(tokens.error());
  const auto logs = ask_squeue("--Format=" + log_format(std::span(&lost, 1)), tools);
  if (!logs) return tl::unexpected(logs.error());
  const auto recorded = load_recorded_jobs(lost.folder);
  auto jobs = find_by_log(lost, parse_job_logs(*logs), recorded);
  const auto by_token = parse_job_tokens(*tokens);
  const auto found = by_token.find(lost.token);
  if (lost.token.empty() || found == by_token.end()) return jobs;
  for (const auto& job : found->second) {
    if (!recorded.contains(job) && std::ranges::find(jobs, job) == jobs.end()) jobs.push_back(job);
  }
  return jobs;
}

}  // namespace

Expected<std::vector<std::string>> find_unknown_slurm_jobs(const LostJob& lost, const SlurmTools& tools) {
  auto jobs = look(lost, tools);
  if (!jobs || !jobs->empty()) return jobs;
  tools.clock().sleep(kMoment);
  return look(lost, tools);
}

}  // namespace ddp::cli
