#include "trainer/app/device.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include "ddp/trainer/invalid_configuration.hpp"
#include "trainer/app/device_choice.hpp"
#include "trainer/dist/cuda_plugin.hpp"

namespace ddp::trainer {
namespace {

bool has_gpu() {
  return std::filesystem::exists("/dev/nvidia0");
}

bool loads_cuda() {
  if (!has_gpu()) return false;
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

/// What of `config` works on CUDA devices only; empty when nothing does.
std::string need_of_cuda(const TrainConfig& config) {
  if (config.backend == "nccl") return "rendezvous.backend nccl";
  return config.precision == Precision::fp16 ? "train.precision fp16" : "";
}

/// A GPU that cannot be used now may be there for another attempt.
void require_no_cuda(const TrainConfig& config, const std::string& remark) {
  const std::string need = need_of_cuda(config);
  if (need.empty()) return;
  const std::string text = need + " works on CUDA devices only, and this rank is on the CPU";
  if (config.device == Device::cpu || config.backend == "gloo" || !has_gpu())
    throw InvalidConfiguration(text);
  throw std::runtime_error(text + ": " +
                           (remark.empty() ? "there is a GPU, and CUDA cannot be loaded" : remark));
}

Placement on_cpu(const TrainConfig& config, std::string remark = {}) {
  require_no_cuda(config, remark);
  return {.remark = std::move(remark)};
}

Placement on_cuda(const TrainConfig& config, const JobEnvironment& job) {
  (void)cuda_plugin();
  const int devices = count_devices();
  const at::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(choose_device(job, devices)));
  if (has_replicas(config) && !suffices(devices, config, job))
    throw std::runtime_error("train.data_parallel.replicas is " +
                             std::to_string(config.data_parallel.replicas) + ", and there are " +
                             std::to_string(devices) + " CUDA devices here");
  // What names no device goes there too, and takes no memory of the first one.
  c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
  return {.device = device, .backend = config.backend == "gloo" ? Backend::gloo : Backend::nccl};
}

}  // namespace

Placement resolve_placement(const TrainConfig& config, const JobEnvironment& job) {
  if (config.device == Device::cuda) return on_cuda(config, job);
  if (config.device == Device::cpu || config.backend == "gloo" || !loads_cuda()) return on_cpu(config);
  const int devices = count_devices();
  if (suffices(devices, config, job)) return on_cuda(config, job);
  return on_cpu(config, describe_unused_devices(devices, config, job));
}

}  // namespace ddp::trainer
