#include "jobenv/agent/launchers/slurm/job_report.hpp"

#include <algorithm>
#include <array>

#include "jobenv/agent/launchers/slurm/slurm_job.hpp"
#include "jobenv/record/scontrol_job.hpp"

namespace ddp::agent {

std::optional<JobReport> parse_job_report(std::string_view text) {
  auto job = parse_scontrol_job(text);
  if (!job) return std::nullopt;
  return JobReport{.state = std::move(job->state),
                   .restarts = job->restarts,
                   .preempted = !job->preempted.empty(),
                   .excluded = std::move(job->excluded),
                   .end_time = parse_slurm_time(job->end)};
}

bool goes_on(const JobReport& report) {
  constexpr std::array<std::string_view, 7> kWords = {"RUNNING",   "SUSPENDED", "CONFIGURING", "RESIZING",
                                                      "SIGNALING", "STOPPED",   "STAGE_OUT"};
  return std::ranges::find(kWords, report.state) != kWords.end();
}

JobFate interpret_report(const std::optional<JobReport>& report, int restart_count,
                         std::optional<EndNotice> notice) {
  if (!report) return JobFate::unknown;
  if (report->restarts > restart_count) return JobFate::taken_back;
  const bool running = goes_on(*report);
  const bool cancelled = notice == EndNotice::cancelled && !running;
  if (report->preempted && !cancelled) return running ? JobFate::giving_way : JobFate::evicted;
  return running ? JobFate::running : JobFate::ending;
}

std::optional<StopReason> explain_stop(JobFate fate, std::optional<EndNotice> notice) {
  if (fate == JobFate::giving_way || fate == JobFate::evicted || notice == EndNotice::preempted)
    return StopReason::preempted;
  if (notice == EndNotice::node_failed) return StopReason::node_failed;
  if (fate == JobFate::taken_back)
    return notice == EndNotice::requeued ? StopReason::requeued : StopReason::taken_back;
  if (notice == EndNotice::time_limit) return StopReason::time_limit;
  return std::nullopt;
}

}  // namespace ddp::agent
