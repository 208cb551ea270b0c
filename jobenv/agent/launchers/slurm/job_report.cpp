#include "jobenv/agent/launchers/slurm/job_report.hpp"

#include <algorithm>
#include <array>

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/agent/launchers/slurm/slurm_job.hpp"

namespace ddp::agent {
namespace {

/// The value of the first `name=…`; empty when there is none.
std::string field_of(std::string_view text, std::string_view name) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", start), text.size());
    const std::string_view word = text.substr(start, end - start);
    if (word.starts_with(name) && word.substr(name.size()).starts_with('='))
      return std::string(word.substr(name.size() + 1));
    start = end + 1;
  }
  return {};
}

/// Slurm shows COMPLETING and the like in place of the end that stands behind it.
bool goes_on(const std::string& state) {
  constexpr std::array<std::string_view, 7> kWords = {"RUNNING",   "SUSPENDED", "CONFIGURING", "RESIZING",
                                                      "SIGNALING", "STOPPED",   "STAGE_OUT"};
  return std::ranges::find(kWords, state) != kWords.end();
}

}  // namespace

std::optional<JobReport> parse_job_report(std::string_view text) {
  JobReport report{.state = field_of(text, "JobState")};
  if (report.state.empty()) return std::nullopt;
  report.restarts = static_cast<int>(parse_whole_number(field_of(text, "Restarts")).value_or(0));
  const std::string preempted = field_of(text, "PreemptTime");
  report.preempted =
      !preempted.empty() && preempted != "None" && preempted != "Unknown" && preempted != "N/A";
  const std::string excluded = field_of(text, "ExcNodeList");
  if (excluded != "(null)") report.excluded = excluded;
  report.end_time = parse_slurm_time(field_of(text, "EndTime"));
  return report;
}

JobFate interpret_report(const std::optional<JobReport>& report, int restart_count,
                         std::optional<EndNotice> notice) {
  if (!report) return JobFate::unknown;
  if (report->restarts > restart_count) return JobFate::taken_back;
  const bool running = goes_on(report->state);
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
