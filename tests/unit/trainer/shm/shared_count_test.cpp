#include "trainer/shm/shared_count.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "trainer/shm/shared_memory.hpp"

namespace ddp::trainer {
namespace {

using namespace std::chrono_literals;

/// A count in memory that child processes share.
class SharedCounts : public testing::Test {
 protected:
  SharedMemory memory_ = SharedMemory::create(sizeof(SharedCount));
  SharedCount& count_ = *reinterpret_cast<SharedCount*>(memory_.data());
};

TEST_F(SharedCounts, BeginAtZero) {
  EXPECT_TRUE(count_.has_reached(0));
  EXPECT_FALSE(count_.has_reached(1));
  EXPECT_FALSE(count_.wait_for(1, 0ns, 1ms));
  count_.raise();
  EXPECT_TRUE(count_.has_reached(1));
  EXPECT_TRUE(count_.wait_for(1, 0ns, 0ns));
  EXPECT_FALSE(count_.has_reached(2));
}

TEST_F(SharedCounts, GoOnPastTheirLargestNumber) {
  *reinterpret_cast<std::uint32_t*>(memory_.data()) = 0xFFFFFFFF;
  EXPECT_TRUE(count_.has_reached(0xFFFFFFFF));
  EXPECT_FALSE(count_.has_reached(0));
  count_.raise();
  EXPECT_TRUE(count_.has_reached(0xFFFFFFFF));
  EXPECT_TRUE(count_.has_reached(0));
  EXPECT_FALSE(count_.has_reached(1));
}

// With no spinning each wait is a sleep: one that is not ended by the raise lasts for an hour.
TEST_F(SharedCounts, WakeASleeperInAnotherProcess) {
  constexpr std::uint32_t kRounds = 2'000;
  auto answers = SharedMemory::create(sizeof(SharedCount));
  auto& answer = *reinterpret_cast<SharedCount*>(answers.data());
  const pid_t child = fork();
  if (child == 0) {
    for (std::uint32_t round = 1; round <= kRounds; ++round) {
      while (!count_.wait_for(round, 0ns, 1h)) continue;
      answer.raise();
    }
    _exit(0);
  }
  for (std::uint32_t round = 1; round <= kRounds; ++round) {
    count_.raise();
    while (!answer.wait_for(round, 0ns, 1h)) continue;
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(SharedCounts, WakeAllSleepers) {
  std::vector<std::jthread> sleepers;
  for (int i = 0; i < 5; ++i) sleepers.emplace_back([this] { EXPECT_TRUE(count_.wait_for(1, 0ns, 1h)); });
  auto& asleep = *reinterpret_cast<std::atomic<std::uint32_t>*>(memory_.data() + sizeof(std::uint32_t));
  while (asleep.load() < 5) std::this_thread::yield();
  std::this_thread::sleep_for(20ms);  // most of them are in the kernel by then
  count_.raise();
}

}  // namespace
}  // namespace ddp::trainer
