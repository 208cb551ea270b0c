#include "trainer/distributed/group/deadline.hpp"

#include <utility>

namespace ddp::trainer {

Deadline::Deadline(std::chrono::milliseconds time, std::function<void()> late)
    : thread_([this, time, late = std::move(late)] {
        std::unique_lock lock(mutex_);
        const bool in_time = changed_.wait_for(lock, time, [this] { return done_; });
        lock.unlock();
        if (!in_time) late();
      }) {}

Deadline::~Deadline() {
  {
    const std::scoped_lock lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

}  // namespace ddp::trainer
