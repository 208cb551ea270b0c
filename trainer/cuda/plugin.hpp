#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <cstdint>
#include <string>

#include "trainer/cuda/device_use.hpp"
#include "trainer/cuda/image_batch.hpp"

namespace ddp::trainer {

/// To be raised with every change of CudaPlugin or of what it points to.
inline constexpr std::uint32_t kCudaPluginVersion = 1;

/// What libddp_cuda.so can do. The trainer and the plug-in come from one build; version and size tell when
/// they do not.
struct CudaPlugin {
  std::uint32_t version;  ///< kCudaPluginVersion
  std::uint32_t size;     ///< sizeof(CudaPlugin)

  /// Adds NCCL for tensors of CUDA device `device` to `group`, and connects it: returns when all ranks have
  /// come. A collective of it that takes longer than `timeout` ends the process, by an exception of
  /// c10::DistError in a thread of LibTorch's.
  void (*add_nccl)(c10d::ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store, int device,
                   std::chrono::milliseconds timeout);

  /// "GPU-" and 32 digits: which device, or MIG instance, of the world this is. Throws c10::Error when there
  /// is no such device.
  std::string (*device_uuid)(int device);

  /// Of this process; cheap enough for every progress line.
  DeviceUse (*device_use)(int device);

  /// Null where the plug-in was built without a CUDA compiler.
  TransformImages* transform_images;
};

/// The one thing that libddp_cuda.so exports, under the name kGetCudaPlugin.
using GetCudaPlugin = const CudaPlugin*();
inline constexpr const char* kGetCudaPlugin = "ddp_cuda_plugin";

}  // namespace ddp::trainer
