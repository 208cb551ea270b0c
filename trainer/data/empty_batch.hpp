#pragma once

#include <cstdint>

#include "ddp/trainer/dataset.hpp"

namespace ddp::trainer {

/// Memory for `count` samples of `dataset`, on the CPU; pinned: such as CUDA copies from in the background.
/// LibTorch's allocator of pinned memory gives a block to nobody else before the copies from it are done.
enum class HostMemory { pageable, pinned };
[[nodiscard]] Batch make_empty_batch(const Dataset& dataset, std::int64_t count, HostMemory memory);

/// Throws std::out_of_range unless 0 <= index < count.
void require_sample(std::int64_t index, std::int64_t count);

}  // namespace ddp::trainer
