#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "jobenv/agent/controller/run_end.hpp"
#include "jobenv/agent/launchers/slurm/end_notice.hpp"
#include "jobenv/agent/scheduler/job_fate.hpp"

namespace ddp::agent {

/// A job as `scontrol --oneliner show job` tells of it.
struct JobReport {
  std::string state;          ///< RUNNING, COMPLETING, …
  int restarts = 0;           ///< how often it was requeued; counts from the moment of the requeue
  bool preempted = false;     ///< Slurm wants its nodes for another job
  std::string excluded = {};  ///< nodes that it is kept from, as Slurm writes them; empty: none
  /// By its present limit, or when it has ended; nullopt: it has no limit.
  std::optional<std::chrono::system_clock::time_point> end_time = {};
  bool operator==(const JobReport&) const = default;
};
/// nullopt: the text tells of no job.
[[nodiscard]] std::optional<JobReport> parse_job_report(std::string_view text);

/// Slurm shows COMPLETING and the like in place of the end that stands behind it.
[[nodiscard]] bool goes_on(const JobReport& report);

/// `restart_count`: SLURM_RESTART_COUNT of this start of the job.
/// `notice`: what slurmstepd has said; only it tells a scancel in the grace time from the end of that time.
[[nodiscard]] JobFate interpret_report(const std::optional<JobReport>& report, int restart_count,
                                       std::optional<EndNotice> notice = std::nullopt);

/// Why the scheduler stops the ranks of such a job; nullopt: it is not the one who wants it.
[[nodiscard]] std::optional<StopReason> explain_stop(JobFate fate, std::optional<EndNotice> notice);

}  // namespace ddp::agent
