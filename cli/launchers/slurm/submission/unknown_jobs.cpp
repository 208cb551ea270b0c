#include "cli/launchers/slurm/submission/unknown_jobs.hpp"

#include <algorithm>

#include "cli/launchers/slurm/submission/token_lookup.hpp"
#include "cli/store/recorded_jobs.hpp"

namespace ddp::cli {
namespace {

using Jobs = std::vector<std::string>;

constexpr std::chrono::seconds kBeforeSecondLook{2};

/// Without --states squeue shows what has not left the queue, whatever else its state says.
Expected<std::string> ask_squeue(std::string format, const SlurmTools& tools) {
  const auto result = tools.ask({"squeue", "--me", "--noheader", "--all", std::move(format)});
  if (result && result->succeeded()) return result->out;
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
  const auto tokens = ask_squeue("--format=" + std::string(kTokenFormat), tools);
  if (!tokens) return tl::unexpected(tokens.error());
  const auto logs = ask_squeue("--Format=" + log_format(lost), tools);
  if (!logs) return tl::unexpected(logs.error());
  const auto by_token = parse_job_tokens(*tokens);
  const auto all_logs = parse_job_logs(*logs);
  std::vector<Jobs> unknown;
  for (const auto& job : lost) unknown.push_back(select_unknown(job, by_token, all_logs));
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
