#include "trainer/distributed/pass_timer.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace ddp::trainer {

void PassTimer::begin() {
  if (device_.is_cpu()) {
    began_ = Clock::now();
  } else {
    if (std::exchange(begun_, false)) spans_.pop_back();
    collect(Wait::no);
    constexpr auto kTimed = c10::EventFlag::BACKEND_DEFAULT;
    spans_.push_back({c10::Event(device_.type(), kTimed), c10::Event(device_.type(), kTimed)});
    record(spans_.back().begin);
  }
  begun_ = true;
}

void PassTimer::end() {
  if (!std::exchange(begun_, false)) return;
  if (device_.is_cpu()) {
    taken_ += Clock::now() - began_;
  } else {
    record(spans_.back().end);
  }
}

std::chrono::nanoseconds PassTimer::take() {
  collect(Wait::yes);
  return std::exchange(taken_, {});
}

void PassTimer::record(c10::Event& event) const {
  event.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
}

/// Of the passes that have ended, in their order, those that the device has done.
void PassTimer::collect(Wait wait) {
  while (spans_.size() > (begun_ ? 1U : 0U)) {
    const auto& [begin, end] = spans_.front();
    if (wait == Wait::yes) end.synchronize();
    if (!end.query()) return;
    taken_ += std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double, std::milli>(begin.elapsedTime(end)));
    spans_.pop_front();
  }
}

}  // namespace ddp::trainer
