#pragma once

#include "trainer/cuda/plugin.hpp"

/// What the table of libddp_cuda.so is filled with; for plugin.cpp alone.
namespace ddp::trainer {

void add_nccl(c10d::ProcessGroup& group, const c10::intrusive_ptr<c10d::Store>& store, int device,
              std::chrono::milliseconds timeout);
[[nodiscard]] std::string device_uuid(int device);
[[nodiscard]] DeviceUse device_use(int device);
[[nodiscard]] torch::Tensor transform_images(const ImageBatch& batch);

}  // namespace ddp::trainer
