#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "jobenv/agent/scheduler/tool_query.hpp"

namespace ddp::agent {

/// Asks squeue for the end of a job, beside everything else. Destroyed early, it leaves squeue to end by
/// itself.
class DeadlineQuery {
 public:
  using OnAnswer = std::function<void(std::chrono::system_clock::time_point deadline)>;

  /// `on_answer` is called if squeue gives a time; without one the deadline stays unknown.
  DeadlineQuery(EventLoop& loop, const EnvMap& environment, const std::string& job_id, OnAnswer on_answer);

 private:
  ToolQuery squeue_;
};

}  // namespace ddp::agent
