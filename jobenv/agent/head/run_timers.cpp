#include "jobenv/agent/head/run_timers.hpp"

namespace ddp::agent {

void RunTimers::arm(const ArmTimer& request) {
  if (const auto old = timers_.find(request.timer); old != timers_.end()) loop_.cancel(old->second);
  timers_[request.timer] = loop_.after(request.delay, [this, timer = request.timer] { expire(timer); });
}

/// A busy head may not have come to read that what it waits for has happened.
void RunTimers::expire(RunTimer timer) {
  const auto id = timers_.at(timer);
  hear_out_();
  const auto found = timers_.find(timer);
  if (found == timers_.end() || found->second != id) return;
  timers_.erase(found);
  on_expired_(timer);
}

void RunTimers::disarm() {
  std::erase_if(timers_, [this](const auto& entry) {
    if (entry.first == RunTimer::time_limit) return false;
    loop_.cancel(entry.second);
    return true;
  });
}

}  // namespace ddp::agent
