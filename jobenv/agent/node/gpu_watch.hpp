#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/process/gpu_load.hpp"
#include "jobenv/agent/scheduler/tool_query.hpp"

namespace ddp::agent {

/// Knows what the GPUs of this host did some seconds ago. A process of `ddp-agent gpus` asks NVML: a GPU that
/// is broken may keep that waiting for ever, and nobody else.
class GpuWatch {
 public:
  /// `loop` must outlive this.
  GpuWatch(EventLoop& loop, EnvMap environment) : loop_(loop), environment_(std::move(environment)) {}

  /// Asks again, if the last answer is there and some seconds old.
  void look();
  [[nodiscard]] std::optional<GpuUse> use_of(std::span<const pid_t> processes) const {
    return agent::use_of(gpus_, processes);
  }

 private:
  EventLoop& loop_;
  EnvMap environment_;
  std::optional<ToolQuery> query_;
  std::optional<std::chrono::steady_clock::time_point> asked_;
  std::vector<GpuLoad> gpus_;
};

}  // namespace ddp::agent
