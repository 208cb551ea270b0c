#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ddp::agent {

/// The scheduler's job that head runs in; of a launcher without a scheduler all is empty but the hosts.
struct SchedulerJob {
  std::string id;
  std::string control_id;  ///< for questions and the records: Slurm's ARRAY_TASK in an array, where the plain
                           ///< id may mean all tasks
  std::string cluster;     ///< its name; empty: not told
  int restart_count = 0;
  std::vector<std::string> hosts;  ///< by node rank; empty: not known before the agents come
  std::optional<std::chrono::system_clock::time_point> end_time;  ///< nullopt: not known, or none
};

/// What ranks are told of their job.
struct JobIds {
  std::string job_id, array_job_id, array_task_id;
  int restart_count = 0;
};

}  // namespace ddp::agent
