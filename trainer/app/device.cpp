#include "trainer/app/device.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "trainer/app/device_choice.hpp"
#include "trainer/dist/cuda_plugin.hpp"

namespace ddp::trainer {
namespace {

bool loads_cuda() {
  if (!std::filesystem::exists("/dev/nvidia0")) return false;
  try {
    (void)cuda_plugin();
    return true;
  } catch (const std::runtime_error&) {
    return false;  // a trainer built for the CPU on a machine with a GPU
  }
}

int count_devices() {
  return static_cast<int>(torch::cuda::device_count());
}

bool has_replicas(const TrainConfig& config) {
  return config.strategy == ParallelStrategy::data_parallel;
}

bool suffices(int devices, const TrainConfig& config, const JobEnvironment& job) {
  return has_replicas(config) ? devices >= config.data_parallel.replicas
                              : every_rank_has_a_device(job, devices);
}

bool wants_cuda(const TrainConfig& config, const JobEnvironment& job) {
  if (config.device == Device::automatic)
    return config.backend != "gloo" && loads_cuda() && suffices(count_devices(), config, job);
  if (config.device == Device::cuda) (void)cuda_plugin();
  return config.device == Device::cuda;
}

}  // namespace

Placement resolve_placement(const TrainConfig& config, const JobEnvironment& job) {
  if (!wants_cuda(config, job)) {
    if (config.backend == "nccl")
      throw std::runtime_error("rendezvous.backend nccl needs train.device: cuda");
    return {at::kCPU, Backend::gloo};
  }
  const int devices = count_devices();
  const at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(choose_device(job, devices)));
  if (has_replicas(config) && !suffices(devices, config, job))
    throw std::runtime_error("train.data_parallel.replicas is " +
                             std::to_string(config.data_parallel.replicas) + ", and there are " +
                             std::to_string(devices) + " CUDA devices here");
  // What names no device goes there too, and takes no memory of the first one.
  c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
  return {device, config.backend == "gloo" ? Backend::gloo : Backend::nccl};
}

}  // namespace ddp::trainer
