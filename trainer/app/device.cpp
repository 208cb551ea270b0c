#include "trainer/app/device.hpp"

#include <torch/cuda.h>

#include <filesystem>
#include <stdexcept>

#include "trainer/dist/cuda_plugin.hpp"

namespace ddp::trainer {
namespace {

bool loads_cuda() {
  if (!std::filesystem::exists("/dev/nvidia0")) return false;
  try {
    load_cuda_plugin();
    return true;
  } catch (const std::runtime_error&) {
    return false;  // a trainer built for the CPU on a machine with a GPU
  }
}

/// Rank R of a node computes on device R.
bool every_rank_has_a_gpu(const JobEnvironment& job) {
  return int{torch::cuda::device_count()} >= job.local_world_size;
}

bool wants_cuda(const TrainConfig& config, const JobEnvironment& job) {
  if (config.device == Device::automatic)
    return config.backend != "gloo" && loads_cuda() && every_rank_has_a_gpu(job);
  if (config.device == Device::cuda) load_cuda_plugin();
  return config.device == Device::cuda;
}

}  // namespace

Placement resolve_placement(const TrainConfig& config, const JobEnvironment& job) {
  if (!wants_cuda(config, job)) {
    if (config.backend == "nccl")
      throw std::runtime_error("rendezvous.backend nccl needs train.device: cuda");
    return {at::kCPU, Backend::gloo};
  }
  return {at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(job.local_rank)),
          config.backend == "gloo" ? Backend::gloo : Backend::nccl};
}

}  // namespace ddp::trainer
