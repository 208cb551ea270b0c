#include "jobenv/agent/notify/notify_queue.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

Notification of_attempt(int attempt) {
  Notification notification;
  notification.attempt = attempt;
  return notification;
}

TEST(NotifyQueue, KeepsTheOrder) {
  NotifyQueue queue;
  EXPECT_FALSE(queue.pop());
  EXPECT_FALSE(queue.push(of_attempt(1)));
  EXPECT_FALSE(queue.push(of_attempt(2)));
  EXPECT_EQ(queue.pop()->attempt, 1);
  EXPECT_EQ(queue.pop()->attempt, 2);
  EXPECT_FALSE(queue.pop());
}

TEST(NotifyQueue, DropsTheOldestWhenItIsFull) {
  NotifyQueue queue;
  const int most = static_cast<int>(NotifyQueue::kMost);
  for (int attempt = 0; attempt < most; ++attempt) EXPECT_FALSE(queue.push(of_attempt(attempt)));
  EXPECT_EQ(queue.push(of_attempt(most))->attempt, 0);
  EXPECT_EQ(queue.pop()->attempt, 1);
}

}  // namespace
}  // namespace ddp::agent
