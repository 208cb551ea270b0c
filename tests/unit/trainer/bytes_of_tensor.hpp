#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "trainer/data/byte_source.hpp"

namespace ddp::trainer {

/// The bytes of `tensor`, of uint8 and contiguous, as a dataset reads them.
inline std::shared_ptr<const ByteSource> bytes_of_tensor(const at::Tensor& tensor) {
  const auto owner = std::make_shared<const at::Tensor>(tensor);
  const auto size = static_cast<std::size_t>(tensor.numel());
  return std::make_shared<const MemoryBytes>(std::span(tensor.const_data_ptr<std::uint8_t>(), size), owner);
}

}  // namespace ddp::trainer
