#include <ATen/cuda/CUDAContext.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <optional>

#include "trainer/cuda/parts.hpp"

namespace ddp::trainer {
namespace {

/// A function of the driver, as it was in CUDA `version`. Nothing is linked against libcuda, which machines
/// without a GPU do not have.
template <class Function>
Function* find_in_driver(const char* name, unsigned version) {
  void* function = nullptr;
  auto found = cudaDriverEntryPointSymbolNotFound;
  const auto status = cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found);
  if (status == cudaSuccess && found == cudaDriverEntryPointSuccess)
    return reinterpret_cast<Function*>(function);
  (void)cudaGetLastError();  // nobody's but this call's
  return nullptr;
}

/// Of a MIG instance its own: that is promised of this function, and not of the device's properties.
std::optional<CUuuid> uuid_of_driver(int device) {
  auto* const get = find_in_driver<decltype(cuDeviceGet)>("cuDeviceGet", 2000);
  auto* const get_uuid = find_in_driver<decltype(cuDeviceGetUuid_v2)>("cuDeviceGetUuid", 11040);
  CUdevice handle = 0;
  CUuuid uuid{};
  if (get == nullptr || get(&handle, device) != CUDA_SUCCESS) return {};
  if (get_uuid == nullptr || get_uuid(&uuid, handle) != CUDA_SUCCESS) return {};
  return uuid;
}

}  // namespace

std::string device_uuid(int device) {
  const auto* const properties = at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(device));
  const CUuuid uuid = uuid_of_driver(device).value_or(properties->uuid);
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

}  // namespace ddp::trainer
