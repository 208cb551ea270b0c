#include "jobenv/agent/notify/notify_queue.hpp"

#include <utility>

namespace ddp::agent {

std::optional<Notification> NotifyQueue::push(Notification notification) {
  auto dropped = waiting_.size() < kMost ? std::nullopt : pop();
  waiting_.push_back(std::move(notification));
  return dropped;
}

std::optional<Notification> NotifyQueue::pop() {
  if (waiting_.empty()) return std::nullopt;
  Notification first = std::move(waiting_.front());
  waiting_.pop_front();
  return first;
}

}  // namespace ddp::agent
