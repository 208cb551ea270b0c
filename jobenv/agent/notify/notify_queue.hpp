#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "jobenv/agent/notify/notification.hpp"

namespace ddp::agent {

/// Notifications that wait for the call of an earlier one to end, in their order. Pure.
class NotifyQueue {
 public:
  static constexpr std::size_t kMost = 16;

  /// If it is full, gives back the oldest: what comes is newer news.
  [[nodiscard]] std::optional<Notification> push(Notification notification);
  /// nullopt: none waits.
  [[nodiscard]] std::optional<Notification> pop();

  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

 private:
  std::deque<Notification> waiting_;
};

}  // namespace ddp::agent
