#include "trainer/cuda/device_use.hpp"

#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <dlfcn.h>

#include "trainer/cuda/parts.hpp"

namespace ddp::trainer {
namespace {

// As nvml.h declares them, which is not among what LibTorch brings.
struct Utilization {
  unsigned gpu;  // percent
  unsigned memory;
};
using NvmlInit = int();
using NvmlDeviceByUuid = int(const char* uuid, void** device);
using NvmlUtilization = int(void* device, Utilization*);
constexpr int kNvmlSuccess = 0;

template <class Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// NVML comes with the driver, in most places: without it the utilization is not known.
class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    auto* const init = find<NvmlInit>(library_, "nvmlInit_v2");
    if (init == nullptr || init() != kNvmlSuccess) return;
    device_by_uuid_ = find<NvmlDeviceByUuid>(library_, "nvmlDeviceGetHandleByUUID");
    utilization_ = find<NvmlUtilization>(library_, "nvmlDeviceGetUtilizationRates");
  }

  [[nodiscard]] std::optional<double> utilization(const std::string& uuid) const {
    void* device = nullptr;
    Utilization now{};
    if (device_by_uuid_ == nullptr || device_by_uuid_(uuid.c_str(), &device) != kNvmlSuccess) return {};
    if (utilization_ == nullptr || utilization_(device, &now) != kNvmlSuccess) return {};
    return now.gpu / 100.0;
  }

 private:
  void* library_;  // for good
  NvmlDeviceByUuid* device_by_uuid_ = nullptr;
  NvmlUtilization* utilization_ = nullptr;
};

}  // namespace

DeviceUse device_use(int device) {
  using c10::CachingAllocator::StatType;
  static const Nvml nvml;
  at::globalContext().lazyInitDevice(at::kCUDA);  // the allocator knows no device before
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(device));
  const auto& allocated = stats.allocated_bytes[static_cast<std::size_t>(StatType::AGGREGATE)];
  return {.utilization = nvml.utilization(device_uuid(device)),
          .memory = allocated.current,
          .peak_memory = allocated.peak};
}

}  // namespace ddp::trainer
