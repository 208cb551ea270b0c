#include "cli/launch/slurm/slurm_observer.hpp"

#include <fmt/format.h>

#include "cli/launch/slurm/job_state.hpp"

namespace ddp::cli {
namespace {

/// On Slurm only head itself tells who it is.
HeadTrace head_trace(const RunStatus& run) {
  return run.head ? HeadTrace::started : HeadTrace::none;
}

std::string job_log(const RunStatus& run) {
  return "slurm-" + run.job_id + ".out";
}

Observation observe_job(const SlurmJobState& job, const RunStatus& run) {
  auto observation = interpret(job, head_trace(run));
  if (!run.head && is_final(observation.state)) observation.log = job_log(run);
  return observation;
}

/// A job that squeue does not show has ended long ago, if scontrol does not know it either.
Observation confirm_absence(const RunStatus& run, const SlurmTools& tools) {
  const auto result = tools.ask({"scontrol", "--oneliner", "show", "job", run.job_id});
  if (!result) return {RunState::unknown, result.error().message};
  if (const auto job = result->succeeded() ? parse_scontrol_job(result->out) : std::nullopt)
    return observe_job(*job, run);
  if (!says_no_such_job(result->err))
    return {RunState::unknown, "Slurm does not answer: " + trim_end(result->err)};
  if (run.cancel_requested) return {RunState::cancelled, run.head ? "" : "cancelled before it started"};
  if (run.head) {
    return {RunState::failed,
            fmt::format("Slurm no longer knows job {}, and ddp-agent left no end of the run", run.job_id)};
  }
  return {RunState::failed,
          fmt::format("Slurm no longer knows job {}, and ddp-agent has not started; see logs/slurm-*.out",
                      run.job_id),
          job_log(run)};
}

}  // namespace

std::vector<Observation> observe_jobs(std::span<const RunStatus> runs, const SlurmTools& tools) {
  std::string ids;
  for (const auto& run : runs) {
    if (!run.job_id.empty()) ids += (ids.empty() ? "" : ",") + run.job_id;
  }
  std::vector<Observation> observations;
  for (const auto& run : runs) observations.push_back({run.state, run.message});
  if (ids.empty()) return observations;

  const auto result = tools.ask(
      {"squeue", "--noheader", "--states=all", "--format=" + std::string(kSqueueFormat), "--jobs=" + ids});
  // squeue fails over one job that it does not know, and passes over it when it is one of several.
  const bool answered = result && (result->succeeded() || says_no_such_job(result->err));
  const auto jobs =
      answered && result->succeeded() ? parse_squeue(result->out) : std::map<std::string, SlurmJobState>{};
  for (std::size_t index = 0; index < runs.size(); ++index) {
    if (runs[index].job_id.empty()) continue;
    if (const auto job = jobs.find(runs[index].job_id); job != jobs.end()) {
      observations[index] = observe_job(job->second, runs[index]);
    } else if (answered) {
      observations[index] = confirm_absence(runs[index], tools);
    } else {
      observations[index] = {
          RunState::unknown,
          "Slurm does not answer: " + (result ? trim_end(result->err) : result.error().message)};
    }
  }
  return observations;
}

}  // namespace ddp::cli
