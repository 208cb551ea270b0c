#pragma once

#include <chrono>
#include <functional>
#include <map>

#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/agent/protocol/messages.hpp"

namespace ddp::agent {

/// Finds ranks that use MPI, and that MPI does not connect. Looks often at first, since a small program is
/// soon over, and then less and less often.
class LoneMpiWatch {
 public:
  using Report = std::function<void(const AgentMessage& message)>;

  /// `loop` must outlive this; `report` is called from within its handlers.
  LoneMpiWatch(EventLoop& loop, Report report) : loop_(loop), report_(std::move(report)) {}
  LoneMpiWatch(const LoneMpiWatch&) = delete;
  LoneMpiWatch& operator=(const LoneMpiWatch&) = delete;
  ~LoneMpiWatch() { forget_all(); }

  /// Looks for the first time after `first_pause`.
  void watch(int rank, pid_t pid, std::chrono::milliseconds first_pause);
  void forget(int rank) { ranks_.erase(rank); }
  void forget_all();

 private:
  void look();

  EventLoop& loop_;
  Report report_;
  std::map<int, pid_t> ranks_;  ///< of which nothing is known yet
  EventLoop::TimerId timer_ = 0;
  std::chrono::milliseconds pause_{0};
};

}  // namespace ddp::agent
