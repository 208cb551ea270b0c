#include "trainer/distributed/group/cuda_plugin.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace ddp::trainer {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr CudaPlugin kPlugin{.version = kCudaPluginVersion,
                             .size = sizeof(CudaPlugin),
                             .add_nccl = nullptr,
                             .device_uuid = nullptr,
                             .device_use = nullptr,
                             .transform_images = nullptr};

TEST(CudaPlugin, OfTheSameBuildIsTaken) {
  EXPECT_NO_THROW(require_same_build(kPlugin));
}

TEST(CudaPlugin, OfAnotherVersionIsRefused) {
  CudaPlugin other = kPlugin;
  ++other.version;
  EXPECT_THAT([&] { require_same_build(other); },
              ThrowsMessage<std::runtime_error>(HasSubstr("libddp_cuda.so belongs to another build")));
}

TEST(CudaPlugin, OfAnotherSizeIsRefused) {
  CudaPlugin other = kPlugin;
  other.size -= 8;
  EXPECT_THAT([&] { require_same_build(other); },
              ThrowsMessage<std::runtime_error>(HasSubstr("build and install both together")));
}

}  // namespace
}  // namespace ddp::trainer
