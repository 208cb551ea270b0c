#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::agent {

/// What a tool has said on stdout and stderr.
struct ToolAnswer {
  bool succeeded = false;  ///< it ended with exit code 0, and nothing was cut off
  std::string text;
};

/// Runs one of the scheduler's tools for its answer, beside everything else. The tool outlives a TERM: Slurm
/// sends it to all processes of a job, also to the tool that asks why. Destroyed early, the query leaves the
/// tool to end by itself.
class ToolQuery {
 public:
  using OnAnswer = std::function<void(const ToolAnswer& answer)>;

  /// `on_answer` is called once, from the loop, when the tool has ended, or could not be started; it may
  /// destroy the query.
  ToolQuery(EventLoop& loop, std::vector<std::string> argv, const EnvMap& environment, OnAnswer on_answer);
  ToolQuery(const ToolQuery&) = delete;
  ToolQuery& operator=(const ToolQuery&) = delete;
  ~ToolQuery();

 private:
  [[nodiscard]] Expected<void> start(std::vector<std::string> argv, const EnvMap& environment);
  void read_output();
  void on_exit(int status);
  void tell();

  EventLoop& loop_;
  OnAnswer on_answer_;
  FileDescriptor pipe_;
  EventLoop::WatchId watch_ = 0;
  EventLoop::TimerId failure_ = 0;
  pid_t tool_ = -1;
  ToolAnswer answer_;
};

}  // namespace ddp::agent
