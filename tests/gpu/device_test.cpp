#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <set>

#include "tests/gpu/gpu_test.hpp"

namespace ddp::trainer {
namespace {

using Gpu = GpuTest;

TEST_F(Gpu, HasANameOfItsOwn) {
  std::set<std::string> names;
  const auto count = static_cast<int>(torch::cuda::device_count());
  for (int device = 0; device < count; ++device) {
    const std::string name = cuda_plugin().device_uuid(device);
    EXPECT_THAT(name, testing::MatchesRegex("GPU-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+"));
    EXPECT_EQ(name.size(), 40U);
    names.insert(name);
  }
  EXPECT_EQ(std::ssize(names), count);
  EXPECT_THROW((void)cuda_plugin().device_uuid(count), c10::Error);
}

TEST_F(Gpu, TellsWhatOfItIsUsed) {
  constexpr std::int64_t kBytes = 1 << 26;
  const std::int64_t before = cuda_plugin().device_use(0).memory;
  {
    const torch::Tensor tensor = at::zeros({kBytes}, at::TensorOptions(cuda_).dtype(at::kByte));
    EXPECT_GE(cuda_plugin().device_use(0).memory, before + kBytes);
  }
  const DeviceUse after = cuda_plugin().device_use(0);
  EXPECT_EQ(after.memory, before);
  EXPECT_GE(after.peak_memory, before + kBytes);
  if (after.utilization) {
    EXPECT_GE(*after.utilization, 0);
    EXPECT_LE(*after.utilization, 1);
  }
}

}  // namespace
}  // namespace ddp::trainer
