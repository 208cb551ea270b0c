#include <ATen/cuda/CUDAContext.h>

#include <cstdio>

#include "trainer/cuda/parts.hpp"

namespace ddp::trainer {

std::string device_uuid(int device) {
  const auto& bytes = at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(device))->uuid.bytes;
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof(bytes); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

}  // namespace ddp::trainer
