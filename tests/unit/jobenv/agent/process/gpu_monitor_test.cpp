#include "jobenv/agent/process/gpu_monitor.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace ddp::agent {
namespace {

TEST(GpuMonitor, TellsWhatAProcessDoesOnItsGpu) {
  setenv("FAKE_NVML_PID", std::to_string(getpid()).c_str(), 1);
  GpuMonitor monitor(DDP_FAKE_NVML);
  EXPECT_FALSE(monitor.use_of(getpid())) << "before a look";
  monitor.look();
  EXPECT_EQ(monitor.use_of(getpid()), (GpuUse{83, 1ULL << 30}));
  EXPECT_FALSE(monitor.use_of(1 << 22));
}

TEST(GpuMonitor, AChildCounts) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  setenv("FAKE_NVML_PID", std::to_string(child).c_str(), 1);
  GpuMonitor monitor(DDP_FAKE_NVML);
  monitor.look();
  EXPECT_TRUE(monitor.use_of(getpid()));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(GpuMonitor, WithoutTheLibraryNothingIsSeen) {
  GpuMonitor monitor("libno-such-nvml.so.1");
  monitor.look();
  EXPECT_FALSE(monitor.use_of(getpid()));
}

}  // namespace
}  // namespace ddp::agent
