#pragma once

#include <vector>

#include "ddp/jobenv/job_environment.hpp"
#include "ddp/trainer/process_group_options.hpp"

namespace ddp::trainer {

/// The ranks of a process group, which may be some of those of the job.
struct GroupMembers {
  JobEnvironment job;           ///< of all ranks, as this rank sees it
  ProcessGroupOptions options;  ///< of the group of all ranks
  std::vector<int> ranks;       ///< of the job, by rank in this group

  [[nodiscard]] static GroupMembers all_of(const JobEnvironment& job, const ProcessGroupOptions& options);

  /// Those at `places` of this group. Throws std::invalid_argument when one of them is not there or twice, or
  /// this rank is none of them.
  [[nodiscard]] GroupMembers pick(const std::vector<int>& places) const;

  /// Of this rank, in this group.
  [[nodiscard]] int rank() const;
  [[nodiscard]] int size() const { return static_cast<int>(ranks.size()); }
  [[nodiscard]] bool share_a_node() const;

  /// The job as if there were no other ranks, for what connects the ranks of a group: rank, world size, and
  /// how many are on each of their nodes.
  [[nodiscard]] JobEnvironment own_job() const;

 private:
  [[nodiscard]] std::vector<int> tasks_per_node() const;
};

}  // namespace ddp::trainer
