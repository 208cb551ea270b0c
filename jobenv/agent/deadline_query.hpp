#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/event_loop.hpp"
#include "jobenv/record/file_descriptor.hpp"

namespace ddp::agent {

/// Asks squeue for the end of a job, beside everything else. Destroyed early, it leaves squeue to end by
/// itself.
class DeadlineQuery {
 public:
  using OnAnswer = std::function<void(std::chrono::system_clock::time_point deadline)>;

  /// `on_answer` is called if squeue gives a time; without one the deadline stays unknown.
  DeadlineQuery(EventLoop& loop, const EnvMap& environment, const std::string& job_id, OnAnswer on_answer);
  DeadlineQuery(const DeadlineQuery&) = delete;
  DeadlineQuery& operator=(const DeadlineQuery&) = delete;
  ~DeadlineQuery();

 private:
  void read_answer();

  EventLoop& loop_;
  OnAnswer on_answer_;
  FileDescriptor pipe_;
  EventLoop::WatchId watch_ = 0;
  pid_t squeue_ = -1;
  std::string answer_;
};

}  // namespace ddp::agent
