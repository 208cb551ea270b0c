#include "trainer/strategy/worker_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

namespace ddp::trainer {
namespace {

TEST(WorkerThreads, RunEachIndexOnAThreadOfItsOwn) {
  std::atomic<int> started{0};
  WorkerThreads threads(3, [&started] { ++started; });
  std::vector<std::thread::id> ids(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::thread::id> now(3);
    threads.run([&now](int index) { now[static_cast<std::size_t>(index)] = std::this_thread::get_id(); });
    EXPECT_EQ(std::set(now.begin(), now.end()).size(), 3u);
    if (round > 0) {
      EXPECT_EQ(now, ids);
    }
    ids = now;
  }
  EXPECT_EQ(started, 3);
}

TEST(WorkerThreads, ThrowWhatATaskThrowsAndGoOn) {
  WorkerThreads threads(2, [] {});
  std::atomic<int> done{0};
  const auto half_fails = [&done](int index) {
    if (index == 1) throw std::runtime_error("one");
    ++done;
  };
  EXPECT_THROW(threads.run(half_fails), std::runtime_error);
  EXPECT_EQ(done, 1);
  threads.run([&done](int) { ++done; });
  EXPECT_EQ(done, 3);
}

TEST(WorkerThreads, EndWithoutHavingRun) {
  const WorkerThreads threads(4, [] {});
}

}  // namespace
}  // namespace ddp::trainer
