#include "trainer/distributed/group/deadline.hpp"

#include <gtest/gtest.h>

#include <future>

namespace ddp::trainer {
namespace {

TEST(Deadline, CallsWhenTheTimeIsOver) {
  std::promise<void> called;
  const Deadline deadline(std::chrono::milliseconds(1), [&] { called.set_value(); });
  called.get_future().wait();
}

TEST(Deadline, CallsNobodyWhenItWasMet) {
  bool late = false;
  {
    const Deadline deadline(std::chrono::hours(1), [&] { late = true; });
  }
  EXPECT_FALSE(late);
}

}  // namespace
}  // namespace ddp::trainer
