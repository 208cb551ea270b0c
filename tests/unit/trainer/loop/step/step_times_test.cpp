#include "trainer/loop/step/step_times.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "trainer/loop/report/process_memory.hpp"

namespace ddp::trainer {
namespace {

using std::chrono::milliseconds;

TEST(StepTimes, GiveTheTimesOfStepsThatWereMeasured) {
  StepTimes times;
  for (int i = 100; i > 0; --i) times.add({.total = milliseconds(i), .data_wait = milliseconds(1)});
  const StepTimeSummary summary = times.summary();
  EXPECT_EQ(summary.steps, 100);
  EXPECT_DOUBLE_EQ(summary.p50, 0.050);
  EXPECT_DOUBLE_EQ(summary.p90, 0.090);
  EXPECT_DOUBLE_EQ(summary.p99, 0.099);
  EXPECT_DOUBLE_EQ(summary.max, 0.100);
  EXPECT_NEAR(summary.total, 5.050, 1e-9);
  EXPECT_NEAR(summary.data_wait, 0.100, 1e-9);
}

TEST(StepTimes, GiveTheMeansOfWhatStepsDo) {
  StepTimes times;
  for (const int i : {1, 3}) {
    times.add({.total = milliseconds(9 * i),
               .forward = milliseconds(2 * i),
               .backward = milliseconds(4 * i),
               .update = milliseconds(i)});
  }
  const StepParts parts = times.summary().parts;
  EXPECT_NEAR(parts.forward, 0.004, 1e-9);
  EXPECT_NEAR(parts.backward, 0.008, 1e-9);
  EXPECT_NEAR(parts.update, 0.002, 1e-9);
}

TEST(StepTimes, OfOneStepAreThatStep) {
  StepTimes times;
  times.add({.total = milliseconds(7)});
  EXPECT_DOUBLE_EQ(times.summary().p50, 0.007);
  EXPECT_DOUBLE_EQ(times.summary().p99, 0.007);
  EXPECT_EQ(StepTimes().summary().steps, 0);
}

TEST(ProcessMemory, IsThatOfThisProcess) {
  const std::uint64_t before = read_process_memory().resident;
  EXPECT_GT(before, 1u << 20);
  // Not from malloc, which may hand out again what it has kept.
  constexpr std::size_t kBlock = 64u << 20;
  void* const block = mmap(nullptr, kBlock, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  std::memset(block, 1, kBlock);
  EXPECT_GE(read_process_memory().resident, before + (60u << 20));
  EXPECT_GE(read_process_memory().peak_resident, read_process_memory().resident);
  munmap(block, kBlock);
}

}  // namespace
}  // namespace ddp::trainer
