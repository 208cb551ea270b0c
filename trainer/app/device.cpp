#include "trainer/app/device.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>

#include <stdexcept>
#include <string>

#include "ddp/trainer/invalid_configuration.hpp"
#include "jobenv/probe/gpu_inventory.hpp"
#include "trainer/app/device_choice.hpp"
#include "trainer/distributed/group/cuda_plugin.hpp"
#include "trainer/distributed/group/mpi_plugin.hpp"

namespace ddp::trainer {
namespace {

bool loads_cuda() {
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

bool needs_cuda(const TrainConfig& config) {
  return config.backend == "nccl" || config.precision == Precision::fp16;
}

[[noreturn]] void refuse_cpu(const TrainConfig& config) {
  const std::string only = " works on CUDA devices only, but this run is on the CPU; use ";
  throw InvalidConfiguration(config.backend == "nccl" ? "rendezvous.backend nccl" + only + "gloo or auto"
                                                      : "train.precision fp16" + only + "bf16");
}

Placement on_cuda(const TrainConfig& config, const JobEnvironment& job) {
  (void)cuda_plugin();
  const int devices = count_devices();
  const at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(choose_device(job, devices)));
  if (has_replicas(config) && !suffices(devices, config, job))
    throw std::runtime_error("train.data_parallel.replicas is " + std::to_string(count_copies(config, 1)) +
                             ", but there are only " + std::to_string(devices) + " CUDA devices here");
  // What names no device goes there too, and takes no memory of the first one.
  c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
  return {.device = device, .backend = config.backend == "gloo" ? Backend::gloo : Backend::nccl};
}

}  // namespace

Placement resolve_placement(const TrainConfig& config, const JobEnvironment& job) {
  if (config.backend == "mpi") {
    (void)mpi_plugin();
    return {.backend = Backend::mpi};
  }
  if (config.device == Device::cuda) return on_cuda(config, job);
  const bool has_gpus = config.device == Device::automatic && count_gpus("/dev") > 0;
  if (!has_gpus || config.backend == "gloo" || is_fully_sharded(config)) {
    if (needs_cuda(config)) refuse_cpu(config);
    return {.remark =
                has_gpus && is_fully_sharded(config) ? describe_untested_devices(config) : std::string()};
  }
  if (needs_cuda(config)) return on_cuda(config, job);  // its errors say what is missing
  if (!loads_cuda()) return {};
  const int devices = count_devices();
  if (suffices(devices, config, job)) return on_cuda(config, job);
  return {.remark = describe_unused_devices(devices, config, job)};
}

}  // namespace ddp::trainer
