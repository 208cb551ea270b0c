#include "cli/system/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

namespace ddp::cli {
namespace {

TEST(MeasureMachine, CountsTheCpusThatThisProcessMayUse) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  EXPECT_EQ(measure_machine().cpus, CPU_COUNT(&before));
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(measure_machine().cpus, 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(MeasureMachine, HasMemoryAndTheLoopback) {
  const auto resources = measure_machine();
  EXPECT_GT(resources.memory_bytes, 1u << 28);
  EXPECT_THAT(resources.interfaces, testing::Contains("lo"));
}

}  // namespace
}  // namespace ddp::cli
