#include "trainer/cuda/plugin.hpp"

#include "trainer/cuda/parts.hpp"

namespace {

#ifdef DDP_HAVE_CUDA_KERNELS
constexpr ddp::trainer::TransformImages* kTransformImages = ddp::trainer::transform_images;
#else
constexpr ddp::trainer::TransformImages* kTransformImages = nullptr;
#endif

}  // namespace

extern "C" __attribute__((visibility("default"))) const ddp::trainer::CudaPlugin* ddp_cuda_plugin() {
  using namespace ddp::trainer;
  static constexpr CudaPlugin kPlugin{.version = kCudaPluginVersion,
                                      .size = sizeof(CudaPlugin),
                                      .add_nccl = add_nccl,
                                      .device_uuid = device_uuid,
                                      .device_use = device_use,
                                      .transform_images = kTransformImages};
  return &kPlugin;
}

static_assert(std::is_same_v<decltype(ddp_cuda_plugin), ddp::trainer::GetCudaPlugin>);
