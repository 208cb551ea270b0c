#include "jobenv/agent/head/run_timers.hpp"

namespace ddp::agent {

void RunTimers::arm(const ArmTimer& request) {
  if (const auto old = timers_.find(request.timer); old != timers_.end()) loop_.cancel(old->second);
  timers_[request.timer] = loop_.after(request.delay, [this, timer = request.timer] { on_expired_(timer); });
}

void RunTimers::disarm() {
  for (const auto& [timer, id] : timers_) {
    if (timer != RunTimer::time_limit) loop_.cancel(id);
  }
}

}  // namespace ddp::agent
