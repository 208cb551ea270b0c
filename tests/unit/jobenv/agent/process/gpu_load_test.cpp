#include "jobenv/agent/process/gpu_load.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "jobenv/agent/process/process_tree.hpp"
#include "tests/support/places.hpp"

namespace ddp::agent {
namespace {

TEST(GpuLoads, TellWhatAProcessDoesOnItsGpu) {
  setenv("FAKE_NVML_PID", std::to_string(getpid()).c_str(), 1);
  const auto gpus = load_gpus(build_path("tests/unit/jobenv/agent/libfake_nvml.so"));
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(use_of(gpus, process_tree(getpid())), (GpuUse{83, 1ULL << 30}));
  EXPECT_FALSE(use_of(gpus, process_tree(1 << 22)));
}

TEST(GpuLoads, AChildCounts) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  setenv("FAKE_NVML_PID", std::to_string(child).c_str(), 1);
  EXPECT_TRUE(
      use_of(load_gpus(build_path("tests/unit/jobenv/agent/libfake_nvml.so")), process_tree(getpid())));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(GpuLoads, WithoutTheLibraryThereAreNone) {
  EXPECT_TRUE(load_gpus("libno-such-nvml.so.1").empty());
}

TEST(GpuLoads, TravelAsJson) {
  const std::vector<GpuLoad> gpus = {{83, {{7, 1 << 20}, {8, 0}}}, {-1, {}}};
  EXPECT_EQ(parse_gpus(to_json(gpus)), gpus);
  EXPECT_FALSE(use_of({{-1, {{getpid(), 1}}}}, process_tree(getpid()))) << "how busy it is, is not known";
  for (const auto& other : {nlohmann::json("x"), nlohmann::json{1}, nlohmann::json{{{"percent", "x"}}}})
    EXPECT_TRUE(parse_gpus(other).empty());
}

}  // namespace
}  // namespace ddp::agent
