#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "jobenv/agent/launchers/slurm/job_output.hpp"

namespace ddp::agent {

/// Why Slurm ends a job. Its controller does not tell afterwards; slurmstepd says it in the output of the
/// batch script before it sends TERM.
enum class EndNotice {
  cancelled,    ///< by scancel
  preempted,    ///< another job needs the nodes
  requeued,     ///< by scontrol requeue
  node_failed,  ///< one of the nodes of the job
  time_limit,
};

/// The last one in `text`, of the job, not of a step: "slurmstepd-node1: error: *** JOB 7 ON node1 CANCELLED
/// AT 2026-11-21T23:06:42 DUE TO JOB REQUEUE ***". nullopt: there is none, or it gives a reason that is not
/// known.
[[nodiscard]] std::optional<EndNotice> parse_end_notice(std::string_view text);

/// Of one start of a job: earlier ones have written into the same file.
class EndNoticeReader {
 public:
  EndNoticeReader() = default;
  explicit EndNoticeReader(std::filesystem::path job_output) : output_(JobOutput(std::move(job_output))) {}

  /// What has come since the reader was made. What cannot be read holds no notice.
  [[nodiscard]] std::optional<EndNotice> read() const;

 private:
  std::optional<JobOutput> output_;
};

}  // namespace ddp::agent
