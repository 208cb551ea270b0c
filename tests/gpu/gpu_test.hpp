#pragma once

#include <gtest/gtest.h>
#include <torch/cuda.h>

#include <filesystem>

#include "trainer/distributed/group/cuda_plugin.hpp"

namespace ddp::trainer {

/// A test that needs a GPU: skipped where there is none; where there is one, the plug-in has to work.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "there is no NVIDIA GPU here";
    (void)cuda_plugin();
    ASSERT_GT(torch::cuda::device_count(), 0);
  }

  const at::Device cuda_{at::kCUDA, 0};
};

}  // namespace ddp::trainer
